// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A rectangle in pixels whose coordinates and sizes are even, so that it contains only whole chroma samples of 4:2:0.
struct Rectangle: Equatable {
  /// The column of the left edge.
  var x: Int
  /// The row of the top edge.
  var y: Int
  /// The width and height.
  var size: PictureSize
}

/// Describes which part of a source picture is scaled to which part of the canvas.
struct Placement: Equatable {
  /// The part of the source picture that is shown.
  var source: Rectangle
  /// The part of the canvas on which `source` is shown.
  var target: Rectangle

  /// Whether the part of the source has to be enlarged or shrunk.
  var scales: Bool { source.size != target.size }

  /// - Parameters:
  ///   - source: the size of the source picture, at least 2x2.
  ///   - crop: what is cut off from it first.
  ///   - canvas: the size of the canvas; both sides are even.
  init(of source: PictureSize, _ crop: Crop = .none, on canvas: PictureSize, fit: Fit) {
    let part = Placement.part(of: source, crop)
    let whole = part.size
    var cropped = whole
    var target = canvas
    // Comparing products of integers compares the aspect ratios exactly.
    let wider = whole.width * canvas.height - whole.height * canvas.width
    switch fit {
    case .stretch: break
    case .fit:
      if wider > 0 {
        target.height = Placement.even(whole.height * canvas.width, by: whole.width)
      } else if wider < 0 {
        target.width = Placement.even(whole.width * canvas.height, by: whole.height)
      }
    case .fill:
      if wider > 0 {
        cropped.width = Placement.even(canvas.width * whole.height, by: canvas.height)
      } else if wider < 0 {
        cropped.height = Placement.even(canvas.height * whole.width, by: canvas.width)
      }
    }
    self.source = Placement.centred(cropped, in: whole)
    self.source.x += part.x
    self.source.y += part.y
    self.target = Placement.centred(target, in: canvas)
  }

  /// The part of a frame that remains after the crop. An odd last row or column is cut off as well.
  private static func part(of size: PictureSize, _ crop: Crop) -> Rectangle {
    func even(_ length: Double) -> Int { Int(length.rounded()) & ~1 }
    let (width, height) = (Double(size.width), Double(size.height))
    // At least 2x2 is left, so that of a picture of a few pixels less is cut off at the left and at the top.
    let rest = PictureSize(
      width: max(2, even(width * crop.rest.width)), height: max(2, even(height * crop.rest.height)))
    return Rectangle(
      x: min(even(width * crop.left), (size.width - rest.width) & ~1),
      y: min(even(height * crop.top), (size.height - rest.height) & ~1), size: rest)
  }

  /// The even number that is nearest to `dividend` / `divisor`, at least 2.
  private static func even(_ dividend: Int, by divisor: Int) -> Int {
    max(2, (dividend + divisor) / (2 * divisor) * 2)
  }

  /// The rectangle of a size in the middle of a larger size.
  private static func centred(_ size: PictureSize, in outer: PictureSize) -> Rectangle {
    Rectangle(
      x: (outer.width - size.width) / 2 & ~1, y: (outer.height - size.height) / 2 & ~1, size: size)
  }
}
