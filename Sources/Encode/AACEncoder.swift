// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Why audio could not be encoded.
public enum AACError: Error, Equatable {
  /// libavcodec was built without its AAC encoder.
  case missing
  /// The encoder refused the channels or the bit rate, or is out of memory.
  case notOpened
  /// A block could not be encoded; libavcodec's error number.
  case failed(Int32)
}

/// Encodes AAC-LC with libavcodec: 48 kHz, 1,024 samples per block. Used by one thread.
@safe public final class AACEncoder {
  /// Samples per channel in each block and each packet.
  public static let frameSamples = 1024

  public let header: AudioHeader
  /// How many samples of silence the encoder inserts before the first sample. A packet's time is that much earlier than
  /// the time of the block that completed it.
  public let priming: Int

  private let channels: Int
  private let encoder: UnsafeMutablePointer<AVCodecContext>
  private let frame: UnsafeMutablePointer<AVFrame>
  private let packet: UnsafeMutablePointer<AVPacket>
  /// Samples encoded so far, which are the encoder's clock.
  private var encodedSamples: Int64 = 0
  /// The packet for silence, once the encoder produces the same one repeatedly. It is then reused without encoding.
  private var silencePacket: [UInt8] = []
  /// Consecutive blocks of silence.
  private var silentBlocks = 0
  /// After this many, `silencePacket` is used.
  private static let maxEncodedSilence = 16
  /// The times of the last three blocks, the newest first.
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
    // The maximum size of a packet (ISO/IEC 14496-3, 4.5.3.1).
    silencePacket.reserveCapacity(768 * channels)
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
    // FLV needs the header separately, not in each packet.
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

  /// Changes the bit rate from the next block on. The header stays valid.
  public func change(bitrateKbps: Int) {
    // The encoder reads it for each block, and chooses its bandwidth by it.
    unsafe encoder.pointee.bit_rate = Int64(bitrateKbps) * 1000
  }

  /// Encodes a block of 1,024 samples per channel. The first call emits no packet, each later one emits one.
  /// - Parameters:
  ///   - interleaved: 1,024 × channels samples, ±1.
  ///   - startsAt: the time of the first sample.
  ///   - emit: receives the packet, valid during the call. Its time is that of the first sample decoded from it.
  @unsafe public func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, emit: (Packet) -> Void
  ) throws(AACError) {
    let isSilent = unsafe UnsafeBufferPointer(
      start: interleaved, count: AACEncoder.frameSamples * channels
    ).allSatisfy { $0 == 0 }
    silentBlocks = isSilent ? silentBlocks + 1 : 0
    if silentBlocks > AACEncoder.maxEncodedSilence, !silencePacket.isEmpty {
      // The encoder does not see this block. The next one that it sees follows silence, as before.
      times = (startsAt, times.0, times.1)
      unsafe silencePacket.withUnsafeBytes {
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
    unsafe frame.pointee.pts = encodedSamples
    encodedSamples += Int64(AACEncoder.frameSamples)
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
      if silentBlocks > 0 { unsafe learnSilence(bytes) }
      unsafe emit(
        Packet(kind: .audio, time: time(ofSample: packet.pointee.pts), bytes: bytes))
    }
  }

  /// Keeps the packet of a silent block if it equals the packet before it.
  private func learnSilence(_ bytes: UnsafeRawBufferPointer) {
    if silentBlocks == AACEncoder.maxEncodedSilence - 1 {
      silencePacket.removeAll(keepingCapacity: true)
      unsafe silencePacket.append(contentsOf: bytes)
    } else if silentBlocks == AACEncoder.maxEncodedSilence,
      unsafe !silencePacket.elementsEqual(bytes)
    {
      silencePacket.removeAll(keepingCapacity: true)
    }
  }

  /// The time of a sample that the encoder has numbered.
  private func time(ofSample sample: Int64) -> MediaTime {
    // The time of its own block, so that no error accumulates. The priming is before the first block.
    let back =
      (encodedSamples - Int64(AACEncoder.frameSamples) - sample) / Int64(AACEncoder.frameSamples)
    switch back {
    case 1 where times.1 > .distantPast: return times.1
    case 2 where times.2 > .distantPast: return times.2
    default:
      return times.0
        - PCM.nanos(frames: Int(encodedSamples) - AACEncoder.frameSamples - Int(sample))
    }
  }
}
