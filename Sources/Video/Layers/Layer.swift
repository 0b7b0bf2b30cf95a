// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// A rectangle in fractions of the programme's picture, measured from its upper left corner. It may reach beyond the
/// picture.
public struct LayerArea: Hashable, Sendable {
  /// The left edge, as a fraction of the picture's width.
  public var x: Double
  /// The top edge, as a fraction of the picture's height.
  public var y: Double
  /// The width, as a fraction of the picture's width.
  public var width: Double
  /// The height, as a fraction of the picture's height.
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
      // Because of the added 1e-6, an edge exactly between two pixels is rounded the same way, whether it is computed
      // as the `x` of one area or as `x` + `width` of its neighbour.
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

/// Where a layer is placed in its area if it does not fill the area.
public struct LayerAlignment: Hashable, Sendable {
  /// The position of a layer in its area, in one direction.
  public enum Side: Hashable, Sendable {
    /// The layer is at the left edge of its area (horizontal alignment), or at the top edge (vertical alignment).
    case start
    /// The layer is in the middle of its area.
    case centre
    /// The layer is at the right edge of its area (horizontal alignment), or at the bottom edge (vertical alignment).
    case end
  }

  /// The horizontal alignment.
  public var across: Side
  /// The vertical alignment.
  public var down: Side

  public init(_ across: Side, _ down: Side) { (self.across, self.down) = (across, down) }

  /// The middle of the area in both directions.
  public static let centre = LayerAlignment(.centre, .centre)
}

extension LayerAlignment.Side {
  /// The distance in pixels from the left or top edge of an area to the layer in it; even.
  /// - Parameter free: the number of pixel columns (or rows) of the area that the layer does not fill.
  func offset(free: Int) -> Int {
    switch self {
    case .start: 0
    case .centre: free / 2 & ~1
    case .end: free & ~1
    }
  }

  /// The position of a layer's anchor on the layer, from 0 at the left or upper edge to 1 at the opposite edge. The
  /// anchor is the point that stays in its place when the layer changes its size.
  var anchorFraction: Double {
    switch self {
    case .start: 0
    case .centre: 0.5
    case .end: 1
    }
  }
}

extension LayerArea {
  /// The area of a layer whose anchor, which `alignment` chooses, is at a point.
  /// - Parameters:
  ///   - x: the column of the point, as a fraction of the picture's width; likewise `y`.
  ///   - width: the width of the area, as a fraction of the picture's width. `nil` stands for an area twice as wide as
  ///     the picture, for a layer whose content determines its width. Likewise `height`.
  public init(
    x: Double, y: Double, width: Double?, height: Double?, alignment: LayerAlignment
  ) {
    let (width, height) = (width ?? 2, height ?? 2)
    self.init(
      x: x - width * alignment.across.anchorFraction,
      y: y - height * alignment.down.anchorFraction, width: width, height: height)
  }
}

/// A layer of the programme's picture: what it shows, and where.
public struct Layer: Hashable, Sendable {
  /// The layer's name. When a new composition replaces another one, a layer whose name is in both does not fade in
  /// again.
  public var name: String
  /// The name of the source that the layer shows: `Composition.camera`, or a source that was added to the composition.
  public var source: String
  /// Where the layer is on the programme's picture.
  public var area = LayerArea.whole
  /// The stacking order: layers with a higher number cover those with a lower one. Of two layers with the same
  /// number, the one that was added later covers the other.
  public var z: Int
  /// How the source's picture is fitted into the layer's area. For the camera's layer, `VideoLook.fit` is used instead.
  public var fit = Fit.fit
  /// Where the layer is placed in its area if it does not fill the area.
  public var alignment = LayerAlignment.centre
  /// The layer's opacity while it does not fade: from 0 (invisible) to 1 (opaque).
  public var opacity = 1.0
  /// Time in nanoseconds in which the layer appears or vanishes on live video when it is added, enabled, disabled or
  /// removed.
  public var fadeNanos: Int64 = 0
  /// Whether the layer is drawn.
  public var isEnabled = true
  /// Whether the layer is drawn on stills, too: on the image of a pause, and on images that take the camera's place.
  public var onStills = false

  /// Layers below this `z` arrange the sources in the picture. The others lie on top, and a crossfade does not touch
  /// them.
  static let lowestOverlay = 1

  var isArranged: Bool { z < Layer.lowestOverlay }

  /// - Parameter source: the name of the source that the layer shows; `nil` if the source has the layer's name.
  public init(_ name: String, source: String? = nil, z: Int = 1) {
    (self.name, self.source, self.z) = (name, source ?? name, z)
  }

  /// The size of the layer's area on a picture, in pixels; `nil` if the area is not valid (see `LayerArea.pixels`).
  package func size(on picture: PictureSize) -> PictureSize? { area.pixels(of: picture)?.size }
}
