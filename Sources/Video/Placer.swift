// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CYUV
internal import Media

/// How frames are placed on those of the broadcast.
public struct Layout: Hashable, Sendable {
  /// In pixels; even.
  public var size: PictureSize
  public var look: VideoLook

  public init(size: PictureSize, _ look: VideoLook = VideoLook()) {
    (self.size, self.look) = (size, look)
  }
}

/// The second step of the video pipeline: rotation with mirroring, cropping, scaling and bars.
///
/// Rotation and scaling take one pass over the pixels each, and are skipped if they are not needed. Used by one thread.
@safe final class Placer {
  let layout: Layout
  private var look: VideoLook { layout.look }

  /// Not allocated while no frame needs scaling or bars.
  private lazy var canvas = PlaneBuffer(size: layout.size)
  /// The bars that are on the canvas now, so that they are painted only when they change.
  private var bars: Bars?
  private var rotated: PlaneBuffer?

  private struct Bars: Equatable {
    var around: Rectangle
    var fullRange: Bool
  }

  init(_ layout: Layout) { self.layout = layout }

  /// - Returns: planes that are valid until the next call, and only while those of `picture` are.
  @unsafe func place(_ picture: PlanarPicture, fullRange: Bool) -> PlanarPicture {
    var picture = unsafe picture
    let size = unsafe picture.size
    let upright =
      look.rotation.swapsSides ? PictureSize(width: size.height, height: size.width) : size
    let placement = Placement(of: upright, on: layout.size, fit: look.fit)
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
    }
    unsafe picture = picture.cropped(
      x: placement.source.x, y: placement.source.y, to: placement.source.size)
    guard placement.scales || placement.target.size != layout.size else { return unsafe picture }
    paintBars(around: placement.target, fullRange: fullRange)
    unsafe scale(picture, to: placement.target)
    return unsafe canvas.picture
  }

  /// A black frame.
  @unsafe func black(fullRange: Bool) -> PlanarPicture {
    bars = nil
    canvas.blacken(fullRange: fullRange)
    return unsafe canvas.picture
  }

  private func paintBars(around target: Rectangle, fullRange: Bool) {
    let wanted = Bars(around: target, fullRange: fullRange)
    guard bars != wanted else { return }
    bars = wanted
    if target.size != layout.size { canvas.blacken(fullRange: fullRange) }
  }

  /// Rotates and mirrors in one pass. libyuv flips a source vertically at no cost, and a rotation followed by mirroring
  /// equals a vertical flip followed by a rotation: by the same angle for 90° and 270°, by 180° minus the angle for 0°
  /// and 180°.
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
