// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import CTurboJPEG

/// Encodes a decoded frame as JPEG, with TurboJPEG.
enum JPEGWriter {
  /// The JPEG quality on TurboJPEG's scale from 1 to 100.
  private static let quality: Int32 = 85

  /// The frame as a JFIF file. Its colours are converted to BT.601 with full range, as JFIF requires.
  static func jpeg(
    of frame: UnsafeMutablePointer<AVFrame>
  ) throws(PreviewError) -> [UInt8] {
    let width = unsafe frame.pointee.width
    let height = unsafe frame.pointee.height
    guard width > 0, height > 0 else { throw .undecodable }
    let row = Int(width) * 3
    // Allocate 64 bytes more: vector instructions may write a little beyond the last row.
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: row * Int(height) + 64)
    defer { unsafe pixels.deallocate() }
    guard unsafe convert(frame, width, height, into: pixels, row) else { throw .undecodable }
    let compressor = unsafe tjInitCompress()
    defer { unsafe tjDestroy(compressor) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { unsafe tjFree(memory) }
    let status = unsafe tjCompress2(
      compressor, pixels, width, Int32(row), height, Int32(TJPF_RGB.rawValue), &memory, &count,
      Int32(TJSAMP_420.rawValue), quality, 0)
    guard status == 0, let start = unsafe memory else { throw .undecodable }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Converts a frame to packed RGB. `row` is the number of bytes in a row of `pixels`. Returns `false` on failure.
  private static func convert(
    _ frame: UnsafeMutablePointer<AVFrame>, _ width: Int32, _ height: Int32,
    into pixels: UnsafeMutablePointer<UInt8>, _ row: Int
  ) -> Bool {
    let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    let scaler = unsafe sws_getContext(
      width, height, format, width, height, AV_PIX_FMT_RGB24, SWS_BILINEAR | SWS_ACCURATE_RND, nil,
      nil, nil)
    guard let scaler = unsafe scaler else { return false }
    defer { unsafe sws_freeContext(scaler) }
    // Replace the colour matrix 2 (unspecified) by 1 (BT.709); libswscale numbers the matrices as H.273 does.
    let matrix = unsafe Int32(frame.pointee.colorspace.rawValue)
    let isFull =
      unsafe frame.pointee.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
    unsafe onair_sws_set_colour(scaler, matrix == 2 ? 1 : matrix, isFull ? 1 : 0, 1, 1)
    // Pass the only plane of packed RGB in the place of the Y plane.
    return unsafe onair_sws_scale(scaler, frame, height, pixels, nil, nil, Int32(row), 0) == height
  }
}
