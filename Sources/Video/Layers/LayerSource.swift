// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// What a layer's source is asked for. Positions are always even, so nothing has to be drawn anew when a layer moves.
public struct LayerTarget: Hashable, Sendable {
  /// Of the layer's area, in pixels; even.
  public var size: PictureSize
  public var fit: Fit
  /// Of the programme, or of a still.
  public var colour: Colour

  public init(size: PictureSize, fit: Fit = .fit, colour: Colour) {
    (self.size, self.fit, self.colour) = (size, fit, colour)
  }
}

/// What a layer shows, as pointers that are valid until its source is asked again.
@unsafe public struct LayerPicture {
  /// Of an even size. If that is not the area's, it is centred there, and what reaches beyond is not drawn. Premultiplied if
  /// there is an alpha.
  public var planes: PlanarPicture
  /// With the rows of luma; `nil` if the layer is opaque.
  public var alpha: UnsafePointer<UInt8>?
  /// With the rows of chroma.
  public var chromaAlpha: UnsafePointer<UInt8>?

  /// An opaque one.
  public init(_ planes: PlanarPicture) {
    unsafe self.planes = planes
    unsafe (alpha, chromaAlpha) = (nil, nil)
  }

  /// A premultiplied one.
  init(
    _ planes: PlanarPicture, alpha: UnsafePointer<UInt8>?, chromaAlpha: UnsafePointer<UInt8>?
  ) {
    unsafe self.planes = planes
    unsafe (self.alpha, self.chromaAlpha) = (alpha, chromaAlpha)
  }
}

/// What a layer shows. A new kind of layer implements this, or `LayerPainter` if it is painted once and then stays.
public protocol LayerSource: AnyObject, Sendable {
  /// Called for each frame of live video by the thread that composes it: it must not wait, and not allocate.
  /// - Parameters:
  ///   - time: the timestamp of the frame that is composed.
  ///   - since: what was captured before this must not be shown: it was hidden by a pause.
  /// - Returns: `nil` if there is nothing to show, or not yet. The picture is then as without the layer.
  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture?

  /// What the layer shows on a still, for as long as that is shown. Called while the still is prepared, so it may take
  /// long, on another thread than `picture`.
  func still(_ target: LayerTarget) -> BlendPlanes?
}

extension LayerSource {
  /// What moves is not shown on stills.
  public func still(_ target: LayerTarget) -> BlendPlanes? { nil }
}

/// Planes that stay as they are.
final class FixedSource: LayerSource {
  private let planes: BlendPlanes

  init(_ planes: BlendPlanes) { self.planes = planes }

  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? { unsafe planes.picture }

  func still(_ target: LayerTarget) -> BlendPlanes? { planes }
}
