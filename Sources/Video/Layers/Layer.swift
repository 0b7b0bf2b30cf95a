// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// A rectangle in fractions of the programme's picture, from its upper left corner. It may reach beyond the picture.
public struct LayerArea: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  public static let whole = LayerArea(x: 0, y: 0, width: 1, height: 1)

  /// In pixels: each edge is at the nearest even one, so that areas that meet leave no gap.
  /// - Returns: `nil` for an area that is empty, or more than twice as large or as far away as the picture.
  func pixels(of size: PictureSize) -> Rectangle? {
    let numbers = [x, y, width, height]
    guard numbers.allSatisfy({ $0.isFinite && abs($0) <= 2 }), width > 0, height > 0 else {
      return nil
    }
    func even(_ fraction: Double, of side: Int) -> Int {
      // Half a pixel goes the same way, whether the fraction is that of one area or the sum of another's.
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

/// A layer of the programme's picture: what it shows, and where.
public struct Layer: Hashable, Sendable {
  public var name: String
  /// The name of what it shows: `Composition.camera`, or a source that was added.
  public var source: String
  public var area = LayerArea.whole
  /// Layers with a higher number cover those with a lower one; of the same number, the later covers the earlier.
  public var z: Int
  /// How what it shows is placed in its area. That of the camera's layer is `VideoLook.fit`.
  public var fit = Fit.fit
  /// 0 to 1.
  public var opacity = 1.0
  public var isEnabled = true
  /// Whether it is drawn on stills, too: on the image of a pause, and on those that take the camera's place.
  public var onStills = false

  /// - Parameter source: `nil` for one of the layer's own name.
  public init(_ name: String, source: String? = nil, z: Int = 1) {
    (self.name, self.source, self.z) = (name, source ?? name, z)
  }
}
