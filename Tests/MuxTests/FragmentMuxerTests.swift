// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux

@Suite struct FragmentMuxerTests {
  private static let start = MediaTime(nanos: .seconds(1_000))
  private static let frameNanos: Int64 = 40_000_000

  /// The SPS and PPS of a 320×180 stream by x264, baseline.
  private static let video = VideoHeader(
    avcConfiguration: [
      1, 0x42, 0xC0, 0x0D, 0xFF, 0xE1, 0, 24, 0x67, 0x42, 0xC0, 0x0D, 0xD9, 0x01, 0x41, 0x96,
      0x9E, 0x10, 0, 0, 3, 0, 0x10, 0, 0, 3, 3, 0xC0, 0xF1, 0x42, 0xA4, 0x80, 1, 0, 5, 0x68,
      0xCB, 0x83, 0xCB, 0x20,
    ],
    size: PictureSize(width: 320, height: 180), framesPerSecond: 25, bitrateKbps: 2_000)

  /// Adds frames that are decoded 40 ms apart.
  /// - Parameter delays: frames from decoding to presentation.
  private func fragment(_ delays: [Int64], scene: UInt32 = 0) throws -> Fragment? {
    let muxer = try FragmentMuxer(
      Epoch(number: 3, video: Self.video), origin: Self.start - .seconds(1))
    for (index, delay) in delays.enumerated() {
      let bytes: [UInt8] = [0, 0, 0, 3, index == 0 ? 0x65 : 0x41, 7, UInt8(index)]
      try unsafe bytes.withUnsafeBytes { buffer in
        try unsafe muxer.add(
          Packet(
            kind: index == 0 ? .keyframe : .frame,
            time: Self.start + Int64(index) * Self.frameNanos,
            presentationDelay: delay * Self.frameNanos, scene: scene + UInt32(index),
            bytes: buffer))
      }
    }
    return try muxer.finish()
  }

  /// The composition time offsets of the track run (ISO/IEC 14496-12, 8.8.8), in units of 1/90,000 s.
  private func offsets(_ fragment: Fragment) throws -> [Int] {
    let bytes = fragment.bytes
    func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    let type = try #require(
      bytes.indices.dropLast(4).first { bytes[$0..<$0 + 4].elementsEqual("trun".utf8) })
    let flags = number(type + 4) & 0xFF_FFFF
    var at = type + 12 + (flags & 1 == 0 ? 0 : 4) + (flags & 4 == 0 ? 0 : 4)
    return (0..<number(type + 8)).map { _ in
      for flag in [0x100, 0x200, 0x400] where flags & flag != 0 { at += 4 }
      guard flags & 0x800 != 0 else { return 0 }
      defer { at += 4 }
      return number(at)
    }
  }

  @Test func aFragmentSaysWhatIsInIt() throws {
    let fragment = try #require(try fragment([0, 0, 0, 0], scene: 5))
    #expect(MP4Box.contents(of: "ftyp", in: fragment.initialization.bytes) != nil)
    #expect(MP4Box.contents(of: "moov", in: fragment.initialization.bytes) != nil)
    #expect(fragment.initialization.codecs == "avc1.42c00d")
    #expect(fragment.initialization.epoch == 3 && fragment.initialization.hasVideo)
    #expect(fragment.beginsWithKeyframe && fragment.time == Self.start)
    #expect(fragment.duration == 4 * Self.frameNanos)
    // The earliest scene of its frames.
    #expect(fragment.videoScene == 5 && fragment.audioScene == .max)
    let content = try #require(MP4Box.contents(of: "mdat", in: fragment.bytes))
    #expect(fragment.frameSizes == [7, 7, 7, 7] && content.count == 28)
    #expect(fragment.bytes[content].last == 3)
    #expect(try offsets(fragment) == [0, 0, 0, 0])
  }

  @Test func framesThatWereReorderedKeepTheirTimes() throws {
    let fragment = try #require(try fragment([1, 3, 0, 0]))
    #expect(try offsets(fragment) == [3_600, 10_800, 0, 0])
  }

  @Test func nothingGivesNoFragment() throws {
    let none = try fragment([])
    #expect(none == nil)
  }
}
