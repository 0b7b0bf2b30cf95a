// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How the host and the guests on air are arranged in the picture.
public enum GuestLayout: Hashable, Sendable {
  public enum Corner: String, Sendable, CaseIterable {
    case topLeft = "top_left"
    case topRight = "top_right"
    case bottomLeft = "bottom_left"
    case bottomRight = "bottom_right"
  }

  /// The host alone. The guests are heard.
  case single
  /// The host at the left and the guest at the right. With more guests, it is a grid.
  case sideBySide
  /// The guests small in a corner of the host's picture.
  case pip(Corner)
  /// Panes of the same size, the host first.
  case grid
  /// A guest alone; `nil` for the one who has been on air for longest. The host is heard.
  case guest(String?)
  /// The free panes of this name.
  case free(String)

  /// The layout of this name, as settings and programs write it. Whether there are free panes of the name is not known
  /// here.
  public init(_ text: String) {
    switch text {
    case "single": self = .single
    case "side_by_side": self = .sideBySide
    case "pip": self = .pip(.bottomRight)
    case "grid": self = .grid
    case "guest": self = .guest(nil)
    case _ where text.hasPrefix("guest:"): self = .guest(String(text.dropFirst("guest:".count)))
    case _ where text.hasPrefix("pip_"):
      self = Corner(rawValue: String(text.dropFirst("pip_".count))).map(Self.pip) ?? .free(text)
    default: self = .free(text)
    }
  }

  /// The layout's name, as settings and programs write it.
  public var text: String {
    switch self {
    case .single: "single"
    case .sideBySide: "side_by_side"
    case .pip(.bottomRight): "pip"
    case .pip(let corner): "pip_\(corner.rawValue)"
    case .grid: "grid"
    case .guest(nil): "guest"
    case .guest(let name?): "guest:\(name)"
    case .free(let name): name
    }
  }
}
