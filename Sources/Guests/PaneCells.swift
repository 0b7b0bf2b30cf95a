// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Divides a picture into panes.
///
/// Panes are a simple fraction of the picture where possible, since libyuv scales by 1/2, 3/8 and 1/4 several times as
/// fast as by 1/3. If the gaps between panes do not fit beside them, the panes give up some of their width and keep
/// their height: a picture that fills its pane is then cropped by as much, and still scaled by that fraction.
struct PaneCells {
  /// A rectangle in pixels; all are even.
  private struct Cell {
    var x, y, width, height: Int
  }

  /// The sizes of panes as fractions of the picture, from the largest.
  private static let fractions = [(1, 1), (1, 2), (3, 8), (1, 4), (3, 16), (1, 8)]

  private let guests: [GuestRoom.Shown]
  private let width, height: Int
  /// The gap between panes: 0.02 of the width. A multiple of four, so that half of it is even.
  private let gap: Int

  init(_ guests: [GuestRoom.Shown], on picture: PictureSize) {
    self.guests = guests
    (width, height) = (picture.width & ~1, picture.height & ~1)
    gap = (width + 100) / 200 * 4
  }

  private var whole: Cell { Cell(x: 0, y: 0, width: width, height: height) }

  // MARK: Layouts

  /// One fills the picture.
  func alone(_ source: PaneSource) -> [Pane] { [pane(source, whole)] }

  func preset(_ layout: GuestLayout) -> [Pane] {
    let sources = guests.map { PaneSource.guest($0.name) }
    switch layout {
    case .single, .free: return alone(.host)
    case .guest(let name): return alone(name.map { .guest($0) } ?? sources.first ?? .host)
    case .sideBySide, .grid:
      let all = [.host] + sources
      return zip(all, grid(all.count)).map { pane($0, $1) }
    case .pip(let corner):
      return alone(.host) + zip(sources, corners(corner)).map { pane($0, $1, z: 1) }
    }
  }

  /// The free panes that have somebody to show, cut to the picture; the host alone if there are none.
  func free(_ panes: [FreePane]) -> [Pane] {
    let placed: [Pane] = FreePane.placed(panes, guests.map(\.name)).compactMap { free, source in
      let area = free.area
      guard let left = edge(area.x, of: width), let top = edge(area.y, of: height),
        let right = edge(area.x + area.width, of: width),
        let bottom = edge(area.y + area.height, of: height), right > left, bottom > top
      else { return nil }
      let cell = Cell(x: left, y: top, width: right - left, height: bottom - top)
      return pane(source, cell, z: free.z, fit: free.fit)
    }
    return placed.isEmpty ? alone(.host) : placed
  }

  // MARK: Cells

  /// Cells of the same size, in as many columns as the root of their number, in the middle of the picture. So are the
  /// cells of a last row that is not full.
  private func grid(_ count: Int) -> [Cell] {
    var columns = 1
    while columns * columns < count { columns += 1 }
    let rows = (count + columns - 1) / columns
    let size = cellSize(columns: columns, rows: rows)
    func start(_ cells: Int, _ side: Int, of whole: Int) -> Int {
      (whole - cells * side - (cells - 1) * gap) / 2 & ~1
    }
    return (0..<count).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      let inRow = min(columns, count - row * columns)
      return Cell(
        x: start(inRow, size.width, of: width) + column * (size.width + gap),
        y: start(rows, size.height, of: height) + row * (size.height + gap),
        width: size.width, height: size.height)
    }
  }

  /// The size of the cells of a grid.
  private func cellSize(columns: Int, rows: Int) -> PictureSize {
    let widest = (width - (columns - 1) * gap) / columns & ~1
    let highest = (height - (rows - 1) * gap) / rows & ~1
    for (numerator, denominator) in PaneCells.fractions {
      let size = part(numerator, denominator)
      if size.width * columns <= width, size.height <= highest {
        return PictureSize(width: min(size.width, widest), height: size.height)
      }
    }
    return PictureSize(width: widest, height: highest)
  }

  /// Small cells that are stacked from a corner on, a column after the other.
  private func corners(_ corner: GuestLayout.Corner) -> [Cell] {
    let size = part(1, 4)
    let inColumn = max(1, (height - gap) / (size.height + gap))
    let isLeft = corner == .topLeft || corner == .bottomLeft
    let isTop = corner == .topLeft || corner == .topRight
    return guests.indices.map { index in
      let (column, row) = index.quotientAndRemainder(dividingBy: inColumn)
      let x = gap + column * (size.width + gap)
      let y = gap + row * (size.height + gap)
      return Cell(
        x: isLeft ? x : width - size.width - x, y: isTop ? y : height - size.height - y,
        width: size.width, height: size.height)
    }
  }

  /// A fraction of the picture's size.
  private func part(_ numerator: Int, _ denominator: Int) -> PictureSize {
    PictureSize(
      width: width * numerator / denominator & ~1, height: height * numerator / denominator & ~1)
  }

  /// The even pixel at a fraction of a side, within the picture; `nil` if it is no number.
  private func edge(_ fraction: Double, of side: Int) -> Int? {
    guard fraction.isFinite else { return nil }
    return Int((min(1, max(0, fraction)) * Double(side) / 2).rounded()) * 2
  }

  // MARK: Panes

  /// - Parameter fit: how the picture is fitted; `nil` for what the guest's settings say.
  private func pane(_ source: PaneSource, _ cell: Cell, z: Int = 0, fit: Fit? = nil) -> Pane {
    var pane = Pane(source: source, area: area(cell), z: z, fit: fit ?? .fill)
    guard case .guest(let name) = source, let guest = guests.first(where: { $0.name == name })
    else { return pane }
    pane.isCard = guest.isCard
    pane.label = guest.isCard ? nil : area(label(cell))
    // Of an upright picture, filling a wide pane would show a third.
    let isTurned = guest.isPortrait != (cell.height > cell.width)
    pane.fit = fit ?? (guest.fit == .fill && isTurned ? .fit : guest.fit)
    return pane
  }

  /// Where the label is: at the lower edge, as wide as the pane.
  private func label(_ cell: Cell) -> Cell {
    let margin = gap / 4 & ~1
    let lines = min(max(cell.height / 8, height / 24), height / 16, cell.height)
    let labelHeight = max(2, lines & ~1)
    let inset = cell.width > 4 * margin && cell.height > labelHeight + 2 * margin ? margin : 0
    return Cell(
      x: cell.x + inset, y: cell.y + cell.height - inset - labelHeight,
      width: cell.width - 2 * inset, height: labelHeight)
  }

  private func area(_ cell: Cell) -> PaneArea {
    PaneArea(
      x: Double(cell.x) / Double(width), y: Double(cell.y) / Double(height),
      width: Double(cell.width) / Double(width), height: Double(cell.height) / Double(height))
  }
}
