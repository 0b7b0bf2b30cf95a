// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// A rectangle in fractions of the programme's picture, measured from its upper left corner. It may reach beyond the
/// picture.
public struct LayerArea: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The whole picture.
  public static let whole = LayerArea(x: 0, y: 0, width: 1, height: 1)

  /// The rectangle in pixels, on a picture of this size. Each edge is at the nearest even pixel, so that areas that
  /// touch leave no gap.
  /// - Returns: `nil` for an area that is empty, or more than twice as large or as far away as the picture.
  func pixels(of size: PictureSize) -> Rectangle? {
    let numbers = [x, y, width, height]
    guard numbers.allSatisfy({ $0.isFinite && abs($0) <= 2 }), width > 0, height > 0 else {
      return nil
    }
    func even(_ fraction: Double, of side: Int) -> Int {
      // An edge that lies exactly between two pixels is rounded the same way, whether it is computed as the `x` of one
      // area or as `x` + `width` of its neighbour.
      Int((fraction * Double(side) / 2 + 1e-6).rounded()) * 2
    }
    let (left, top) = (even(x, of: size.width), even(y, of: size.height))
    return Rectangle(
      x: left, y: top,
      size: PictureSize(
        width: max(2, even(x + width, of: size.width) - left),
        height: max(2, even(y + height, of: size.height) - top)))
  }
}

/// A layer of the programme's picture: which source it shows, and where.
public struct Layer: Hashable, Sendable {
  public var name: String
  /// The name of the source that the layer shows: `Composition.camera`, or a source that was added to the composition.
  public var source: String
  public var area = LayerArea.whole
  /// The stacking order: layers with a higher number cover those with a lower one. Of two layers with the same
  /// number, the one that was added later covers the other.
  public var z: Int
  /// How the source's picture is fitted into the layer's area. For the camera's layer, `VideoLook.fit` is used instead.
  public var fit = Fit.fit
  /// The opacity of the layer: 0 to 1.
  public var opacity = 1.0
  public var isEnabled = true
  /// Whether the layer is drawn on stills, too: on the image of a pause, and on images that take the camera's place.
  public var onStills = false

  /// - Parameter source: the name of the source; `nil` if that is the layer's own name.
  public init(_ name: String, source: String? = nil, z: Int = 1) {
    (self.name, self.source, self.z) = (name, source ?? name, z)
  }
}
