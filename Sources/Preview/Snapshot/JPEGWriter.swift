// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import CTurboJPEG
public import Media

/// Encodes a decoded frame as JPEG, with TurboJPEG.
enum JPEGWriter {
  /// The JPEG quality on TurboJPEG's scale from 1 to 100.
  private static let quality: Int32 = 85

  /// The frame as a JFIF file. Its colours are converted to BT.601 with full range, as JFIF requires.
  /// - Parameter longestSide: a larger frame is scaled down, so that neither side is longer.
  static func jpeg(
    of frame: UnsafeMutablePointer<AVFrame>, longestSide: Int32 = .max
  ) throws(PreviewError) -> [UInt8] {
    let (fullWidth, fullHeight) = unsafe (frame.pointee.width, frame.pointee.height)
    guard fullWidth > 0, fullHeight > 0 else { throw .undecodable }
    func scaled(_ side: Int32) -> Int32 {
      let longest = max(fullWidth, fullHeight)
      guard longest > longestSide else { return side }
      return max(1, Int32(Int64(side) * Int64(longestSide) / Int64(longest)))
    }
    let (width, height) = (scaled(fullWidth), scaled(fullHeight))
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

  /// Scales a frame to this size and converts it to packed RGB. `row` is the number of bytes in a row of `pixels`. Returns `false` on failure.
  private static func convert(
    _ frame: UnsafeMutablePointer<AVFrame>, _ width: Int32, _ height: Int32,
    into pixels: UnsafeMutablePointer<UInt8>, _ row: Int
  ) -> Bool {
    let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    let (fullWidth, fullHeight) = unsafe (frame.pointee.width, frame.pointee.height)
    let way = fullWidth == width ? SWS_BILINEAR | SWS_ACCURATE_RND : SWS_AREA
    let scaler = unsafe sws_getContext(
      fullWidth, fullHeight, format, width, height, AV_PIX_FMT_RGB24, way, nil, nil, nil)
    guard let scaler = unsafe scaler else { return false }
    defer { unsafe sws_freeContext(scaler) }
    // Replace the colour matrix 2 (unspecified) by 1 (BT.709); libswscale numbers the matrices as H.273 does.
    let matrix = unsafe Int32(frame.pointee.colorspace.rawValue)
    let isFull =
      unsafe frame.pointee.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
    unsafe onair_sws_set_colour(scaler, matrix == 2 ? 1 : matrix, isFull ? 1 : 0, 1, 1)
    // Pass the only plane of packed RGB in the place of the Y plane.
    return unsafe onair_sws_scale(scaler, frame, fullHeight, pixels, nil, nil, Int32(row), 0)
      == height
  }
}

extension Frame {
  /// The frame as JPEG; `nil` if it is not in I420, or there is not enough memory.
  /// - Parameter longestSide: a larger frame is scaled down, so that neither side is longer.
  public borrowing func jpeg(longestSide: Int) -> [UInt8]? {
    let (size, row) = (format.size, format.bytesPerRow)
    guard format.pixelFormat == .i420, unsafe bytes.count >= format.byteCount else { return nil }
    var memory = unsafe av_frame_alloc()
    defer { unsafe av_frame_free(&memory) }
    guard let frame = unsafe memory else { return nil }
    unsafe frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
    unsafe (frame.pointee.width, frame.pointee.height) = (Int32(size.width), Int32(size.height))
    unsafe frame.pointee.colorspace = AVColorSpace(UInt32(max(0, format.colour.matrix)))
    unsafe frame.pointee.color_range =
      format.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    // libswscale reads beyond the end of rows, for which libavutil's memory has room.
    guard unsafe av_frame_get_buffer(frame, 0) == 0 else { return nil }
    let chroma = (
      row: (row + 1) / 2, width: (size.width + 1) / 2, height: (size.height + 1) / 2
    )
    unsafe copy(0, row, size.width, size.height, to: frame.pointee.data.0, frame.pointee.linesize.0)
    let (cb, cr) = (row * size.height, row * size.height + chroma.row * chroma.height)
    unsafe copy(
      cb, chroma.row, chroma.width, chroma.height, to: frame.pointee.data.1,
      frame.pointee.linesize.1)
    unsafe copy(
      cr, chroma.row, chroma.width, chroma.height, to: frame.pointee.data.2,
      frame.pointee.linesize.2)
    return unsafe try? JPEGWriter.jpeg(of: frame, longestSide: Int32(clamping: longestSide))
  }

  /// Copies a plane, which starts at `offset` and has `row` bytes from one row to the next.
  @unsafe private borrowing func copy(
    _ offset: Int, _ row: Int, _ width: Int, _ height: Int, to target: UnsafeMutablePointer<UInt8>?,
    _ targetRow: Int32
  ) {
    guard let target = unsafe target else { return }
    for line in 0..<height {
      let source = unsafe bytes[(offset + line * row)...].prefix(width)
      unsafe UnsafeMutableRawBufferPointer(start: target + line * Int(targetRow), count: width)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
    }
  }
}
