// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// A rectangle in fractions of the picture, measured from its upper left corner.
public struct PaneArea: Hashable, Sendable {
  public var x, y, width, height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The whole picture.
  public static let whole = PaneArea(x: 0, y: 0, width: 1, height: 1)
}

/// Whom a pane shows.
public enum PaneSource: Hashable, Sendable {
  /// The box's own camera.
  case host
  case guest(String)
}

/// A part of the picture that shows the host or a guest.
public struct Pane: Equatable, Sendable {
  public var source: PaneSource
  /// Where it is. Its edges are at even pixels, within the picture.
  public var area: PaneArea
  /// Panes with a higher number cover those with a lower one.
  public var z = 0
  public var fit = Fit.fill
  /// Whether a card with the guest's name fills the pane, since there is no picture.
  public var isCard = false
  /// Where the label with the guest's name is, on his picture; `nil` on a card and for the host.
  public var label: PaneArea?
}

/// A pane of `[[layout]]`.
public struct FreePane: Equatable, Sendable {
  public enum Source: Hashable, Sendable {
    case host
    /// The guest of this name.
    case guest(String)
    /// Of the guests on air that the layout does not name, the first (1), the second (2) and so on.
    case number(Int)
  }

  public var source: Source
  /// Where it is. What is beyond the picture is cut off.
  public var area: PaneArea
  public var z: Int
  /// `nil` for what the guest's settings say.
  public var fit: Fit?

  public init(_ source: Source, _ area: PaneArea, z: Int = 0, fit: Fit? = .fill) {
    (self.source, self.area, self.z, self.fit) = (source, area, z, fit)
  }

  /// The panes that have somebody to show.
  /// - Parameter guests: the names of the guests who have a pane, in their order.
  static func placed(
    _ panes: [FreePane], _ guests: [String]
  ) -> [(pane: FreePane, source: PaneSource)] {
    let named = Set(panes.map(\.source))
    let others = guests.filter { !named.contains(.guest($0)) }
    return panes.compactMap { pane in
      switch pane.source {
      case .host: (pane, .host)
      case .guest(let name): guests.contains(name) ? (pane, .guest(name)) : nil
      case .number(let number):
        number > 0 && number <= others.count ? (pane, .guest(others[number - 1])) : nil
      }
    }
  }
}
