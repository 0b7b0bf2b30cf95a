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

/// Where in its area a layer is that does not fill it.
public struct LayerAlignment: Hashable, Sendable {
  public enum Side: Hashable, Sendable {
    /// Left, or top.
    case start
    case centre
    /// Right, or bottom.
    case end
  }

  public var across: Side
  public var down: Side

  public init(_ across: Side, _ down: Side) { (self.across, self.down) = (across, down) }

  public static let centre = LayerAlignment(.centre, .centre)
}

extension LayerAlignment.Side {
  /// How many of the free pixels are before the layer.
  func before(_ free: Int) -> Int {
    switch self {
    case .start: 0
    case .centre: free / 2 & ~1
    case .end: free & ~1
    }
  }

  /// The share of a length that is before the point that stays where it is.
  var share: Double {
    switch self {
    case .start: 0
    case .centre: 0.5
    case .end: 1
    }
  }
}

extension LayerArea {
  /// The largest area that an alignment ties to a point: for a layer that has its own width or height.
  /// - Parameters:
  ///   - width: `nil` for any; likewise `height`.
  public init(
    x: Double, y: Double, width: Double?, height: Double?, alignment: LayerAlignment
  ) {
    let (width, height) = (width ?? 2, height ?? 2)
    self.init(
      x: x - width * alignment.across.share, y: y - height * alignment.down.share, width: width,
      height: height)
  }
}

/// A layer of the programme's picture: what it shows, and where.
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
  /// Where it is in its area if it does not fill it.
  public var alignment = LayerAlignment.centre
  /// 0 to 1.
  public var opacity = 1.0
  /// How long it takes to appear or to vanish on live video when it is enabled, added, disabled or removed. In nanoseconds.
  public var fadeNanos: Int64 = 0
  public var isEnabled = true
  /// Whether the layer is drawn on stills, too: on the image of a pause, and on images that take the camera's place.
  public var onStills = false

  /// - Parameter source: the name of the source; `nil` if that is the layer's own name.
  public init(_ name: String, source: String? = nil, z: Int = 1) {
    (self.name, self.source, self.z) = (name, source ?? name, z)
  }

  /// The size of its area on a picture, in pixels; `nil` if it has none.
  package func size(on picture: PictureSize) -> PictureSize? { area.pixels(of: picture)?.size }
}
