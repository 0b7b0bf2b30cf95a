// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV
internal import Media

/// Performs the first step of the video pipeline: converts a frame of any pixel format to 4:2:0 planes. Used by one
/// thread.
@safe final class PixelConverter {
  /// The buffer with the last frame that needed a conversion.
  private var current: PlaneBuffer?
  /// The buffer that the next frame is converted into, so that a frame that cannot be decoded leaves the last one
  /// intact.
  private var next: PlaneBuffer?
  /// Decodes the frames of cameras that send JPEG images.
  private lazy var jpeg = JPEGDecoder()

  /// Whether frames of a format are passed on without a copy: the resulting planes then point into the frame.
  static func passesThrough(_ format: FrameFormat) -> Bool { format.pixelFormat == .i420 }

  /// Converts a frame to 4:2:0 planes.
  /// - Returns: planes that are valid until the next frame has been converted and, if the frame was passed on without a
  ///   copy, only while that frame lives.
  @unsafe func convert(_ frame: borrowing Frame) throws(PictureError) -> UncoveredPicture {
    guard let buffer = try convertIfNeeded(frame) else {
      let bytes = try unsafe PixelConverter.bytes(of: frame)
      return unsafe UncoveredPicture(
        ofFrame: PlanarPicture(
          i420: bytes, bytesPerRow: frame.format.bytesPerRow, size: frame.format.size))
    }
    swap(&current, &next)
    return unsafe UncoveredPicture(buffer)
  }

  /// Throws if a frame cannot be converted. Does not touch the planes of the last frame that was converted.
  func check(_ frame: borrowing Frame) throws(PictureError) { _ = try convertIfNeeded(frame) }

  /// Converts a frame into the buffer `next`, if the frame needs a conversion.
  /// - Returns: the buffer `next`; `nil` for a frame that is passed on without a copy.
  private func convertIfNeeded(_ frame: borrowing Frame) throws(PictureError) -> PlaneBuffer? {
    let format = frame.format
    let bytes = try unsafe PixelConverter.bytes(of: frame)
    if PixelConverter.passesThrough(format) { return nil }
    guard format.pixelFormat == .mjpeg else {
      let buffer = buffer(format.size)
      try unsafe convert(bytes, format: format, into: buffer.planes())
      return buffer
    }
    // Take the size from the image: some cameras send another size than was agreed on.
    let size = try unsafe jpeg.begin(bytes, count: frame.bytes.count)
    let buffer = buffer(size)
    try unsafe jpeg.decode(size, into: buffer.planes())
    return buffer
  }

  /// The buffer `next`. If it does not have this size, a new buffer replaces it.
  private func buffer(_ size: PictureSize) -> PlaneBuffer {
    if let next, next.size == size { return next }
    let buffer = PlaneBuffer(size: size)
    next = buffer
    return buffer
  }

  /// The bytes of a frame. Throws if the frame is smaller than 2x2, or has fewer bytes than its format needs.
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

  /// Converts the bytes of an uncompressed frame, which is not I420, to 4:2:0 planes.
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
