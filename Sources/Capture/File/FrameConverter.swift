// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import Media

/// Converts decoded frames of any format to I420 with square pixels and even sides. Used by one thread.
@safe final class FrameConverter {
  private let longestSide: Int
  private var sws: OpaquePointer?

  init(longestSide: Int) { self.longestSide = longestSide }

  deinit { unsafe sws_freeContext(sws) }

  /// The format that `frame` is converted to.
  func format(of frame: UnsafePointer<AVFrame>) -> FrameFormat {
    let size = unsafe FrameConverter.size(
      width: Int(frame.pointee.width), height: Int(frame.pointee.height),
      aspect: frame.pointee.sample_aspect_ratio, longestSide: longestSide)
    return FrameFormat(
      pixelFormat: .i420, size: size, bytesPerRow: (size.width + 63) & ~63,
      colour: unsafe FrameConverter.colour(of: frame))
  }

  /// Converts `frame` to `format`.
  /// - Returns: `false` if libswscale cannot convert it.
  func convert(
    _ frame: UnsafePointer<AVFrame>, to format: FrameFormat,
    into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let y = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return false
    }
    let size = format.size
    let row = format.bytesPerRow
    let cb = unsafe y + row * size.height
    let cr = unsafe cb + row / 2 * (size.height / 2)
    // An odd last column or row is cropped.
    let width = unsafe max(Int(frame.pointee.width) & ~1, 1)
    let height = unsafe max(Int(frame.pointee.height) & ~1, 1)
    let pixels = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    if pixels == AV_PIX_FMT_YUV420P || pixels == AV_PIX_FMT_YUVJ420P,
      size == PictureSize(width: width, height: height)
    {
      let data = unsafe frame.pointee.data
      let strides = unsafe frame.pointee.linesize
      return unsafe copy(data.0, strides.0, to: y, row, width: width, rows: height)
        && copy(data.1, strides.1, to: cb, row / 2, width: width / 2, rows: height / 2)
        && copy(data.2, strides.2, to: cr, row / 2, width: width / 2, rows: height / 2)
    }
    unsafe sws = sws_getCachedContext(
      sws, Int32(width), Int32(height), pixels, Int32(size.width), Int32(size.height),
      AV_PIX_FMT_YUV420P, SWS_BICUBIC | SWS_ACCURATE_RND, nil, nil, nil)
    guard let sws = unsafe sws else { return false }
    // libswscale numbers the matrices as H.273 does.
    let full: Int32 = format.colour.fullRange ? 1 : 0
    let fromFull = FrameConverter.isRGB(pixels) ? 1 : full
    unsafe onair_sws_set_colour(
      sws, format.colour.matrix, fromFull, format.colour.matrix, full)
    let written = unsafe onair_sws_scale(
      sws, frame, Int32(height), y, cb, cr, Int32(row), Int32(row / 2))
    return written == Int32(size.height)
  }

  private func copy(
    _ source: UnsafeMutablePointer<UInt8>?, _ sourceRow: Int32,
    to target: UnsafeMutablePointer<UInt8>, _ targetRow: Int, width: Int, rows: Int
  ) -> Bool {
    guard let source = unsafe source else { return false }
    for row in 0..<rows {
      unsafe memcpy(target + row * targetRow, source + row * Int(sourceRow), width)
    }
    return true
  }

  /// The size with square pixels. Each side is even, at least 2 and at most `longestSide`.
  static func size(
    width: Int, height: Int, aspect: AVRational, longestSide: Int
  ) -> PictureSize {
    var w = Double(max(1, width & ~1))
    var h = Double(max(1, height & ~1))
    let ratio = aspect.num > 0 && aspect.den > 0 ? Double(aspect.num) / Double(aspect.den) : 1
    // A ratio beyond 1:20 is a mistake in the file.
    if ratio > 1.001, ratio < 20 { w *= ratio }
    if ratio < 0.999, ratio > 0.05 { h /= ratio }
    let shrink = min(1, Double(longestSide) / max(w, h))
    func even(_ side: Double) -> Int { max(2, Int((side * shrink / 2).rounded()) * 2) }
    return PictureSize(width: even(w), height: even(h))
  }

  private static func isRGB(_ pixels: AVPixelFormat) -> Bool {
    guard let description = unsafe av_pix_fmt_desc_get(pixels) else { return false }
    let mask = UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)
    return unsafe description.pointee.flags & mask != 0
  }

  /// The stream's colour description. FFmpeg's numbers are H.273's code points. What is unspecified is guessed from
  /// the height.
  static func colour(of frame: UnsafePointer<AVFrame>) -> Colour {
    let pixels = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    let height = unsafe frame.pointee.height
    let rgb = isRGB(pixels)
    let usual: Int32 = height >= 720 ? 1 : height == 576 || height == 288 ? 5 : 6
    func specified(_ value: UInt32, or guess: Int32) -> Int32 {
      value == 0 || value == 2 ? guess : Int32(value)
    }
    var matrix = specified(unsafe frame.pointee.colorspace.rawValue, or: usual)
    // Only matrices that libswscale supports and that the VUI of Y'CbCr video can state.
    if rgb || ![1, 4, 5, 6, 7, 9].contains(matrix) { matrix = usual }
    let alwaysFull = [
      AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
      AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_GRAY8,
    ]
    let range = unsafe frame.pointee.color_range
    let full =
      !rgb
      && (range == AVCOL_RANGE_JPEG
        || (alwaysFull.contains { $0 == pixels } && range != AVCOL_RANGE_MPEG))
    return Colour(
      fullRange: full,
      primaries: specified(unsafe frame.pointee.color_primaries.rawValue, or: rgb ? 1 : usual),
      transfer: specified(
        unsafe frame.pointee.color_trc.rawValue, or: rgb ? 13 : usual == 1 ? 1 : 6),
      matrix: matrix)
  }
}
