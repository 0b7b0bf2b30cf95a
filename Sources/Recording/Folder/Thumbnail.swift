// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import CTurboJPEG

/// Makes a small JPEG of a keyframe.
enum Thumbnail {
  /// The width in pixels. The height follows from the picture's.
  static let width: Int32 = 320
  /// The JPEG quality on TurboJPEG's scale from 1 to 100.
  private static let quality: Int32 = 80
  /// The most memory for decoded frames, in bytes: a damaged parameter set may name any size.
  private static let mostFrameBytes: Int64 = 64 << 20

  /// Decodes a keyframe, and scales it.
  /// - Parameters:
  ///   - keyframe: NAL units, each preceded by its length in 4 bytes.
  ///   - avcConfiguration: the AVCDecoderConfigurationRecord.
  /// - Returns: `nil` if the keyframe cannot be decoded.
  static func jpeg(ofKeyframe keyframe: [UInt8], avcConfiguration: [UInt8]) -> [UInt8]? {
    onair_av_be_quiet()
    guard let memory = unsafe onair_frame_memory_alloc(mostFrameBytes) else { return nil }
    defer { unsafe free(memory) }
    var context = unsafe avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))
    var frame = unsafe av_frame_alloc()
    var packet = unsafe av_packet_alloc()
    defer {
      unsafe av_packet_free(&packet)
      unsafe av_frame_free(&frame)
      unsafe avcodec_free_context(&context)
    }
    guard let decoder = unsafe context, let decoded = unsafe frame, let sent = unsafe packet,
      let extra = unsafe av_mallocz(avcConfiguration.count + padding)
    else { return nil }
    unsafe extra.copyMemory(from: avcConfiguration, byteCount: avcConfiguration.count)
    unsafe decoder.pointee.extradata = extra.assumingMemoryBound(to: UInt8.self)
    unsafe decoder.pointee.extradata_size = Int32(avcConfiguration.count)
    unsafe decoder.pointee.thread_count = 1
    unsafe onair_bound_frames(decoder, memory)
    guard unsafe avcodec_open2(decoder, nil, nil) == 0,
      unsafe av_new_packet(sent, Int32(keyframe.count)) == 0
    else { return nil }
    unsafe sent.pointee.data.update(from: keyframe, count: keyframe.count)
    guard unsafe avcodec_send_packet(decoder, sent) == 0,
      unsafe avcodec_send_packet(decoder, nil) == 0,
      unsafe avcodec_receive_frame(decoder, decoded) == 0
    else { return nil }
    return unsafe jpeg(of: decoded)
  }

  /// AV_INPUT_BUFFER_PADDING_SIZE: bytes that libavcodec may read beyond the end.
  private static let padding = 64

  /// Scales a frame and encodes it.
  private static func jpeg(of frame: UnsafeMutablePointer<AVFrame>) -> [UInt8]? {
    let (fullWidth, fullHeight) = unsafe (frame.pointee.width, frame.pointee.height)
    guard fullWidth > 0, fullHeight > 0 else { return nil }
    let height = max(2, min(width * 4, fullHeight * width / fullWidth))
    let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
    let scaler = unsafe sws_getContext(
      fullWidth, fullHeight, format, width, height, AV_PIX_FMT_RGB24, SWS_AREA, nil, nil, nil)
    guard let scaler = unsafe scaler else { return nil }
    defer { unsafe sws_freeContext(scaler) }
    // Replace the colour matrix 2 (unspecified) by 1 (BT.709); libswscale numbers the matrices as H.273 does.
    let matrix = unsafe Int32(frame.pointee.colorspace.rawValue)
    let isFull =
      unsafe frame.pointee.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
    unsafe onair_sws_set_colour(scaler, matrix == 2 ? 1 : matrix, isFull ? 1 : 0, 1, 1)
    // Vector instructions may write a little beyond the last row.
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(width * height) * 3 + padding)
    defer { unsafe pixels.deallocate() }
    guard
      unsafe onair_sws_scale(scaler, frame, fullHeight, pixels, nil, nil, width * 3, 0) == height
    else { return nil }
    let compressor = unsafe tjInitCompress()
    defer { unsafe tjDestroy(compressor) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { unsafe tjFree(memory) }
    let status = unsafe tjCompress2(
      compressor, pixels, width, width * 3, height, Int32(TJPF_RGB.rawValue), &memory, &count,
      Int32(TJSAMP_420.rawValue), quality, 0)
    guard status == 0, let start = unsafe memory else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
