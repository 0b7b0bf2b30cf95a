// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFFmpeg
internal import CSamples
public import Media

/// Encodes AAC-LC with libavcodec, in blocks of 1,024 samples per channel at the encoded rate. Used by one thread.
@safe public final class AACEncoder: AudioEncoder {
  /// Samples per channel in each packet, at the encoded rate.
  static let frameSamples = 1024
  /// A bit rate below this is only for an encoder that was opened with one.
  private static let usualKbps = 32

  /// Samples per channel in each block, at 48 kHz.
  public var blockFrames: Int { AACEncoder.frameSamples * ratio }
  /// The longest delay in blocks: the encoder holds back two blocks, and inserts one silent block before the first.
  public var heldBlocks: Int { 3 }
  /// The format of the packets, with the decoder configuration.
  public let header: AudioHeader
  /// How many samples of silence per channel the encoder inserts before the first sample.
  public let priming: Int

  /// The number of channels, 1 or 2.
  private let channels: Int
  /// 48 kHz divided by the encoded rate.
  private let ratio: Int
  /// `nil` for 48 kHz.
  private let decimator: Decimator?
  /// The encoder of libavcodec.
  private let encoder: UnsafeMutablePointer<AVCodecContext>
  /// The samples of the block that is being encoded, one plane for each channel.
  private let frame: UnsafeMutablePointer<AVFrame>
  /// The packet that libavcodec has returned last.
  private let packet: UnsafeMutablePointer<AVPacket>
  /// Samples per channel encoded so far, which is the timestamp of the next block for libavcodec.
  private var encodedSamples: Int64 = 0
  /// The packet that is emitted for a silent block in place of encoding the block; empty until the encoder has made the
  /// same packet from two silent blocks in a row.
  private var silencePacket: [UInt8] = []
  /// How many consecutive blocks up to the present one were silent.
  private var silentBlocks = 0
  /// The most consecutive silent blocks that are encoded. For each further one `silencePacket` is emitted.
  private static let maxEncodedSilence = 16
  /// The time and the scene number (`Packet.scene`) of a block of samples. Packets that are still to come may contain
  /// samples of the block.
  private struct Block {
    var startsAt = MediaTime.distantPast
    var scene: UInt32 = 0
  }
  /// The last three blocks, the newest first.
  private var blocks = (Block(), Block(), Block())

  public init(_ format: AudioFormat) throws(AudioEncoderError) {
    let (channels, bitrateKbps) = (format.channels, format.bitrateKbps)
    let sampleRate = format.sampleRate
    guard sampleRate > 0, PCM.sampleRate.isMultiple(of: sampleRate) else { throw .notOpened }
    onair_av_be_quiet()
    guard let codec = unsafe avcodec_find_encoder_by_name("aac") else { throw .missing }
    var context = unsafe avcodec_alloc_context3(codec)
    var frameMade = unsafe av_frame_alloc()
    var packetMade = unsafe av_packet_alloc()
    guard let encoder = unsafe context, let frame = unsafe frameMade,
      let packet = unsafe packetMade, (1...2).contains(channels),
      unsafe AACEncoder.open(encoder, codec, format),
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
    ratio = PCM.sampleRate / sampleRate
    decimator =
      ratio == 1
      ? nil
      : Decimator(ratio: ratio, channels: channels, outputFrames: AACEncoder.frameSamples)
    priming = Int(unsafe encoder.pointee.initial_padding)
    header = AudioHeader(
      audioSpecificConfig: unsafe Array(
        UnsafeBufferPointer(
          start: encoder.pointee.extradata, count: Int(encoder.pointee.extradata_size))),
      sampleRate: sampleRate, channels: channels, bitrateKbps: bitrateKbps)
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var encoder: UnsafeMutablePointer<AVCodecContext>? = unsafe self.encoder
    unsafe av_packet_free(&packet)
    unsafe av_frame_free(&frame)
    unsafe avcodec_free_context(&encoder)
  }

  /// Sets the format and opens the encoder. Returns whether that succeeded.
  private static func open(
    _ encoder: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>,
    _ format: AudioFormat
  ) -> Bool {
    unsafe encoder.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    unsafe encoder.pointee.sample_rate = Int32(format.sampleRate)
    unsafe encoder.pointee.time_base = AVRational(num: 1, den: Int32(format.sampleRate))
    unsafe encoder.pointee.bit_rate = Int64(format.bitrateKbps) * 1000
    unsafe av_channel_layout_default(&encoder.pointee.ch_layout, Int32(format.channels))
    // FLV needs the header separately, not in each packet.
    unsafe encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    return unsafe avcodec_open2(encoder, codec, nil) == 0
      && encoder.pointee.frame_size == Int32(frameSamples)
  }

  /// Allocates the samples of a frame for one block of the encoder. Returns whether that succeeded.
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

  /// Changes the bit rate from the next block on.
  public func change(bitrateKbps: Int) {
    // libavcodec reads the bit rate for each block, and derives the audio bandwidth from it.
    let least = min(AACEncoder.usualKbps, header.bitrateKbps)
    unsafe encoder.pointee.bit_rate = Int64(max(least, bitrateKbps)) * 1000
  }

  /// Encodes a block. The first call emits no packet; each later call emits one.
  @unsafe public func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32,
    emit: (Packet) -> Void
  ) throws(AudioEncoderError) {
    let isSilent = unsafe UnsafeBufferPointer(
      start: interleaved, count: blockFrames * channels
    ).allSatisfy { $0 == 0 }
    silentBlocks = isSilent ? silentBlocks + 1 : 0
    let startsAt = startsAt - PCM.nanos(frames: decimator?.delayFrames ?? 0)
    if silentBlocks > AACEncoder.maxEncodedSilence, !silencePacket.isEmpty {
      // Emit `silencePacket` instead of encoding this silent block. The last encoded block was silent, too, so
      // the next encoded block still follows silence.
      add(Block(startsAt: startsAt, scene: scene))
      unsafe silencePacket.withUnsafeBytes {
        unsafe emit(
          Packet(kind: .audio, time: blocks.2.startsAt, scene: blocks.2.scene, bytes: $0))
      }
      return
    }
    let writable = unsafe av_frame_make_writable(frame)
    guard writable >= 0 else { throw .failed(writable) }
    unsafe decimator?.put(interleaved, frames: blockFrames)
    for channel in 0..<channels {
      guard let plane = unsafe frame.pointee.extended_data[channel] else { throw .failed(0) }
      let samples = unsafe UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self)
      if let decimator {
        unsafe decimator.read(channel: channel, into: samples, frames: AACEncoder.frameSamples)
        continue
      }
      if channels == 1 {
        unsafe samples.update(from: interleaved, count: AACEncoder.frameSamples)
      } else {
        unsafe onair_samples_of_channel(samples, interleaved + channel, AACEncoder.frameSamples)
      }
    }
    unsafe frame.pointee.pts = encodedSamples
    encodedSamples += Int64(AACEncoder.frameSamples)
    add(Block(startsAt: startsAt, scene: scene))
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
      // A packet holds the samples of two blocks, and gets the time and the scene of the older one.
      let first = unsafe block(ofSample: packet.pointee.pts)
      unsafe emit(Packet(kind: .audio, time: first.startsAt, scene: first.scene, bytes: bytes))
    }
  }

  /// Sets `silencePacket` if the last two of the `maxEncodedSilence` encoded silent blocks gave the same packet.
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

  /// Adds the newest block to `blocks`, which loses the oldest one.
  private func add(_ block: Block) { blocks = (block, blocks.0, blocks.1) }

  /// The time and the scene of the block that begins with a sample.
  /// - Parameter sample: the sample's number in the encoder's output (its pts).
  private func block(ofSample sample: Int64) -> Block {
    // `back` is the number of blocks from the newest block back to the block of the sample. The result has that block's
    // own time, so that no rounding errors accumulate. The priming samples precede the first block.
    let back =
      (encodedSamples - Int64(AACEncoder.frameSamples) - sample) / Int64(AACEncoder.frameSamples)
    switch back {
    case 1 where blocks.1.startsAt > .distantPast: return blocks.1
    case 2 where blocks.2.startsAt > .distantPast: return blocks.2
    default:
      let known = blocks.2.startsAt > .distantPast ? blocks.2 : blocks.1
      return Block(
        startsAt: blocks.0.startsAt
          - PCM.nanos(
            frames: (Int(encodedSamples) - AACEncoder.frameSamples - Int(sample)) * ratio),
        scene: (known.startsAt > .distantPast ? known : blocks.0).scene)
    }
  }
}
