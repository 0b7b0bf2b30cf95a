// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The size, fit, alignment and colour of the picture that a layer's source has to deliver. The layer's position is not
/// included: it is always even, so nothing has to be drawn anew when a layer moves.
public struct LayerTarget: Hashable, Sendable {
  /// The size of the layer's area in pixels; both sides are even.
  public var size: PictureSize
  /// How the source's picture is fitted into the area.
  public var fit: Fit
  /// Where a picture that does not fill the area is in it.
  public var alignment: LayerAlignment
  /// The size of the whole picture in pixels. The size of a text, for example, depends on it.
  public var picture: PictureSize
  /// The colour description of the programme, or of a still.
  public var colour: Colour

  /// - Parameter picture: `nil` for a layer that covers the whole picture.
  public init(
    size: PictureSize, fit: Fit = .fit, alignment: LayerAlignment = .centre,
    picture: PictureSize? = nil, colour: Colour
  ) {
    (self.size, self.fit, self.alignment) = (size, fit, alignment)
    (self.picture, self.colour) = (picture ?? size, colour)
  }
}

/// The picture that a layer's source shows now, as pointers that are valid until the source is asked again.
@unsafe public struct LayerPicture {
  /// The samples, of an even size, and premultiplied if there is an alpha. A picture of another size than the area is
  /// placed in it by the layer's alignment, and what reaches beyond the area is not drawn.
  public var planes: PlanarPicture
  /// The alpha plane of the size of luma, with the same bytes per row as luma; `nil` if the picture is opaque.
  public var alpha: UnsafePointer<UInt8>?
  /// The alpha plane of the size of chroma, with the same bytes per row as chroma; `nil` if the picture is opaque.
  public var chromaAlpha: UnsafePointer<UInt8>?

  /// Makes an opaque picture.
  public init(_ planes: PlanarPicture) {
    unsafe self.planes = planes
    unsafe (alpha, chromaAlpha) = (nil, nil)
  }

  /// Makes a picture of premultiplied planes and their alpha.
  init(
    _ planes: PlanarPicture, alpha: UnsafePointer<UInt8>?, chromaAlpha: UnsafePointer<UInt8>?
  ) {
    unsafe self.planes = planes
    unsafe (self.alpha, self.chromaAlpha) = (alpha, chromaAlpha)
  }
}

/// A source of the pictures that a layer shows. A new kind of layer implements this, or `LayerPainter` if it is painted
/// once and then stays.
public protocol LayerSource: AnyObject, Sendable {
  /// The picture to show on a frame of live video. Called for each frame by the thread that composes it: it must not
  /// wait, and not allocate.
  /// - Parameters:
  ///   - target: the size, fit, alignment and colour that the picture has to have.
  ///   - time: the timestamp of the frame that is composed.
  ///   - since: what was captured before this time must not be shown, because a pause hid it.
  /// - Returns: `nil` if there is nothing to show, or not yet. The frame is then composed without the layer.
  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture?

  /// The picture to show on a still, for as long as the still is shown; `nil` for none. Called while the still is
  /// prepared, on another thread than `picture`, so it may take long.
  func still(_ target: LayerTarget) -> BlendPlanes?

  /// A number that rises when the result of `still` has changed, so that stills are prepared again.
  var stillVersion: Int { get }
}

extension LayerSource {
  /// 0: what stills show of the source never changes.
  public var stillVersion: Int { 0 }

  /// Shows nothing on stills: a source that moves is not shown there.
  public func still(_ target: LayerTarget) -> BlendPlanes? { nil }
}

/// A layer source that always shows the same planes.
final class FixedSource: LayerSource {
  /// The picture that the layer always shows.
  private let planes: BlendPlanes

  init(_ planes: BlendPlanes) { self.planes = planes }

  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? { unsafe planes.picture }

  /// The same picture as on live video.
  func still(_ target: LayerTarget) -> BlendPlanes? { planes }
}
