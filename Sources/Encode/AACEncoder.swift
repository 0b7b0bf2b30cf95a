// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Why sound could not be encoded.
public enum AACError: Error, Equatable {
  /// libavcodec was built without its AAC encoder.
  case missing
  /// The encoder refused channels or bit rate, or memory ran out.
  case notOpened
  /// A frame could not be encoded; libavcodec's error number.
  case failed(Int32)
}

/// AAC-LC by libavcodec, 48 kHz, 1,024 samples a frame. Used by one thread.
@safe public final class AACEncoder {
  /// Samples per channel in each frame, in and out.
  public static let frameSamples = 1024

  /// With the AudioSpecificConfig of ISO/IEC 14496-3.
  public let header: AudioHeader
  /// How many samples of silence the encoder puts before the first: a packet's time is that much
  /// before that of the samples it was made with.
  public let priming: Int

  private let channels: Int
  private let encoder: UnsafeMutablePointer<AVCodecContext>
  private let frame: UnsafeMutablePointer<AVFrame>
  private let packet: UnsafeMutablePointer<AVPacket>
  /// Samples given so far: the encoder's own clock.
  private var given: Int64 = 0
  /// What the encoder makes of silence, once it makes the same each time: it need not be asked again then.
  private var ofSilence: [UInt8] = []
  /// Blocks of silence in a row.
  private var silent = 0
  private static let silentEnough = 16
  /// The times of the newest frames given, the last first.
  private var times = (MediaTime.distantPast, MediaTime.distantPast, MediaTime.distantPast)

  /// - Parameters:
  ///   - channels: 1 or 2.
  ///   - bitrateKbps: of all channels together.
  public init(channels: Int, bitrateKbps: Int) throws(AACError) {
    onair_av_be_quiet()
    guard let codec = unsafe avcodec_find_encoder_by_name("aac") else { throw .missing }
    var context = unsafe avcodec_alloc_context3(codec)
    var frameMade = unsafe av_frame_alloc()
    var packetMade = unsafe av_packet_alloc()
    guard let encoder = unsafe context, let frame = unsafe frameMade,
      let packet = unsafe packetMade, (1...2).contains(channels),
      unsafe AACEncoder.open(encoder, codec, channels: channels, bitrateKbps: bitrateKbps),
      unsafe AACEncoder.prepare(frame, like: encoder)
    else {
      unsafe av_packet_free(&packetMade)
      unsafe av_frame_free(&frameMade)
      unsafe avcodec_free_context(&context)
      throw .notOpened
    }
    // As long as a frame may be (ISO/IEC 14496-3, 4.5.3.1).
    ofSilence.reserveCapacity(768 * channels)
    unsafe self.encoder = encoder
    unsafe self.frame = frame
    unsafe self.packet = packet
    self.channels = channels
    priming = Int(unsafe encoder.pointee.initial_padding)
    header = AudioHeader(
      audioSpecificConfig: unsafe Array(
        UnsafeBufferPointer(
          start: encoder.pointee.extradata, count: Int(encoder.pointee.extradata_size))),
      sampleRate: PCM.sampleRate, channels: channels, bitrateKbps: bitrateKbps)
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var encoder: UnsafeMutablePointer<AVCodecContext>? = unsafe self.encoder
    unsafe av_packet_free(&packet)
    unsafe av_frame_free(&frame)
    unsafe avcodec_free_context(&encoder)
  }

  private static func open(
    _ encoder: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>,
    channels: Int, bitrateKbps: Int
  ) -> Bool {
    unsafe encoder.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    unsafe encoder.pointee.sample_rate = Int32(PCM.sampleRate)
    unsafe encoder.pointee.time_base = AVRational(num: 1, den: Int32(PCM.sampleRate))
    unsafe encoder.pointee.bit_rate = Int64(bitrateKbps) * 1000
    unsafe av_channel_layout_default(&encoder.pointee.ch_layout, Int32(channels))
    // The header apart, as FLV wants it, and not in each frame.
    unsafe encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    return unsafe avcodec_open2(encoder, codec, nil) == 0
      && encoder.pointee.frame_size == Int32(frameSamples)
  }

  private static func prepare(
    _ frame: UnsafeMutablePointer<AVFrame>, like encoder: UnsafeMutablePointer<AVCodecContext>
  ) -> Bool {
    unsafe frame.pointee.format = encoder.pointee.sample_fmt.rawValue
    unsafe frame.pointee.sample_rate = encoder.pointee.sample_rate
    unsafe frame.pointee.nb_samples = encoder.pointee.frame_size
    guard
      unsafe av_channel_layout_copy(&frame.pointee.ch_layout, &encoder.pointee.ch_layout) == 0
    else { return false }
    return unsafe av_frame_get_buffer(frame, 0) == 0
  }

  /// Goes on at another bit rate, with the next frame: what a decoder needs to know stays the same.
  public func change(bitrateKbps: Int) {
    // The encoder reads it anew for each frame, and with it how much of the treble it keeps.
    unsafe encoder.pointee.bit_rate = Int64(bitrateKbps) * 1000
  }

  /// Encodes 1,024 samples of each channel. The first call gives no packet, each later one gives one.
  /// - Parameters:
  ///   - interleaved: 1,024 × channels samples, ±1.
  ///   - startsAt: the time of the first.
  ///   - emit: is lent each packet; its time is that of the first sample that a decoder makes of it.
  @unsafe public func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, emit: (Packet) -> Void
  ) throws(AACError) {
    let isSilent = unsafe UnsafeBufferPointer(
      start: interleaved, count: AACEncoder.frameSamples * channels
    ).allSatisfy { $0 == 0 }
    silent = isSilent ? silent + 1 : 0
    if silent > AACEncoder.silentEnough, !ofSilence.isEmpty {
      // The encoder's next block will follow silence, as it believes.
      times = (startsAt, times.0, times.1)
      unsafe ofSilence.withUnsafeBytes {
        unsafe emit(Packet(kind: .audio, time: times.2, bytes: $0))
      }
      return
    }
    let writable = unsafe av_frame_make_writable(frame)
    guard writable >= 0 else { throw .failed(writable) }
    for channel in 0..<channels {
      guard let plane = unsafe frame.pointee.extended_data[channel] else { throw .failed(0) }
      let samples = unsafe UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self)
      for index in 0..<AACEncoder.frameSamples {
        unsafe samples[index] = interleaved[index * channels + channel]
      }
    }
    unsafe frame.pointee.pts = given
    given += Int64(AACEncoder.frameSamples)
    times = (startsAt, times.0, times.1)
    let sent = unsafe avcodec_send_frame(encoder, frame)
    guard sent == 0 else { throw .failed(sent) }
    while true {
      let result = unsafe avcodec_receive_packet(encoder, packet)
      if result == onair_averror_again { return }
      guard result == 0 else { throw .failed(result) }
      defer { unsafe av_packet_unref(packet) }
      guard let data = unsafe packet.pointee.data else { continue }
      let bytes = unsafe UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size))
      if silent > 0 { unsafe learnSilence(bytes) }
      unsafe emit(
        Packet(kind: .audio, time: time(ofSample: packet.pointee.pts), bytes: bytes))
    }
  }

  /// Keeps what silence became if it is what the silence before it became.
  private func learnSilence(_ bytes: UnsafeRawBufferPointer) {
    if silent == AACEncoder.silentEnough - 1 {
      ofSilence.removeAll(keepingCapacity: true)
      unsafe ofSilence.append(contentsOf: bytes)
    } else if silent == AACEncoder.silentEnough, unsafe !ofSilence.elementsEqual(bytes) {
      ofSilence.removeAll(keepingCapacity: true)
    }
  }

  /// When a sample, counted as the encoder does, is heard.
  private func time(ofSample sample: Int64) -> MediaTime {
    // By the time that its own frame was given with, so that nothing adds up; the priming lies
    // before the first.
    let back = (given - Int64(AACEncoder.frameSamples) - sample) / Int64(AACEncoder.frameSamples)
    switch back {
    case 1 where times.1 > .distantPast: return times.1
    case 2 where times.2 > .distantPast: return times.2
    default:
      return times.0
        - PCM.nanos(frames: Int(given) - AACEncoder.frameSamples - Int(sample))
    }
  }
}
