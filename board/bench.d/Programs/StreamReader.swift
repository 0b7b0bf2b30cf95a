// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg

/// The decoded content of the received video.
struct Stream {
  /// The number that each frame shows, in the order of arrival; `nil` if it cannot be read.
  var numbers: [Int?] = []
  /// The options that x264 writes into an SEI message (H.264 annex D.2.7).
  var settings = ""

  /// Decodes all frames, which takes seconds. Call it after the measurement.
  init(_ arrivals: [Arrival]) throws {
    let pictures = arrivals.filter { $0.kind == .picture }
    settings = Stream.settings(pictures.first?.bytes ?? [])
    guard let codec = unsafe avcodec_find_decoder(AV_CODEC_ID_H264),
      let decoder = unsafe avcodec_alloc_context3(codec), let frame = unsafe av_frame_alloc(),
      let packet = unsafe av_packet_alloc()
    else { throw Child.FailedError(description: "libavcodec has no H.264 decoder") }
    defer {
      var (decoder, frame, packet) = unsafe (
        Optional(decoder), Optional(frame), Optional(packet)
      )
      unsafe avcodec_free_context(&decoder)
      unsafe av_frame_free(&frame)
      unsafe av_packet_free(&packet)
    }
    onair_av_be_quiet()
    // The decoder returns each frame at once.
    unsafe decoder.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    unsafe decoder.pointee.thread_count = 1
    if let header = arrivals.first(where: { $0.kind == .videoHeader })?.bytes {
      let room = unsafe av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
      unsafe room?.copyMemory(from: header, byteCount: header.count)
      unsafe decoder.pointee.extradata = room?.assumingMemoryBound(to: UInt8.self)
      unsafe decoder.pointee.extradata_size = Int32(header.count)
    }
    guard unsafe avcodec_open2(decoder, codec, nil) == 0 else {
      throw Child.FailedError(description: "the H.264 decoder does not open")
    }
    numbers = [Int?](repeating: nil, count: pictures.count)
    for (index, picture) in pictures.enumerated() {
      guard unsafe av_new_packet(packet, Int32(picture.bytes.count)) == 0 else { continue }
      unsafe UnsafeMutableRawBufferPointer(
        start: packet.pointee.data, count: picture.bytes.count
      ).copyBytes(from: picture.bytes)
      unsafe packet.pointee.pts = Int64(index)
      _ = unsafe avcodec_send_packet(decoder, packet)
      unsafe av_packet_unref(packet)
      unsafe read(decoder, frame)
    }
    _ = unsafe avcodec_send_packet(decoder, nil)
    unsafe read(decoder, frame)
  }

  private mutating func read(
    _ decoder: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>
  ) {
    while unsafe avcodec_receive_frame(decoder, frame) == 0 {
      let index = unsafe Int(frame.pointee.pts)
      if numbers.indices.contains(index), let luma = unsafe frame.pointee.data.0 {
        numbers[index] = unsafe FrameNumber.read(
          luma: luma, stride: Int(frame.pointee.linesize.0), width: Int(frame.pointee.width))
      }
      unsafe av_frame_unref(frame)
    }
  }

  private static func settings(_ bytes: [UInt8]) -> String {
    let mark = Array("x264 - core".utf8)
    guard
      let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) })
    else { return "" }
    return String(decoding: bytes[start...].prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
  }
}
