// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A ready-made look: it changes the defaults of an overlay's other settings. A setting that has a value keeps that
/// value.
public enum OverlayPreset: String, Sendable, CaseIterable {
  /// No preset: the usual defaults apply.
  case none
  /// A name in large letters and a smaller line below it, in a box at the left.
  case lowerThird = "lower-third"
  /// A name in large letters and a smaller line below it, in a box at the right.
  case lowerThirdRight = "lower-third-right"
  /// A name in large letters and a smaller line below it, in a box in the middle of the lower edge.
  case lowerThirdCentre = "lower-third-center"
  /// Large letters with an outline in the middle.
  case title
  /// Small letters with an outline in a corner, such as a clock.
  case corner
  /// A line that moves along the lower edge, over its whole width.
  case ticker

  /// The defaults of an overlay's settings. The initial values are those of the preset `none`.
  struct Defaults {
    var x = 0.1
    var y = 0.1
    var anchor = OverlayAnchor.topLeft
    var width = 0.3
    var size = 0.06
    var secondSize = 1.0
    var scroll = 0.0
    var outline: RGBA?
    var box: RGBA?
    var align = TextAlignment.left
  }

  /// The defaults of an overlay's settings with this preset.
  var defaults: Defaults {
    var own = Defaults()
    // Black that lets a third of the picture through.
    let boxColour = RGBA(red: 0, green: 0, blue: 0, alpha: 170)
    switch self {
    case .none: break
    case .lowerThird, .lowerThirdRight, .lowerThirdCentre:
      (own.y, own.width, own.size, own.secondSize, own.box) = (0.92, 0, 0.055, 0.65, boxColour)
      switch self {
      case .lowerThirdRight: (own.x, own.anchor, own.align) = (0.95, .bottomRight, .right)
      case .lowerThirdCentre: (own.x, own.anchor, own.align) = (0.5, .bottom, .centre)
      default: (own.x, own.anchor) = (0.05, .bottomLeft)
      }
    case .title:
      (own.x, own.y, own.anchor, own.align) = (0.5, 0.5, .centre, .centre)
      (own.width, own.size, own.secondSize) = (0.9, 0.11, 0.5)
      own.outline = .black
    case .corner:
      (own.x, own.y, own.anchor, own.align) = (0.97, 0.04, .topRight, .right)
      (own.width, own.size, own.outline) = (0, 0.045, .black)
    case .ticker:
      (own.x, own.y, own.anchor, own.width) = (0, 1, .bottomLeft, 1)
      (own.size, own.scroll, own.box) = (0.045, 0.1, boxColour)
    }
    return own
  }
}
