// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV
internal import Media

/// The first step of the video pipeline: the 4:2:0 planes of a frame in any pixel format. Used by one thread.
@safe final class PixelConverter {
  /// The planes of the last frame that needed a conversion.
  private var current: PlaneBuffer?
  /// Where the next frame is converted to, so that a frame that cannot be decoded leaves the last one whole.
  private var next: PlaneBuffer?
  private lazy var jpeg = JPEGDecoder()

  /// Whether frames of a format are passed on without a copy: the result then points into the frame.
  static func passes(_ format: FrameFormat) -> Bool { format.pixelFormat == .i420 }

  /// - Returns: planes that are valid until the next frame has been converted and, if the frame was passed on, only
  ///   while it lives.
  @unsafe func convert(_ frame: borrowing Frame) throws(PictureError) -> PlanarPicture {
    guard let buffer = try read(frame) else {
      let bytes = try unsafe PixelConverter.bytes(of: frame)
      return unsafe PlanarPicture(
        i420: bytes, bytesPerRow: frame.format.bytesPerRow, size: frame.format.size)
    }
    swap(&current, &next)
    return unsafe buffer.picture
  }

  /// Finds out whether a frame can be converted, and leaves the last one as it is.
  func check(_ frame: borrowing Frame) throws(PictureError) { _ = try read(frame) }

  /// - Returns: the planes in `next`; `nil` for a frame that is passed on.
  private func read(_ frame: borrowing Frame) throws(PictureError) -> PlaneBuffer? {
    let format = frame.format
    let bytes = try unsafe PixelConverter.bytes(of: frame)
    if PixelConverter.passes(format) { return nil }
    guard format.pixelFormat == .mjpeg else {
      let buffer = buffer(format.size)
      try unsafe convert(bytes, format: format, into: buffer.planes())
      return buffer
    }
    // Some cameras send another size than they were asked for and have agreed to.
    let size = try unsafe jpeg.begin(bytes, count: frame.bytes.count)
    let buffer = buffer(size)
    try unsafe jpeg.decode(size, into: buffer.planes())
    return buffer
  }

  /// Where a frame of this size is converted to.
  private func buffer(_ size: PictureSize) -> PlaneBuffer {
    if let next, next.size == size { return next }
    let buffer = PlaneBuffer(size: size)
    next = buffer
    return buffer
  }

  private static func bytes(
    of frame: borrowing Frame
  ) throws(PictureError) -> UnsafePointer<UInt8> {
    let format = frame.format
    guard format.size.width >= 2, format.size.height >= 2,
      unsafe frame.bytes.count >= max(1, format.byteCount),
      let bytes = unsafe frame.bytes.bindMemory(to: UInt8.self).baseAddress
    else { throw .malformed }
    return unsafe bytes
  }

  private func convert(
    _ bytes: UnsafePointer<UInt8>, format: FrameFormat, into out: MutablePlanes
  ) throws(PictureError) {
    let width = Int32(format.size.width)
    let height = Int32(format.size.height)
    let row = Int32(format.bytesPerRow)
    let chroma = unsafe bytes + format.bytesPerRow * format.size.height
    let status: Int32
    switch format.pixelFormat {
    case .i420, .mjpeg: return
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
    }
    guard status == 0 else { throw .malformed }
  }
}
