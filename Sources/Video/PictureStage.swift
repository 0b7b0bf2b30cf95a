// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

/// Why a frame could not be rendered.
public enum PictureError: Error, Equatable {
  /// The JPEG is truncated, has another size than stated, or is not Y'CbCr.
  case brokenJPEG
  /// The frame is smaller than 2x2, or has fewer bytes than its format needs.
  case malformed
}

/// Renders the frames of any source for the encoder: 4:2:0, in the size of the broadcast.
///
/// Conversion, rotation with mirroring, and scaling take one pass over the pixels each, and are skipped if they are not
/// needed: a frame that fits already is returned without a copy. Used by one thread.
public final class PictureStage {
  public let size: PictureSize
  private let rotation: Rotation
  private let mirror: Bool
  private let fit: Fit

  /// Not allocated while all frames fit without a copy.
  private lazy var canvas = PlaneBuffer(size: size)
  /// The bars that are on the canvas now, so that they are painted only when they change.
  private var bars: Bars?
  private var converted: PlaneBuffer?
  private var rotated: PlaneBuffer?
  private lazy var jpeg = JPEGDecoder()

  private struct Bars: Equatable {
    var around: Rectangle
    var fullRange: Bool
  }

  /// - Parameters:
  ///   - size: of the result, in pixels; even.
  ///   - mirror: whether to swap left and right after the rotation.
  public init(size: PictureSize, rotation: Rotation, mirror: Bool, fit: Fit) {
    self.size = size
    self.rotation = rotation
    self.mirror = mirror
    self.fit = fit
  }

  /// Renders a frame. Its colour description stays valid.
  /// - Returns: planes that are valid until the next call, and only while `frame` lives.
  @unsafe public func render(_ frame: borrowing Frame) throws(PictureError) -> PlanarPicture {
    let format = frame.format
    guard format.size.width >= 2, format.size.height >= 2,
      unsafe frame.bytes.count >= max(1, format.byteCount),
      let bytes = unsafe frame.bytes.bindMemory(to: UInt8.self).baseAddress
    else { throw .malformed }

    let upright =
      rotation.swapsSides
      ? PictureSize(width: format.size.height, height: format.size.width) : format.size
    let placement = Placement(of: upright, on: size, fit: fit)
    let turns = rotation != .none || mirror
    paintBars(around: placement.target, fullRange: format.colour.fullRange)

    var picture: PlanarPicture
    if format.pixelFormat == .i420 {
      unsafe picture = PlanarPicture(
        i420: bytes, bytesPerRow: format.bytesPerRow, size: format.size)
    } else {
      let last = !turns && !placement.scales && upright == size
      let buffer = last ? canvas : PictureStage.buffer(&converted, format.size)
      try unsafe convert(
        bytes, count: frame.bytes.count, format: format, into: buffer.planes())
      unsafe picture = buffer.picture
      unsafe picture.size = format.size
    }
    if turns {
      let last = !placement.scales && upright == size
      let buffer = last ? canvas : PictureStage.buffer(&rotated, upright)
      unsafe turn(picture, into: buffer.planes())
      unsafe picture = buffer.picture
    }
    unsafe picture = picture.cropped(
      x: placement.source.x, y: placement.source.y, to: placement.source.size)
    if placement.scales || placement.target.size != size {
      unsafe scale(picture, to: placement.target)
      unsafe picture = canvas.picture
    }
    return unsafe picture
  }

  /// Renders black.
  @unsafe public func renderBlack(_ colour: Colour) -> PlanarPicture {
    bars = nil
    canvas.blacken(fullRange: colour.fullRange)
    return unsafe canvas.picture
  }

  private static func buffer(_ kept: inout PlaneBuffer?, _ size: PictureSize) -> PlaneBuffer {
    if let kept, kept.size == size { return kept }
    let made = PlaneBuffer(size: size)
    kept = made
    return made
  }

  private func paintBars(around target: Rectangle, fullRange: Bool) {
    let wanted = Bars(around: target, fullRange: fullRange)
    guard bars != wanted else { return }
    bars = wanted
    if target.size != size { canvas.blacken(fullRange: fullRange) }
  }

  private func convert(
    _ bytes: UnsafePointer<UInt8>, count: Int, format: FrameFormat, into out: MutablePlanes
  ) throws(PictureError) {
    let width = Int32(format.size.width)
    let height = Int32(format.size.height)
    let row = Int32(format.bytesPerRow)
    let chroma = unsafe bytes + format.bytesPerRow * format.size.height
    let status: Int32
    switch format.pixelFormat {
    case .i420: return
    case .nv12:
      status = unsafe NV12ToI420(
        bytes, row, chroma, row, out.y, out.yStride, out.cb, out.chromaStride, out.cr,
        out.chromaStride, width, height)
    case .nv21:
      status = unsafe NV21ToI420(
        bytes, row, chroma, row, out.y, out.yStride, out.cb, out.chromaStride, out.cr,
        out.chromaStride, width, height)
    case .yuyv:
      status = unsafe YUY2ToI420(
        bytes, row, out.y, out.yStride, out.cb, out.chromaStride, out.cr, out.chromaStride, width,
        height)
    case .uyvy:
      status = unsafe UYVYToI420(
        bytes, row, out.y, out.yStride, out.cb, out.chromaStride, out.cr, out.chromaStride, width,
        height)
    case .mjpeg:
      try unsafe jpeg.decode(bytes, count: count, size: format.size, into: out)
      return
    }
    guard status == 0 else { throw .malformed }
  }

  /// Rotates and mirrors in one pass. libyuv flips a source vertically at no cost, and a rotation followed by mirroring
  /// equals a vertical flip followed by a rotation: by the same angle for 90° and 270°, by 180° minus the angle for 0°
  /// and 180°.
  private func turn(_ picture: PlanarPicture, into out: MutablePlanes) {
    let angle =
      mirror && !rotation.swapsSides ? 180 - rotation.rawValue : rotation.rawValue
    let height = unsafe Int32(picture.size.height)
    unsafe I420Rotate(
      picture.y, Int32(picture.yStride), picture.cb, Int32(picture.chromaStride), picture.cr,
      Int32(picture.chromaStride), out.y, out.yStride, out.cb, out.chromaStride, out.cr,
      out.chromaStride, Int32(picture.size.width), mirror ? -height : height,
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
