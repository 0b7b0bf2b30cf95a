// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import Testing

/// A pane's area in pixels.
struct PixelArea: Equatable {
  var x, y, width, height: Int

  init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// - Returns: `nil` if an edge is not at an even pixel within the picture.
  init?(_ area: PaneArea, of size: PictureSize) {
    func even(_ fraction: Double, _ side: Int) -> Int? {
      let pixels = fraction * Double(side)
      let whole = Int(pixels.rounded())
      return abs(pixels - Double(whole)) < 1e-6 && whole % 2 == 0 ? whole : nil
    }
    guard let x = even(area.x, size.width), let y = even(area.y, size.height),
      let width = even(area.width, size.width), let height = even(area.height, size.height),
      x >= 0, y >= 0, width > 0, height > 0, x + width <= size.width, y + height <= size.height
    else { return nil }
    self.init(x, y, width, height)
  }

  func overlaps(_ other: PixelArea) -> Bool {
    x < other.x + other.width && other.x < x + width
      && y < other.y + other.height && other.y < y + height
  }
}

/// Holds the panes to the table "Where the panes are" in Sources/Guests/README.md.
@Suite struct PanesTests {
  static let hd = PictureSize(width: 1_280, height: 720)
  static let sizes = [
    hd, PictureSize(width: 1_920, height: 1_080), PictureSize(width: 640, height: 360),
    PictureSize(width: 854, height: 480), PictureSize(width: 1_440, height: 1_080),
    PictureSize(width: 720, height: 1_280), PictureSize(width: 480, height: 480),
    PictureSize(width: 160, height: 90), PictureSize(width: 3_840, height: 2_160),
  ]
  private static let people = ["ann", "bob", "cid", "dan", "eva", "fay", "gus", "hal"]

  private func panes(
    _ layout: GuestLayout, _ guests: [GuestRoom.Shown], on size: PictureSize = hd,
    free: [FreePane] = []
  ) -> [Pane] {
    let rules = GuestRules(layout: layout, freeLayouts: ["free": free])
    return LayoutChoice(rules).panes(guests, on: size)
  }

  private func guests(_ count: Int) -> [GuestRoom.Shown] {
    Self.people.prefix(count).map { GuestRoom.Shown($0) }
  }

  private func areas(_ panes: [Pane], of size: PictureSize = hd) -> [PixelArea?] {
    panes.map { PixelArea($0.area, of: size) }
  }

  @Test("single and guest fill the picture; nobody on air is the host")
  func alone() {
    let guests = guests(2)
    for layout in [GuestLayout.single, .guest(nil), .guest("bob")] {
      let panes = panes(layout, guests)
      #expect(areas(panes) == [PixelArea(0, 0, 1_280, 720)])
      #expect(panes[0].area == .whole)
      #expect(
        panes[0].source
          == (layout == .single ? .host : .guest(layout == .guest(nil) ? "ann" : "bob")))
    }
    #expect(panes(.grid, []).map(\.source) == [.host])
  }

  @Test("side_by_side: host left, guest right, half the size, the gap taken from the width")
  func sideBySide() {
    let panes = panes(.sideBySide, guests(1))
    #expect(panes.map(\.source) == [.host, .guest("ann")])
    #expect(areas(panes) == [PixelArea(0, 180, 628, 360), PixelArea(652, 180, 628, 360)])
    #expect(self.panes(.sideBySide, guests(3)) == self.panes(.grid, guests(3)))
  }

  @Test("grid: as many columns as the root rounded up, a last row in the middle")
  func grid() {
    let three = panes(.grid, guests(2))
    #expect(three.map(\.source) == [.host, .guest("ann"), .guest("bob")])
    #expect(
      areas(three) == [
        PixelArea(148, 78, 480, 270), PixelArea(652, 78, 480, 270), PixelArea(400, 372, 480, 270),
      ])
    #expect(
      areas(panes(.grid, guests(4))) == [
        PixelArea(136, 168, 320, 180), PixelArea(480, 168, 320, 180), PixelArea(824, 168, 320, 180),
        PixelArea(308, 372, 320, 180), PixelArea(652, 372, 320, 180),
      ])
    let columns = (1...8).map { count in
      Set(
        areas(panes(.grid, guests(count))).prefix {
          $0?.y == areas(panes(.grid, guests(count)))[0]?.y
        }.map { $0?.x }
      ).count
    }
    #expect(columns == [2, 2, 2, 3, 3, 3, 3, 3])
  }

  @Test("pip: a quarter of the size, stacked from the corner on, above the host")
  func pip() {
    let corners: [(GuestLayout.Corner, [PixelArea])] = [
      (.topLeft, [PixelArea(24, 24, 320, 180), PixelArea(24, 228, 320, 180)]),
      (.topRight, [PixelArea(936, 24, 320, 180), PixelArea(936, 228, 320, 180)]),
      (.bottomLeft, [PixelArea(24, 516, 320, 180), PixelArea(24, 312, 320, 180)]),
      (.bottomRight, [PixelArea(936, 516, 320, 180), PixelArea(936, 312, 320, 180)]),
    ]
    for (corner, areas) in corners {
      let panes = panes(.pip(corner), guests(2))
      #expect(panes.map(\.source) == [.host, .guest("ann"), .guest("bob")])
      #expect(panes.map(\.z) == [0, 1, 1])
      #expect(panes[0].area == .whole)
      #expect(self.areas(Array(panes.dropFirst())) == areas)
    }
  }

  @Test("Free panes: for the host, guests by name and the others by number, cut to the picture")
  func free() {
    let free = [
      FreePane(.host, .whole, z: 3, fit: .fit),
      FreePane(.guest("bob"), PaneArea(x: 0.75, y: -0.1, width: 0.5, height: 0.35), z: 5),
      FreePane(.number(1), PaneArea(x: 0, y: 0.5, width: 0.25, height: 0.25)),
      FreePane(.number(2), PaneArea(x: 0.25, y: 0.5, width: 0.25, height: 0.25)),
      FreePane(.number(3), PaneArea(x: 0.5, y: 0.5, width: 0.25, height: 0.25)),
      FreePane(.number(0), .whole), FreePane(.number(.min), .whole),
      FreePane(.guest("hal"), .whole),
      FreePane(.number(1), PaneArea(x: .nan, y: 0, width: 1, height: 1)),
      FreePane(.number(1), PaneArea(x: 0, y: 0, width: .infinity, height: 1)),
      FreePane(.number(1), PaneArea(x: -1e300, y: 0, width: 2e300, height: 1), z: 9),
      FreePane(.number(1), PaneArea(x: 1.5, y: 0, width: 1, height: 1)),
      FreePane(.number(1), PaneArea(x: 0.5, y: 0.5, width: -0.2, height: 0.1)),
    ]
    let panes = panes(.free("free"), guests(3), free: free)
    #expect(
      panes.map(\.source) == [
        .host, .guest("bob"), .guest("ann"), .guest("cid"), .guest("ann"),
      ])
    #expect(panes.map(\.z) == [3, 5, 0, 0, 9])
    #expect(panes[0].fit == .fit)
    #expect(
      areas(panes) == [
        PixelArea(0, 0, 1_280, 720), PixelArea(960, 0, 320, 180), PixelArea(0, 360, 320, 180),
        PixelArea(320, 360, 320, 180), PixelArea(0, 0, 1_280, 720),
      ])
    // If nothing of it is left, viewers see the host.
    let outside = [FreePane(.number(1), PaneArea(x: 2, y: 0, width: 1, height: 1))]
    #expect(self.panes(.free("free"), guests(1), free: outside).map(\.source) == [.host])
  }

  @Test("A guest's picture fits as his settings say, and always if one of the two is upright")
  func fits() {
    let upright = PictureSize(width: 720, height: 1_280)
    func fit(_ fit: Fit, isPortrait: Bool, on size: PictureSize) -> Fit {
      panes(.guest(nil), [GuestRoom.Shown("ann", fit: fit, isPortrait: isPortrait)], on: size)[0]
        .fit
    }
    #expect(fit(.fill, isPortrait: false, on: Self.hd) == .fill)
    #expect(fit(.fill, isPortrait: true, on: Self.hd) == .fit)
    #expect(fit(.fill, isPortrait: true, on: upright) == .fill)
    #expect(fit(.fill, isPortrait: false, on: upright) == .fit)
    #expect(fit(.fit, isPortrait: false, on: Self.hd) == .fit)
    // A free pane has a fit of its own.
    let free = [FreePane(.number(1), .whole, fit: .fill)]
    let guest = GuestRoom.Shown("ann", fit: .fit, isPortrait: true)
    #expect(panes(.free("free"), [guest], free: free)[0].fit == .fill)
  }

  @Test("The label is at the lower edge of a guest's picture; a card has the whole pane")
  func labels() throws {
    let ann = [GuestRoom.Shown("ann")]
    func label(_ layout: GuestLayout) throws -> PixelArea? {
      let pane = try #require(panes(layout, ann).last)
      return PixelArea(try #require(pane.label), of: Self.hd)
    }
    #expect(try label(.guest(nil)) == PixelArea(6, 670, 1_268, 44))
    #expect(try label(.sideBySide) == PixelArea(658, 490, 616, 44))
    #expect(try label(.pip(.bottomRight)) == PixelArea(942, 660, 308, 30))
    #expect(panes(.sideBySide, ann)[0].label == nil)
    let card = panes(.sideBySide, [GuestRoom.Shown("ann", isCard: true)])
    #expect(card.map(\.isCard) == [false, true])
    #expect(card[1].label == nil)
  }

  @Test(
    "In each size: even edges within the picture, no overlap but pip, equal cells, gaps, cheap ratios",
    arguments: sizes)
  func geometry(_ size: PictureSize) throws {
    for layout in [GuestLayout.sideBySide, .grid, .pip(.topLeft), .pip(.bottomRight)] {
      for count in 1...8 {
        let panes = panes(layout, guests(count), on: size)
        #expect(panes.count == count + 1)
        let areas = try panes.map { try #require(PixelArea($0.area, of: size)) }
        for label in panes.compactMap(\.label) { #expect(PixelArea(label, of: size) != nil) }
        let isPip = layout != .grid && layout != .sideBySide
        let cells = isPip ? Array(areas.dropFirst()) : areas
        #expect(Set(cells.map { [$0.width, $0.height] }).count == 1)
        let gap = size.width / 50
        for (index, cell) in cells.enumerated() {
          for other in cells.dropFirst(index + 1) {
            #expect(!cell.overlaps(other))
            // Those beside or above each other are a gap apart, give or take the rounding.
            let across = max(other.x - cell.x - cell.width, cell.x - other.x - other.width)
            let down = max(other.y - cell.y - cell.height, cell.y - other.y - other.height)
            #expect(max(across, down) >= gap - 3)
          }
        }
        // 1/2, 3/8 and 1/4 of the height, as far as pixels allow; the width gives up no more than the gap.
        let (width, height) = (cells[0].width, cells[0].height)
        let eighths = [4, 3, 2].first { size.height * $0 / 8 & ~1 == height }
        let part = try #require(eighths)
        #expect(size.width * part / 8 - width <= gap + 3)
      }
    }
  }
}
