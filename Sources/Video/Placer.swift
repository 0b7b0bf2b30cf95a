// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CYUV
public import Media

/// Describes how frames of a source are placed on a frame of the broadcast, or on the area of a layer.
public struct Layout: Hashable, Sendable {
  /// The size of the frame of the broadcast, or of the layer's area, in pixels; both sides are even.
  public var size: PictureSize
  /// How frames are rotated, mirrored and fitted into `size`.
  public var look: VideoLook
  /// The colour description of the broadcast's frames. Frames with another one are converted.
  public var colour: Colour
  /// Whether a frame of another aspect ratio gets black bars. Without bars, the result is smaller than `size`.
  var hasBars = true

  public init(size: PictureSize, _ look: VideoLook = VideoLook(), colour: Colour = .bt709) {
    (self.size, self.look, self.colour) = (size, look, colour)
  }

  init(size: PictureSize, _ look: VideoLook, colour: Colour, hasBars: Bool) {
    self.init(size: size, look, colour: colour)
    self.hasBars = hasBars
  }
}

/// Performs the second step of the video pipeline: rotation with mirroring, cropping, scaling and bars.
///
/// Rotation and scaling take one pass over the pixels each, and are skipped if they are not needed. Used by one thread.
@safe final class Placer {
  /// How frames are placed.
  let layout: Layout
  /// How frames are rotated, mirrored and fitted.
  private var look: VideoLook { layout.look }

  /// The buffer for scaled frames and bars. It is not allocated while no frame needs it.
  private lazy var canvas = PlaneBuffer(size: layout.size)
  /// The part of the canvas that the painted bars leave free; `nil` until bars are painted. Bars are painted again only
  /// when this rectangle changes.
  private var areaInsideBars: Rectangle?
  /// The buffer for rotated or mirrored frames; `nil` while no frame needs it.
  private var rotated: PlaneBuffer?

  init(_ layout: Layout) { self.layout = layout }

  /// The result of `place`.
  @unsafe struct Placed {
    /// The placed picture with its bars.
    var picture: PlanarPicture
    /// The size of the placed picture without its bars.
    var contentSize: PictureSize
    /// The writable planes of the placed picture without bars; `nil` if no copy was made and `picture` shares the
    /// memory of the picture that was passed to `place`.
    var content: MutablePlanes?
  }

  /// Rotates, mirrors, crops and scales a picture as the layout says, and adds bars.
  /// - Returns: planes that are valid until the next call, and only while the planes of `picture` are valid.
  @unsafe func place(_ picture: PlanarPicture) -> Placed {
    var picture = unsafe picture
    let size = unsafe picture.size
    let upright =
      look.rotation.swapsSides ? PictureSize(width: size.height, height: size.width) : size
    let placement = Placement(of: upright, look.crop, on: layout.size, fit: look.fit)
    var content: MutablePlanes?
    if look.rotation != .none || look.mirror {
      let buffer: PlaneBuffer
      if let rotated, rotated.size == upright {
        buffer = rotated
      } else {
        buffer = PlaneBuffer(size: upright)
        rotated = buffer
      }
      unsafe turn(picture, into: buffer.planes())
      unsafe picture = buffer.picture
      unsafe content = buffer.planes(x: placement.source.x, top: placement.source.y)
    }
    unsafe picture = picture.cropped(
      x: placement.source.x, y: placement.source.y, to: placement.source.size)
    let target = placement.target
    guard placement.scales || layout.hasBars && target.size != layout.size else {
      return unsafe Placed(
        picture: picture, contentSize: placement.source.size, content: content)
    }
    paintBars(around: target)
    unsafe scale(picture, to: target)
    return unsafe Placed(
      picture: layout.hasBars
        ? canvas.picture : canvas.picture.cropped(x: target.x, y: target.y, to: target.size),
      contentSize: target.size, content: canvas.planes(x: target.x, top: target.y))
  }

  /// A black frame of the layout's size.
  @unsafe func black() -> PlanarPicture {
    areaInsideBars = nil
    canvas.blacken(fullRange: layout.colour.fullRange)
    return unsafe canvas.picture
  }

  /// Blackens the canvas, if a picture in the rectangle `target` does not fill the canvas. Does nothing if the canvas
  /// is already black around `target`.
  private func paintBars(around target: Rectangle) {
    guard areaInsideBars != target else { return }
    areaInsideBars = target
    if target.size != layout.size { canvas.blacken(fullRange: layout.colour.fullRange) }
  }

  /// Rotates and mirrors a picture in one pass. libyuv flips its source vertically at no cost. A rotation followed by
  /// mirroring equals a vertical flip followed by a rotation: by the same angle for 90° and 270°, by 180° minus the
  /// angle for 0° and 180°.
  private func turn(_ picture: PlanarPicture, into out: MutablePlanes) {
    let angle =
      look.mirror && !look.rotation.swapsSides
      ? 180 - look.rotation.rawValue : look.rotation.rawValue
    let height = unsafe Int32(picture.size.height)
    unsafe I420Rotate(
      picture.y, Int32(picture.yStride), picture.cb, Int32(picture.chromaStride), picture.cr,
      Int32(picture.chromaStride), out.y, out.yStride, out.cb, out.chromaStride, out.cr,
      out.chromaStride, Int32(picture.size.width), look.mirror ? -height : height,
      RotationMode(UInt32(angle)))
  }

  /// Scales a picture into a rectangle of `canvas`.
  private func scale(_ picture: PlanarPicture, to target: Rectangle) {
    let out = unsafe canvas.planes(x: target.x, top: target.y)
    // The box filter averages when it shrinks, and is bilinear when it enlarges.
    unsafe I420Scale(
      picture.y, Int32(picture.yStride), picture.cb, Int32(picture.chromaStride), picture.cr,
      Int32(picture.chromaStride), Int32(picture.size.width), Int32(picture.size.height), out.y,
      out.yStride, out.cb, out.chromaStride, out.cr, out.chromaStride, Int32(target.size.width),
      Int32(target.size.height), kFilterBox)
  }
}
