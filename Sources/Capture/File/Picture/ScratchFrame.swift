// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// The intermediate frame between two steps of a conversion, with the libswscale context that fills it. The planes are
/// allocated at the first use, and again only if their format or size changes. Used by one thread.
@safe final class ScratchFrame {
  /// The frame; `nil` if memory has run out.
  let frame: UnsafeMutablePointer<AVFrame>?
  /// The context of libswscale that `scale` used last; `nil` before its first call.
  private var sws: OpaquePointer?

  init() { unsafe frame = av_frame_alloc() }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    unsafe av_frame_free(&frame)
    unsafe sws_freeContext(sws)
  }

  /// Allocates planes of this format and size, unless the frame already has such planes. Their content is undefined.
  /// - Returns: `false` if memory has run out.
  func reserve(_ pixels: AVPixelFormat, width: Int32, height: Int32) -> Bool {
    guard let frame = unsafe frame else { return false }
    if unsafe frame.pointee.format == pixels.rawValue && frame.pointee.width == width
      && frame.pointee.height == height && frame.pointee.buf.0 != nil
    {
      return true
    }
    unsafe av_frame_unref(frame)
    unsafe frame.pointee.format = pixels.rawValue
    unsafe frame.pointee.width = width
    unsafe frame.pointee.height = height
    return unsafe av_frame_get_buffer(frame, 64) == 0
  }

  /// Converts a frame to `pixels` and scales it into `frame`. The matrix coefficients and the range stay the same.
  /// - Parameters:
  ///   - columns: how many columns of the source are used, from the left.
  ///   - rows: how many rows of the source are used, from the top.
  ///   - matrix: the matrix coefficients by H.273's number, which libswscale uses, too.
  /// - Returns: `false` if libswscale cannot convert the frame.
  func scale(
    _ source: UnsafePointer<AVFrame>, columns: Int32, rows: Int32, to pixels: AVPixelFormat,
    width: Int32, height: Int32, matrix: Int32, fullRange: Bool
  ) -> Bool {
    let from = unsafe AVPixelFormat(rawValue: source.pointee.format)
    guard reserve(pixels, width: width, height: height), let frame = unsafe frame else {
      return false
    }
    unsafe sws = sws_getCachedContext(
      sws, columns, rows, from, width, height, pixels, SWS_BICUBIC | SWS_ACCURATE_RND, nil, nil, nil
    )
    guard let sws = unsafe sws else { return false }
    unsafe onair_sws_set_colour(
      sws, matrix, from.isRGB || fullRange ? 1 : 0, matrix, fullRange ? 1 : 0)
    return unsafe onair_sws_scale_frame(sws, source, rows, frame) == height
  }
}

/// Pointers to the planes of an I420 frame, for writing or reading.
@unsafe struct FramePlanes {
  /// The start of the Y plane.
  var y: UnsafeMutablePointer<UInt8>
  /// The start of the Cb plane.
  var cb: UnsafeMutablePointer<UInt8>
  /// The start of the Cr plane.
  var cr: UnsafeMutablePointer<UInt8>
  /// The bytes from one row of Y to the next.
  var row: Int
  /// The bytes from one row of Cb or Cr to the next.
  var chromaRow: Int

  /// Divides a buffer into the planes of a frame.
  /// - Returns: `nil` if the buffer has no memory.
  init?(_ bytes: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
    guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return nil
    }
    unsafe y = unsafe start
    unsafe row = format.bytesPerRow
    unsafe chromaRow = format.bytesPerRow / 2
    unsafe cb = unsafe y + row * format.size.height
    unsafe cr = unsafe cb + chromaRow * (format.size.height / 2)
  }

  init?(_ scratch: ScratchFrame) {
    guard let frame = unsafe scratch.frame, let y = unsafe frame.pointee.data.0,
      let cb = unsafe frame.pointee.data.1, let cr = unsafe frame.pointee.data.2
    else { return nil }
    unsafe self.y = unsafe y
    unsafe self.cb = unsafe cb
    unsafe self.cr = unsafe cr
    unsafe row = Int(frame.pointee.linesize.0)
    unsafe chromaRow = Int(frame.pointee.linesize.1)
  }
}

extension AVFrame {
  /// One of the frame's planes 0 to 2, and the bytes from one of its rows to the next; `nil` if the frame lacks the
  /// plane.
  @unsafe func plane(_ index: Int) -> (bytes: UnsafeMutablePointer<UInt8>, row: Int)? {
    let found: (bytes: UnsafeMutablePointer<UInt8>?, row: Int32) =
      switch index {
      case 0: unsafe (data.0, linesize.0)
      case 1: unsafe (data.1, linesize.1)
      default: unsafe (data.2, linesize.2)
      }
    guard let bytes = unsafe found.bytes else { return nil }
    return unsafe (bytes, Int(found.row))
  }
}

extension AVPixelFormat {
  /// FFmpeg's flags of the pixel format (AV_PIX_FMT_FLAG_*); 0 for an unknown format.
  var flags: Int32 {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return 0 }
    return Int32(truncatingIfNeeded: unsafe description.pointee.flags)
  }

  /// Whether the format has R'G'B' values, directly or in a palette.
  var isRGB: Bool { flags & Int32(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 }

  /// Whether the format has Y alone, or Y and transparency.
  var isGrey: Bool {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return false }
    return (1...2).contains(unsafe description.pointee.nb_components) && !isRGB
  }

  /// The number of bits of a sample of the first component, which is Y in Y'CbCr.
  var depth: Int32 {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return 0 }
    return unsafe description.pointee.comp.0.depth
  }

  /// By how many bits the width and the height of Y are shifted right to give those of chroma.
  var chromaShifts: (columns: Int32, rows: Int32) {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return (0, 0) }
    return unsafe (
      Int32(description.pointee.log2_chroma_w), Int32(description.pointee.log2_chroma_h)
    )
  }
}
