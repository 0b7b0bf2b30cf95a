// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CYUV
internal import Media

/// Makes frames of the raw bytes that come through a pipe: the format that they have in a `FrameQueue`, and their
/// conversion where that differs. Used by one thread.
@safe final class PipeFrames {
  private let pixels: PipePixels
  /// Upright R'G'B' that has been converted, before it is turned.
  private var lying: [UInt8] = []

  init(_ pixels: PipePixels) { self.pixels = pixels }

  /// Whether frames go into the queue as they come.
  func passes(degrees: UInt32) -> Bool { degrees == 0 && straight != nil }

  private var straight: PixelFormat? {
    switch pixels {
    case .i420: .i420
    case .nv12: .nv12
    case .nv21: .nv21
    case .yuyv: .yuyv
    case .uyvy: .uyvy
    case .rgb24, .bgra: nil
    }
  }

  /// The format of a frame in the queue.
  func format(of size: PictureSize, degrees: UInt32) -> FrameFormat {
    // libyuv converts R'G'B' to BT.601 of limited range.
    let colour = straight == nil ? Colour.webcam : .bt709
    if degrees == 0, let straight {
      return FrameFormat(pixelFormat: straight, size: size, colour: colour)
    }
    let shown =
      degrees % 180 == 0 ? size : PictureSize(width: size.height, height: size.width)
    return FrameFormat(pixelFormat: .i420, size: shown, colour: colour)
  }

  /// Converts a frame to I420 and turns it.
  /// - Parameters:
  ///   - raw: the bytes as they came, without row padding.
  ///   - target: room for a frame of `format(of:degrees:)`.
  /// - Returns: `false` if a buffer is too small.
  @unsafe func convert(
    _ raw: UnsafeRawBufferPointer, size: PictureSize, degrees: UInt32,
    into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let format = format(of: size, degrees: degrees)
    guard raw.count >= pixels.byteCount(size), target.count >= format.byteCount,
      let out = unsafe FramePlanes(target, format)
    else { return false }
    guard degrees != 0 else { return unsafe convert(raw, size, to: out) }
    let upright = FrameFormat(pixelFormat: .i420, size: size, colour: format.colour)
    if lying.count != upright.byteCount { lying = Array(repeating: 0, count: upright.byteCount) }
    return unsafe lying.withUnsafeMutableBytes { bytes in
      guard let planes = unsafe FramePlanes(bytes, upright), unsafe convert(raw, size, to: planes)
      else { return false }
      return unsafe I420Rotate(
        planes.y, Int32(planes.row), planes.cb, Int32(planes.chromaRow), planes.cr,
        Int32(planes.chromaRow), out.y, Int32(out.row), out.cb, Int32(out.chromaRow), out.cr,
        Int32(out.chromaRow), Int32(size.width), Int32(size.height), RotationMode(degrees)) == 0
    }
  }

  private func convert(
    _ raw: UnsafeRawBufferPointer, _ size: PictureSize, to out: FramePlanes
  ) -> Bool {
    guard let bytes = unsafe raw.bindMemory(to: UInt8.self).baseAddress else { return false }
    let (width, height) = (Int32(size.width), Int32(size.height))
    let (row, chromaRow) = unsafe (Int32(out.row), Int32(out.chromaRow))
    let chroma = unsafe bytes + size.width * size.height
    let status: Int32
    switch pixels {
    case .i420:
      status = unsafe I420Copy(
        bytes, width, chroma, width / 2, chroma + size.width * size.height / 4, width / 2, out.y,
        row, out.cb, chromaRow, out.cr, chromaRow, width, height)
    case .nv12:
      status = unsafe NV12ToI420(
        bytes, width, chroma, width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width,
        height)
    case .nv21:
      status = unsafe NV21ToI420(
        bytes, width, chroma, width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width,
        height)
    case .yuyv:
      status = unsafe YUY2ToI420(
        bytes, 2 * width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width, height)
    case .uyvy:
      status = unsafe UYVYToI420(
        bytes, 2 * width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width, height)
    // libyuv names formats of R'G'B' by the order of bits in a little-endian number, except RAW.
    case .rgb24:
      status = unsafe RAWToI420(
        bytes, 3 * width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width, height)
    case .bgra:
      status = unsafe ARGBToI420(
        bytes, 4 * width, out.y, row, out.cb, chromaRow, out.cr, chromaRow, width, height)
    }
    return status == 0
  }
}
