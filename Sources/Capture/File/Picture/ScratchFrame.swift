// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// A frame between two steps of a conversion, and libswscale's tables for the step that fills it. Nothing is allocated
/// until a file needs the step, and again only if its frames change. Used by one thread.
@safe final class ScratchFrame {
  /// `nil` if there is no memory.
  let frame: UnsafeMutablePointer<AVFrame>?
  private var sws: OpaquePointer?

  init() { unsafe frame = av_frame_alloc() }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    unsafe av_frame_free(&frame)
    unsafe sws_freeContext(sws)
  }

  /// Makes room for a frame. Its content is undefined.
  /// - Returns: `false` if there is no memory.
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

  /// Converts and scales a frame into this one, and keeps the matrix.
  /// - Parameters:
  ///   - rows: the upper rows of the source that are used, and its left columns.
  ///   - matrix: H.273's number, as libswscale has it.
  /// - Returns: `false` if libswscale cannot convert it.
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

/// Where I420 is written to.
@unsafe struct FramePlanes {
  var y: UnsafeMutablePointer<UInt8>
  var cb: UnsafeMutablePointer<UInt8>
  var cr: UnsafeMutablePointer<UInt8>
  /// Bytes from one row to the next, of Y and of chroma.
  var row: Int
  var chromaRow: Int

  /// - Returns: `nil` if there is no memory.
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
  /// One of the planes 0 to 2, and the bytes from one of its rows to the next; `nil` if the frame lacks it.
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
  var flags: Int32 {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return 0 }
    return Int32(truncatingIfNeeded: unsafe description.pointee.flags)
  }

  var isRGB: Bool { flags & Int32(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 }

  /// Whether it has Y alone, or Y and transparency.
  var isGrey: Bool {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return false }
    return (1...2).contains(unsafe description.pointee.nb_components) && !isRGB
  }

  /// The bits of a sample of Y.
  var depth: Int32 {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return 0 }
    return unsafe description.pointee.comp.0.depth
  }

  /// The sizes of chroma as shifts of those of Y.
  var chromaShifts: (columns: Int32, rows: Int32) {
    guard let description = unsafe av_pix_fmt_desc_get(self) else { return (0, 0) }
    return unsafe (
      Int32(description.pointee.log2_chroma_w), Int32(description.pointee.log2_chroma_h)
    )
  }
}
