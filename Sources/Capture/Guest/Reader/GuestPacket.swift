// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg

/// A packet of a guest, whose timestamps are continuous and in nanoseconds.
@safe final class GuestPacket: @unchecked Sendable {
  let packet: UnsafeMutablePointer<AVPacket>
  /// When it has to be decoded, as a time of the `GuestTimeline`.
  let time: Int64
  /// Whether the sender has stated its time.
  let isStamped: Bool
  var isKeyframe: Bool { unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  var byteCount: Int { unsafe Int(packet.pointee.size) }

  /// Takes the content of a packet, which is empty afterwards.
  /// - Parameter reorder: by how many nanoseconds it is shown later than it is decoded; `nil` if the sender has not
  ///   stated its time.
  init(taking other: UnsafeMutablePointer<AVPacket>, time: Int64, reorder: Int64?) {
    guard let packet = unsafe av_packet_alloc() else { fatalError("out of memory") }
    unsafe av_packet_move_ref(packet, other)
    unsafe packet.pointee.dts = time
    unsafe packet.pointee.pts = time + (reorder ?? 0)
    unsafe packet.pointee.duration = 0
    unsafe self.packet = packet
    self.time = time
    isStamped = reorder != nil
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    unsafe av_packet_free(&packet)
  }
}

/// What has to be known of a track to decode its packets.
@safe final class GuestTrack: @unchecked Sendable {
  let kind: GuestKind
  let parameters: UnsafeMutablePointer<AVCodecParameters>
  /// The frame rate that the container states; 0 for none.
  let frameRate: Double

  init?(_ kind: GuestKind, _ stream: UnsafePointer<AVStream>) {
    guard let parameters = unsafe avcodec_parameters_alloc() else { return nil }
    unsafe self.parameters = parameters
    self.kind = kind
    let rate = unsafe stream.pointee.avg_frame_rate
    frameRate = rate.num > 0 && rate.den > 0 ? Double(rate.num) / Double(rate.den) : 0
    guard unsafe avcodec_parameters_copy(parameters, stream.pointee.codecpar) >= 0 else {
      return nil
    }
  }

  deinit {
    var parameters: UnsafeMutablePointer<AVCodecParameters>? = unsafe self.parameters
    unsafe avcodec_parameters_free(&parameters)
  }

  var codec: AVCodecID { unsafe parameters.pointee.codec_id }
  var codecName: String { unsafe String(cString: avcodec_get_name(codec)) }

  var video: GuestTracks.Video {
    unsafe GuestTracks.Video(
      codec: codecName,
      size: PictureSize(
        width: Int(parameters.pointee.width), height: Int(parameters.pointee.height)),
      frameRate: frameRate)
  }

  var audio: GuestTracks.Audio {
    unsafe GuestTracks.Audio(
      codec: codecName, sampleRate: Int(parameters.pointee.sample_rate),
      channels: Int(parameters.pointee.ch_layout.nb_channels))
  }

  /// Why the track is not decoded: the name of its codec, or its size if that is too large; `nil` if it is decoded.
  var obstacle: String? {
    guard isSupported else { return codecName }
    let size = video.size
    let isTooLarge =
      kind == .video && Int64(size.width) * Int64(size.height) > GuestDecoder.maxPixels
    return isTooLarge ? "\(size) is too large" : nil
  }

  /// The codecs that are decoded. The others are hardly ever sent live, and each decoder is a door for hostile data.
  var isSupported: Bool {
    switch codec {
    case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
      AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG:
      kind == .video
    case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_OPUS, AV_CODEC_ID_MP2,
      AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_PCM_ALAW,
      AV_CODEC_ID_PCM_MULAW, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE:
      kind == .audio
    default: false
    }
  }
}

/// The decoder of a track. Used by one thread.
@safe final class GuestDecoder {
  /// The most bytes that the frames of a decoder take together. H.264 keeps up to 16 frames as references: these are 18
  /// of 2560x1440.
  static let frameMemory: Int64 = 100 << 20
  /// The most pixels of a frame.
  static let maxPixels: Int64 = 2560 * 1440

  let track: GuestTrack
  /// The frame that `receive` has decoded last. Its timestamps are in nanoseconds.
  let frame: UnsafeMutablePointer<AVFrame>
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let memory: UnsafeMutablePointer<onair_frame_memory>

  /// - Returns: `nil` if there is no decoder for the track.
  init?(_ track: GuestTrack) {
    guard track.isSupported, let codec = unsafe avcodec_find_decoder(track.codec),
      let frame = unsafe av_frame_alloc(),
      let memory = unsafe onair_frame_memory_alloc(GuestDecoder.frameMemory)
    else { return nil }
    guard let context = unsafe avcodec_alloc_context3(codec) else { fatalError("out of memory") }
    self.track = track
    unsafe self.frame = frame
    unsafe self.memory = memory
    unsafe self.context = context
    unsafe avcodec_parameters_to_context(context, track.parameters)
    unsafe context.pointee.pkt_timebase = AVRational(num: 1, den: 1_000_000_000)
    unsafe context.pointee.max_pixels = GuestDecoder.maxPixels
    unsafe context.pointee.thread_count = 1
    unsafe onair_bound_frames(context, memory)
    guard unsafe avcodec_open2(context, codec, nil) == 0 else { return nil }
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe self.context
    unsafe av_frame_free(&frame)
    unsafe avcodec_free_context(&context)
    // Last, because the decoder's frames use it.
    unsafe free(memory)
  }

  /// Gives a packet to the decoder; `nil` for none any more, so that it gives all frames that it still has.
  func send(_ packet: GuestPacket?) { _ = unsafe avcodec_send_packet(context, packet?.packet) }

  /// Decodes the next frame into `frame`.
  /// - Returns: `false` if the decoder needs a packet first, or has no frames any more.
  func receive() -> Bool {
    // What is damaged is left out: the frame after it may be whole.
    for _ in 0..<8 {
      let result = unsafe avcodec_receive_frame(context, frame)
      if result == 0 { return true }
      if result == onair_averror_again || result == onair_averror_eof { return false }
    }
    return false
  }

  /// The time of the decoded frame; `nil` if it has none.
  var time: Int64? {
    let time = unsafe frame.pointee.best_effort_timestamp
    return time == onair_av_nopts ? nil : time
  }

  /// Forgets all packets, so that decoding can begin at another keyframe.
  func flush() { unsafe avcodec_flush_buffers(context) }
}
