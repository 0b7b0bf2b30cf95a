// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Encode
import Glibc
import Media
import Testing

@Suite struct AACEncoderTests {
  /// Encodes `frames` × 1,024 samples from `sample`. Returns the packets and their times.
  private func encode(
    channels: Int, kbps: Int = 128, frames: Int, at start: MediaTime,
    sample: (_ index: Int, _ channel: Int) -> Float
  ) throws -> (header: AudioHeader, packets: [(time: MediaTime, bytes: [UInt8])]) {
    let encoder = try AACEncoder(AudioFormat(channels: channels, bitrateKbps: kbps))
    var packets: [(time: MediaTime, bytes: [UInt8])] = []
    var input = [Float](repeating: 0, count: 1024 * channels)
    for frame in 0..<frames {
      for index in 0..<1024 {
        for channel in 0..<channels {
          input[index * channels + channel] = sample(frame * 1024 + index, channel)
        }
      }
      try unsafe input.withUnsafeBufferPointer { buffer throws(AudioEncoderError) in
        guard let samples = buffer.baseAddress else { return }
        try unsafe encoder.encode(
          samples, startsAt: start + PCM.nanos(frames: frame * 1024), scene: 0
        ) {
          #expect($0.kind == .audio)
          unsafe packets.append(($0.time, Array($0.bytes)))
        }
      }
    }
    return (encoder.header, packets)
  }

  /// Decodes with libavcodec. The result starts with the priming.
  private func decode(_ packets: [[UInt8]], header: AudioHeader) throws -> [[Float]] {
    let codec = try unsafe #require(avcodec_find_decoder_by_name("aac"))
    let context = try unsafe #require(avcodec_alloc_context3(codec))
    let frame = try unsafe #require(av_frame_alloc())
    let packet = try unsafe #require(av_packet_alloc())
    let config = header.audioSpecificConfig
    let extra = try unsafe #require(av_mallocz(config.count + 64))
    unsafe extra.copyMemory(from: config, byteCount: config.count)
    unsafe context.pointee.extradata = extra.assumingMemoryBound(to: UInt8.self)
    unsafe context.pointee.extradata_size = Int32(config.count)
    #expect(unsafe avcodec_open2(context, codec, nil) == 0)
    var output = [[Float]](repeating: [], count: header.channels)
    for bytes in packets {
      unsafe av_new_packet(packet, Int32(bytes.count))
      unsafe packet.pointee.data.update(from: bytes, count: bytes.count)
      #expect(unsafe avcodec_send_packet(context, packet) == 0)
      unsafe av_packet_unref(packet)
      while unsafe avcodec_receive_frame(context, frame) == 0 {
        for channel in 0..<header.channels {
          let plane = try unsafe #require(frame.pointee.extended_data[channel])
          let samples = unsafe UnsafeRawPointer(plane).assumingMemoryBound(to: Float.self)
          unsafe output[channel].append(
            contentsOf: UnsafeBufferPointer(
              start: samples, count: Int(frame.pointee.nb_samples)))
        }
      }
    }
    return output
  }

  private func peak(_ samples: [Float]) -> Int {
    samples.indices.max { abs(samples[$0]) < abs(samples[$1]) } ?? -1
  }

  @Test(arguments: [1, 2]) func theBitRateCanBeChanged(channels: Int) throws {
    let encoder = try AACEncoder(AudioFormat(channels: channels, bitrateKbps: 128))
    var noise: UInt32 = 1
    var input = [Float](repeating: 0, count: 1024 * channels)
    func kbps() throws -> Double {
      var bytes = 0
      for _ in 0..<200 {
        for index in input.indices {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          input[index] = Float(noise >> 16) / 65_536 - 0.5
        }
        try unsafe input.withUnsafeBufferPointer { buffer throws(AudioEncoderError) in
          guard let samples = buffer.baseAddress else { return }
          try unsafe encoder.encode(samples, startsAt: .now(), scene: 0) {
            bytes += unsafe $0.bytes.count
          }
        }
      }
      return Double(bytes) * 8 / (200 * 1_024 / 48_000) / 1_000
    }
    _ = try kbps()
    #expect((110...145).contains(try kbps()))
    encoder.change(bitrateKbps: 32)
    _ = try kbps()
    #expect((26...37).contains(try kbps()))
    encoder.change(bitrateKbps: 128)
    _ = try kbps()
    #expect((110...145).contains(try kbps()))
  }

  @Test(arguments: [1, 2]) func theHeaderStatesAACLowComplexity(channels: Int) throws {
    let encoder = try AACEncoder(AudioFormat(channels: channels, bitrateKbps: 128))
    // ISO/IEC 14496-3, 1.6.2.1: object type 2, frequency index 3 (48 kHz), the channels.
    let config = encoder.header.audioSpecificConfig
    #expect(config.count >= 2)
    #expect(config[0] == 2 << 3 | 3 >> 1)
    #expect(config[1] & 0xF8 == UInt8((3 & 1) << 7 | channels << 3))
    #expect(encoder.priming == 1024)
  }

  @Test(arguments: [1, 2]) func anImpulseKeepsItsTime(channels: Int) throws {
    let start = MediaTime(nanos: 5_000_000_000)
    let impulses = [20_000, 47_123]
    let (header, packets) = try encode(channels: channels, frames: 60, at: start) { index, _ in
      impulses.contains(index) ? 0.9 : 0
    }
    let output = try decode(packets.map(\.bytes), header: header)
    let first = try #require(packets.first).time
    #expect(start - first == PCM.nanos(frames: 1024))
    for channel in 0..<channels {
      for impulse in impulses {
        let around = output[channel].indices.filter { abs($0 - 1024 - impulse) < 2000 }
        let found = peak(around.map { output[channel][$0] }) + (around.first ?? 0)
        // The time at which a player plays it, against its capture time.
        let error = (first + PCM.nanos(frames: found)) - (start + PCM.nanos(frames: impulse))
        #expect(abs(error) <= PCM.nanos(frames: 1), "off by \(error) ns")
      }
    }
  }

  /// At a lower rate, a click keeps its time, and what such a rate cannot carry is not folded into what it can.
  @Test(arguments: [(16_000, 1), (8_000, 1), (16_000, 2)])
  func aLowerRateKeepsTimesAndFoldsNothing(rate: Int, channels: Int) throws {
    let ratio = 48_000 / rate
    let format = AudioFormat(channels: channels, bitrateKbps: 64, sampleRate: rate)
    func run(_ sample: (Int) -> Float) throws -> (first: MediaTime, output: [[Float]]) {
      let encoder = try AACEncoder(format)
      #expect(encoder.blockFrames == 1_024 * ratio && encoder.header.sampleRate == rate)
      var packets: [(time: MediaTime, bytes: [UInt8])] = []
      for block in 0..<30 {
        var input: [Float] = []
        for index in 0..<encoder.blockFrames {
          let value = sample(block * encoder.blockFrames + index)
          input += Array(repeating: value, count: channels)
        }
        try unsafe encoder.encode(
          input, startsAt: MediaTime(nanos: 0) + PCM.nanos(frames: block * encoder.blockFrames),
          scene: 0
        ) { unsafe packets.append(($0.time, Array($0.bytes))) }
      }
      let first = try #require(packets.first).time
      return (first, try decode(packets.map(\.bytes), header: encoder.header))
    }
    // A hump of 1 ms in the middle.
    let middle = 15 * 1_024 * ratio + 333
    let hump = try run { 0.5 * Float(exp(-pow(Double($0 - middle) / 48, 2))) }
    for samples in hump.output {
      let heard = hump.first + PCM.nanos(frames: peak(samples) * ratio)
      let error = abs(heard - (MediaTime(nanos: 0) + PCM.nanos(frames: middle)))
      #expect(error <= PCM.nanos(frames: ratio), "off by \(error) ns")
    }
    func level(_ samples: [Float]) -> Float { samples.dropFirst(8_192).map(abs).max() ?? 0 }
    func tone(_ hertz: Double) throws -> Float {
      level(try run { 0.5 * Float(sin(2 * Double.pi * hertz * Double($0) / 48_000)) }.output[0])
    }
    #expect(try abs(tone(Double(rate) * 0.2) - 0.5) < 0.06)
    #expect(try tone(Double(rate) * 0.7) < 0.005)
  }

  /// Below 32 kbit/s sound needs a lower rate: an encoder that is open stays above.
  @Test func aVeryLowBitRateIsForAnEncoderThatWasOpenedWithOne() throws {
    var noise: UInt32 = 1
    func kbps(_ encoder: AACEncoder) throws -> Double {
      var (bytes, frames) = (0, 0)
      for _ in 0..<100 {
        let input = (0..<encoder.blockFrames).map { _ -> Float in
          noise = noise &* 1_664_525 &+ 1_013_904_223
          return (Float(noise >> 16) / 65_536 - 0.5) / 4
        }
        frames += encoder.blockFrames
        try unsafe encoder.encode(input, startsAt: .now(), scene: 0) {
          bytes += unsafe $0.bytes.count
        }
      }
      return Double(bytes) * 8 / (Double(frames) / 48_000) / 1_000
    }
    let usual = try AACEncoder(AudioFormat(channels: 1, bitrateKbps: 64))
    usual.change(bitrateKbps: 12)
    _ = try kbps(usual)
    #expect((26...37).contains(try kbps(usual)))
    let low = try AACEncoder(AudioFormat(channels: 1, bitrateKbps: 12, sampleRate: 8_000))
    _ = try kbps(low)
    #expect((9...15).contains(try kbps(low)))
  }

  @Test func packetsHaveTheTimesOfTheirBlocks() throws {
    let encoder = try AACEncoder(AudioFormat(channels: 1, bitrateKbps: 64))
    var given: [MediaTime] = []
    var times: [MediaTime] = []
    var scenes: [UInt32] = []
    for frame in 0..<50 {
      // The caller's clock differs from the sample count by 300 ppm.
      given.append(MediaTime(nanos: Int64(Double(frame) * 21_333_333 * 1.0003)))
      // From the thirtieth block on it is silent, and a packet is reused.
      let input = [Float](repeating: frame < 30 ? 0.01 : 0, count: 1024)
      try unsafe input.withUnsafeBufferPointer { buffer throws(AudioEncoderError) in
        guard let samples = buffer.baseAddress else { return }
        try unsafe encoder.encode(
          samples, startsAt: given[frame], scene: UInt32(frame / 7)
        ) {
          times.append($0.time)
          scenes.append($0.scene)
        }
      }
    }
    #expect(times.count == 49)
    #expect(Array(times.dropFirst()) == Array(given.prefix(48)))
    let wanted: [UInt32] = (0..<48).map { UInt32($0 / 7) }
    #expect(scenes.first == 0 && Array(scenes.dropFirst()) == wanted)
  }

  /// The packet for silence is reused, which must affect neither the times nor the audio after it.
  @Test(arguments: [1, 2]) func anImpulseAfterLongSilenceKeepsItsTime(channels: Int) throws {
    let start = MediaTime(nanos: 5_000_000_000)
    let places = [60 * 1024 + 300, 61 * 1024 + 700, 140 * 1024 + 500]
    let (header, packets) = try encode(channels: channels, frames: 200, at: start) { index, _ in
      places.contains(index) ? 0.8 : 0
    }
    #expect(packets.count == 199)
    for (index, packet) in packets.enumerated() {
      #expect(packet.time == start + PCM.nanos(frames: (index - 1) * 1024))
    }
    #expect(Set(packets[30..<58].map(\.bytes)).count == 1)
    let decoded = try decode(packets.map(\.bytes), header: header)
    for channel in decoded {
      for place in places {
        // The priming is before the first sample.
        let near = place + 1024 - 200..<place + 1024 + 200
        let loudest = near.max { abs(channel[$0]) < abs(channel[$1]) }
        #expect(abs((loudest ?? 0) - place - 1024) <= 1)
      }
      #expect(channel[40 * 1024..<58 * 1024].allSatisfy { abs($0) < 1e-4 })
      #expect(channel[100 * 1024..<138 * 1024].allSatisfy { abs($0) < 1e-4 })
    }
  }

  @Test func theBitRateIsNearTheRequestedOne() throws {
    var state: UInt32 = 1
    let (_, packets) = try encode(channels: 2, kbps: 128, frames: 200, at: MediaTime(nanos: 0)) {
      _, _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 8) / Float(1 << 24) - 0.5
    }
    let bytes = packets.reduce(0) { $0 + $1.bytes.count }
    let kbps = Double(bytes) * 8 / (Double(packets.count) * 1024 / 48_000) / 1000
    #expect((115...141).contains(kbps))
  }

  @Test func unsupportedChannelsAreRefused() {
    #expect(throws: AudioEncoderError.notOpened) {
      try AACEncoder(AudioFormat(channels: 3, bitrateKbps: 128))
    }
    #expect(throws: AudioEncoderError.notOpened) {
      try AACEncoder(AudioFormat(channels: 0, bitrateKbps: 128))
    }
  }
}
