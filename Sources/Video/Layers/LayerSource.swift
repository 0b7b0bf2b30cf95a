// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The size, fit, alignment and colour of the picture that a layer's source has to deliver. It does not include the
/// layer's position: a layer that only moves is not painted again.
public struct LayerTarget: Hashable, Sendable {
  /// The size of the layer's area in pixels; both sides are even.
  public var size: PictureSize
  /// How the source's picture is fitted into the area.
  public var fit: Fit
  /// Where a picture is placed in the area if it does not fill the area.
  public var alignment: LayerAlignment
  /// The size in pixels of the programme's whole picture, on which the size of a text, for example, depends.
  public var picture: PictureSize
  /// The colour description of the programme, or of a still.
  public var colour: Colour

  /// - Parameter picture: the size of the whole picture; `nil` for a layer of that size, which covers the whole
  ///   picture.
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
  /// The samples; both sides are even. If there is an alpha plane, the samples are premultiplied. A picture whose size
  /// differs from that of the layer's area is placed by the layer's alignment, and clipped to the area.
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

/// A source of the pictures that a layer shows. A new kind of layer implements this protocol. If the layer is painted
/// once and stays as it is, it implements `LayerPainter` instead.
public protocol LayerSource: AnyObject, Sendable {
  /// The picture to show on a frame of live video. Called for each frame, on the thread that composes frames: the
  /// method must not wait or allocate memory.
  /// - Parameters:
  ///   - target: the size, fit, alignment and colour that the picture has to have.
  ///   - time: the timestamp of the frame that is composed.
  ///   - since: pictures that were captured before this time must not be shown, because a pause hid them.
  /// - Returns: the picture; `nil` to compose the frame without the layer, because there is nothing to show, or not
  ///   yet.
  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture?

  /// The picture to show on a still, for as long as the still is shown; `nil` for none. Called on the thread
  /// that prepares the still, so it may take long.
  func still(_ target: LayerTarget) -> BlendPlanes?

  /// A number that rises when the result of `still` has changed, so that stills are prepared again.
  var stillVersion: Int { get }

  /// Whether nothing of the source may be shown, not even a picture that it has given before.
  var isHidden: Bool { get }
}

extension LayerSource {
  /// By default false.
  public var isHidden: Bool { false }

  /// By default 0: the picture that stills show of the source never changes.
  public var stillVersion: Int { 0 }

  /// By default `nil`: a source that moves is not shown on stills.
  public func still(_ target: LayerTarget) -> BlendPlanes? { nil }
}

/// A layer source that always shows the same planes.
final class FixedSource: LayerSource {
  /// The picture that the layer always shows.
  private let planes: BlendPlanes

  init(_ planes: BlendPlanes) { self.planes = planes }

  /// The fixed picture, whatever the target and the times.
  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? { unsafe planes.picture }

  /// The same picture as on live video.
  func still(_ target: LayerTarget) -> BlendPlanes? { planes }
}
