// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux

@Suite struct FLVTests {
  private static let video = VideoHeader(
    avcConfiguration: [1, 0x42, 0xC0, 0x0D], size: PictureSize(width: 320, height: 180),
    framesPerSecond: 30, bitrateKbps: 2_000)
  private static let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 128)

  private func body(
    _ kind: PacketKind, _ bytes: [UInt8], presentationDelay: Int64 = 0
  ) -> [UInt8] {
    var body = [UInt8](repeating: 0xEE, count: FLV.headerBytes(kind)) + bytes
    unsafe body.withUnsafeMutableBytes {
      unsafe FLV.writeHeader(kind, presentationDelay: presentationDelay, to: $0)
    }
    return body
  }

  @Test func pictures() {
    #expect(body(.keyframe, [9, 8, 7]) == [0x17, 1, 0, 0, 0, 9, 8, 7])
    #expect(body(.frame, [9]) == [0x27, 1, 0, 0, 0, 9])
    #expect(FLV.videoHeader([1, 2, 3]) == [0x17, 0, 0, 0, 0, 1, 2, 3])
  }

  /// CompositionTime: how many milliseconds after its decoding a frame is shown.
  @Test func framesThatWereReordered() {
    let frame = body(.frame, [9], presentationDelay: .milliseconds(66) + 666_667)
    #expect(frame == [0x27, 1, 0, 0, 67, 9])
    #expect(body(.frame, [], presentationDelay: .seconds(70)) == [0x27, 1, 1, 0x11, 0x70])
  }

  @Test func sounds() {
    #expect(body(.audio, [0x21, 0x10]) == [0xAF, 1, 0x21, 0x10])
    #expect(FLV.audioHeader([0x11, 0x90]) == [0xAF, 0, 0x11, 0x90])
  }

  @Test func amfValuesByteByByte() {
    #expect(AMF0.encode([.number(1)]) == [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
    #expect(AMF0.encode([.boolean(true), .boolean(false)]) == [1, 1, 1, 0])
    #expect(AMF0.encode([.string("ab")]) == [2, 0, 2, 0x61, 0x62])
    #expect(AMF0.encode([.null, .undefined]) == [5, 6])
    #expect(
      AMF0.encode([.object([.init("a", .null)])]) == [3, 0, 1, 0x61, 5, 0, 0, 9])
    #expect(
      AMF0.encode([.ecmaArray([.init("a", .boolean(true))])])
        == [8, 0, 0, 0, 1, 0, 1, 0x61, 1, 1, 0, 0, 9])
    #expect(AMF0.encode([.strictArray([.null])]) == [0x0A, 0, 0, 0, 1, 5])
    #expect(AMF0.encode([.date(0)]) == [0x0B] + [UInt8](repeating: 0, count: 10))
    let long = String(repeating: "x", count: 65_536)
    #expect(AMF0.encode([.string(long)]).prefix(6) == [0x0C, 0, 1, 0, 0, 0x78])
  }

  @Test func amfIsReadBack() {
    let values: [AMF0] = [
      .string("onStatus"), .number(-2.5), .null, .boolean(true), .date(3), .undefined,
      .object([.init("code", .string("é")), .init("more", .ecmaArray([.init("x", .null)]))]),
      .strictArray([.number(1), .string("")]),
    ]
    let bytes = AMF0.encode(values)
    #expect(AMF0Reader.values(bytes[...]) == values)
    // Truncated anywhere: only the complete values, and no crash.
    for length in 0..<bytes.count {
      let read = AMF0Reader.values(bytes[..<length])
      #expect(read == Array(values.prefix(read.count)))
    }
  }

  @Test func hostileAMFEnds() {
    // Deeply nested objects.
    let deep = [UInt8](repeating: 0, count: 9_000).enumerated().map {
      [3, 0, 1, 0x61][$0.offset % 4] as UInt8
    }
    #expect(AMF0Reader.values(deep[...]).isEmpty)
    // An array that claims to have four thousand million values.
    #expect(AMF0Reader.values([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 5, 5][...]).isEmpty)
  }

  @Test func metadataByteByByte() {
    let metadata = FLV.metadata(
      video: Self.video, audio: Self.audio, encoder: "OnAir 1.2")
    var expected: [UInt8] = [2, 0, 13] + Array("@setDataFrame".utf8)
    expected += [2, 0, 10] + Array("onMetaData".utf8) + [8, 0, 0, 0, 12]
    func number(_ name: String, _ bytes: [UInt8]) {
      expected += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [0] + bytes
      expected += [UInt8](repeating: 0, count: 8 - bytes.count)
    }
    number("duration", [])
    number("width", [0x40, 0x74])  // 320
    number("height", [0x40, 0x66, 0x80])  // 180
    number("videodatarate", [0x40, 0x9F, 0x40])  // 2000
    number("framerate", [0x40, 0x3E])  // 30
    number("videocodecid", [0x40, 0x1C])  // 7
    number("audiodatarate", [0x40, 0x60])  // 128
    number("audiosamplerate", [0x40, 0xE7, 0x70])  // 48000
    number("audiosamplesize", [0x40, 0x30])  // 16
    expected += [0, 6] + Array("stereo".utf8) + [1, 1]
    number("audiocodecid", [0x40, 0x24])  // 10
    expected += [0, 7] + Array("encoder".utf8) + [2, 0, 9] + Array("OnAir 1.2".utf8)
    expected += [0, 0, 9]
    #expect(metadata == expected)
    let soundOnly = AMF0Reader.values(
      FLV.metadata(video: nil, audio: Self.audio, encoder: "")[...])
    #expect(soundOnly.last?["width"] == nil)
    #expect(soundOnly.last?["audiocodecid"] == .number(10))
  }
}
