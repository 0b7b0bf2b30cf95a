// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Encode

struct X264EncoderTests {
  static let size = PictureSize(width: 320, height: 180)

  static func format(
    speed: EncoderSpeed? = .veryfast, kbps: Int = 500, colour: Colour = .bt709
  ) -> VideoFormat {
    VideoFormat(
      size: size, framesPerSecond: 30, bitrateKbps: kbps, speed: speed, colour: colour)
  }

  /// Encodes moving noise; each packet's kind and bytes.
  static func encode(
    _ encoder: X264Encoder, frames: Int, keyAt: Set<Int> = [0], introducedAt: Set<Int> = [0]
  ) throws -> [(kind: PacketKind, time: MediaTime, bytes: [UInt8])] {
    var picture = [UInt8](repeating: 128, count: size.width * size.height * 3 / 2)
    var packets: [(PacketKind, MediaTime, [UInt8])] = []
    var noise: UInt32 = 1
    for index in 0..<frames {
      for at in 0..<size.width * size.height {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        picture[at] = UInt8(truncatingIfNeeded: (at + index * 4) / 3) &+ UInt8(noise >> 28)
      }
      try unsafe picture.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        let planes = unsafe PlanarPicture(i420: base, bytesPerRow: size.width, size: size)
        let tag = FrameTag(
          scene: UInt32(index), time: MediaTime(nanos: Int64(index) * 33_333_333))
        try unsafe encoder.encode(
          planes, tag, key: keyAt.contains(index), introduced: introducedAt.contains(index)
        ) { frame in
          #expect(frame.tag == tag && frame.packet.scene == tag.scene)
          packets.append(
            (frame.packet.kind, frame.packet.time, unsafe Array(frame.packet.bytes)))
        }
      }
    }
    return packets.map { ($0.0, $0.1, $0.2) }
  }

  /// The types of the NAL units in a packet, checking that their lengths add up.
  static func unitTypes(_ bytes: [UInt8]) -> [UInt8] {
    var types: [UInt8] = []
    var at = 0
    while at + 4 < bytes.count {
      let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      types.append(bytes[at + 4] & 0x1F)
      at += 4 + length
    }
    #expect(at == bytes.count)
    return types
  }

  /// The bit rate and the frame rate change without a new encoder.
  @Test func theRateCanBeChanged() throws {
    let encoder = try X264Encoder(X264EncoderTests.format(kbps: 1_000))
    func kbps(seconds: Double) throws -> Double {
      let packets = try X264EncoderTests.encode(encoder, frames: 120, keyAt: [])
      return Double(packets.reduce(0) { $0 + $1.bytes.count }) * 0.008 / seconds
    }
    #expect((850...1_150).contains(try kbps(seconds: 4)))
    try encoder.change(VideoRate(bitrateKbps: 250))
    _ = try kbps(seconds: 4)
    #expect((210...290).contains(try kbps(seconds: 4)))
    // 120 frames at 15 frames/s are 8 s.
    try encoder.change(VideoRate(bitrateKbps: 250, frameStep: 2))
    _ = try kbps(seconds: 8)
    #expect((210...290).contains(try kbps(seconds: 8)))
    try encoder.change(VideoRate(bitrateKbps: 1_000))
    _ = try kbps(seconds: 4)
    // How fast it ramps up depends on the number of processors.
    #expect((750...1_250).contains(try kbps(seconds: 4)))
  }

  /// x264 takes a new rate with the next frame. What it then uses is read back.
  @Test func aNewRateIsReadBack() throws {
    let encoder = try X264Encoder(X264EncoderTests.format(kbps: 1_000))
    #expect(encoder.rate == VideoRate(bitrateKbps: 1_000))
    for rate in [VideoRate(bitrateKbps: 300), VideoRate(bitrateKbps: 700, frameStep: 3)] {
      try encoder.change(rate)
      _ = try X264EncoderTests.encode(encoder, frames: 1)
      #expect(encoder.rate == rate)
      #expect(encoder.takeRefusal() == nil)
    }
    // x264 keeps its rate and reports success: a buffer has to hold a frame, of which it gets 30 a second.
    try encoder.change(VideoRate(bitrateKbps: 200, frameStep: 60))
    _ = try X264EncoderTests.encode(encoder, frames: 1)
    #expect(
      encoder.takeRefusal() == .settingNotApplied(name: "vbv_bufsize", value: "400, not 200"))
    #expect(encoder.takeRefusal() == nil)
  }

  @Test(arguments: EncoderSpeed.allCases)
  func atEverySpeedEachFrameGivesOnePacket(speed: EncoderSpeed) throws {
    let encoder = try X264Encoder(X264EncoderTests.format(speed: speed))
    let packets = try X264EncoderTests.encode(encoder, frames: 6)
    #expect(packets.count == 6)
    #expect(packets.map(\.kind) == [.keyframe] + Array(repeating: .frame, count: 5))
    // First SPS, PPS, SEI and the slices of an IDR frame, then only slices.
    #expect(X264EncoderTests.unitTypes(packets[0].bytes).prefix(3) == [7, 8, 6])
    #expect(X264EncoderTests.unitTypes(packets[0].bytes).dropFirst(3).allSatisfy { $0 == 5 })
    #expect(X264EncoderTests.unitTypes(packets[1].bytes).allSatisfy { $0 == 1 })
  }

  /// A stream may start, and start again, long after the encoder's first frame.
  @Test func eachIntroducedKeyframeHasTheSettings() throws {
    let encoder = try X264Encoder(X264EncoderTests.format())
    let packets = try X264EncoderTests.encode(
      encoder, frames: 30, keyAt: [0, 10, 20], introducedAt: [10, 20])
    let introduced = packets.indices.filter {
      X264EncoderTests.unitTypes(packets[$0].bytes).contains(6)
    }
    #expect(introduced == [10, 20])
    for index in introduced {
      let text = String(decoding: packets[index].bytes, as: UTF8.self)
      #expect(text.contains("x264 - core"))
      #expect(X264EncoderTests.unitTypes(packets[index].bytes).dropFirst(3).allSatisfy { $0 == 5 })
    }
    #expect(X264EncoderTests.unitTypes(packets[0].bytes).prefix(3) == [7, 8, 5])
  }

  @Test func keyframesAreMadeOnlyOnRequest() throws {
    let encoder = try X264Encoder(X264EncoderTests.format())
    let packets = try X264EncoderTests.encode(encoder, frames: 400, keyAt: [0, 7, 8, 300])
    let keys = packets.indices.filter { packets[$0].kind == .keyframe }
    #expect(keys == [0, 7, 8, 300])
  }

  @Test func theBitRateIsHeld() throws {
    let encoder = try X264Encoder(X264EncoderTests.format(kbps: 400))
    let packets = try X264EncoderTests.encode(encoder, frames: 300, keyAt: [0, 60, 120, 180, 240])
    let kbps = packets.map(\.bytes.count).reduce(0, +) * 8 / 10 / 1000
    #expect((300...460).contains(kbps), "\(kbps) kbit/s of 400")
    // The VBV holds one second: no second may have more bits than the rate and the buffer together.
    for start in stride(from: 0, to: 270, by: 15) {
      let second = packets[start..<start + 30].map(\.bytes.count).reduce(0, +) * 8 / 1000
      #expect(second <= 820)
    }
  }

  @Test func theHeaderIsARecordOfTheParameterSets() throws {
    let header = try X264Encoder(X264EncoderTests.format()).header
    let record = header.avcConfiguration
    #expect(record[0] == 1)
    #expect(record[1] == 100, "profile High")
    #expect(record[4] == 0xFF && record[5] == 0xE1)
    let spsLength = Int(record[6]) << 8 | Int(record[7])
    #expect(record[8] & 0x1F == 7)
    #expect(Array(record[9..<12]) == Array(record[1..<4]))
    let pps = 8 + spsLength
    #expect(record[pps] == 1)
    let ppsLength = Int(record[pps + 1]) << 8 | Int(record[pps + 2])
    #expect(record[pps + 3] & 0x1F == 8)
    #expect(Array(record[(pps + 3 + ppsLength)...]) == [0xFD, 0xF8, 0xF8, 0x00])
    #expect(header.size == X264EncoderTests.size)
  }

  @Test func x264ReportsTheRequestedSettings() throws {
    let encoder = try X264Encoder(X264EncoderTests.format(speed: .faster))
    let packet = try #require(try X264EncoderTests.encode(encoder, frames: 1).first)
    // The text of the SEI message.
    let settings = String(decoding: packet.bytes, as: UTF8.self)
    for part in [
      "x264 - core", "bframes=0", "rc_lookahead=0", "scenecut=0", "keyint=infinite", "rc=cbr",
      "vbv_maxrate=500", "vbv_bufsize=500", "mbtree=0", "sliced_threads=1",
    ] {
      #expect(settings.contains(part), "\(part)")
    }
  }

  @Test func colourReachesTheSequenceParameterSet() throws {
    let limited = try X264Encoder(X264EncoderTests.format(colour: .bt709)).header
    let full = try X264Encoder(X264EncoderTests.format(colour: .jpeg)).header
    #expect(limited.avcConfiguration != full.avcConfiguration)
  }

  /// Rate and effort changed together, at random: x264 has each of them with the next frame, in one stream.
  @Test func rateAndEffortAreReadBackAsAsked() throws {
    let encoder = try X264Encoder(X264EncoderTests.format(speed: nil))
    var random = SystemRandomNumberGenerator()
    _ = try X264EncoderTests.encode(encoder, frames: 1)
    let searches: [EncoderEffort.MotionSearch] = [.diamond, .hexagon, .multiHexagon]
    for _ in 0..<1_000 {
      let references = Int.random(in: 1...EncoderEffort.mostReferences, using: &random)
      let effort = EncoderEffort(
        subpixelRefinement: .random(in: 1...8, using: &random),
        motionSearch: searches[Int.random(in: searches.indices, using: &random)],
        references: references, mixesReferences: references > 1 && .random(using: &random),
        splitsBlocks: .random(using: &random), trellis: .random(in: 0...2, using: &random))
      let kbps = Int.random(in: 100...2_000, using: &random)
      try encoder.change(VideoRate(bitrateKbps: kbps, effort: effort))
      let packets = try X264EncoderTests.encode(encoder, frames: 1, keyAt: [])
      #expect(packets.map(\.kind) == [.frame])
      #expect(encoder.takeRefusal() == nil)
    }
  }
}
