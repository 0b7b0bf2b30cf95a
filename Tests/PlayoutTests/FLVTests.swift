// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux
@testable import Playout

struct FLVWriterTests {
  /// The file byte by byte: the header, the description, the configurations, a keyframe, audio, a frame.
  @Test func theFileBeginsWithItsFormats() {
    var writer = FLVWriter(encoder: "test")
    writer.write(Made.tag(.keyframe, at: 0, bytes: [1, 2, 3]))
    writer.write(Made.tag(.audio, at: 21, bytes: [4]))
    writer.write(Made.tag(.frame, at: 40, bytes: [5, 6]))
    let script = FLV.scriptData(video: Made.video, audio: Made.audio, encoder: "test")
    #expect(Array(script.prefix(13)) == [2, 0, 10] + Array("onMetaData".utf8))
    func tag(_ type: UInt8, _ stamp: UInt8, _ body: [UInt8]) -> [UInt8] {
      let (high, low) = (UInt8(body.count >> 8), UInt8(body.count & 255))
      let size = body.count + 11
      return [type, 0, high, low, 0, 0, stamp, 0, 0, 0, 0] + body
        + [0, 0, UInt8(size >> 8), UInt8(size & 255)]
    }
    #expect(
      writer.take() == [0x46, 0x4C, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0] + tag(18, 0, script)
        + tag(9, 0, [0x17, 0, 0, 0, 0] + Made.video.avcConfiguration)
        + tag(8, 0, [0xAF, 0, 0x11, 0x90]) + tag(9, 0, [0x17, 1, 0, 0, 0, 1, 2, 3])
        + tag(8, 21, [0xAF, 1, 4]) + tag(9, 40, [0x27, 1, 0, 0, 0, 5, 6]))
    #expect(writer.take().isEmpty)
  }

  /// Audio from before the first keyframe is left out; a new format comes before what needs it.
  @Test func formatsComeBeforeWhatNeedsThem() {
    var writer = FLVWriter(encoder: "test")
    let first = Epoch(number: 1, video: Made.video)
    writer.write(Made.tag(.keyframe, at: 1_000, epoch: first))
    #expect(writer.take()[4] == 1, "video alone")
    writer.write(Made.tag(.audio, at: 990, epoch: first))
    #expect(writer.take().isEmpty)
    writer.write(Made.tag(.keyframe, at: 2_000, epoch: Epoch(number: 2, audio: Made.audio)))
    let bytes = writer.take()
    #expect(bytes[0] == 8 && Array(bytes[4...7]) == [0, 3, 0xE8, 0], "1,000 ms")
  }

  /// Timestamps have 32 bits, of which the highest come last, and then begin anew.
  @Test func timestampsGoOnAfterWeeks() {
    var writer = FLVWriter(encoder: "test")
    writer.write(Made.tag(.keyframe, at: 0))
    _ = writer.take()
    for (millis, stamp) in [
      (0x0012_3456, [0x12, 0x34, 0x56, 0]), (0x8012_3456, [0x12, 0x34, 0x56, 0x80]),
      (0x1_0000_0005, [0, 0, 5, 0]),
    ] as [(Int64, [UInt8])] {
      writer.write(Made.tag(.frame, at: millis))
      #expect(Array(writer.take()[4..<8]) == stamp)
    }
  }
}

/// What a viewer gets, on a virtual clock: the time of a packet is the time at which it is stored.
final class FLVCursorTests {
  private let tags = FLVTags()
  private var cursor: FLVCursor

  init() { cursor = FLVCursor(stream: 0, encoder: "test") }

  private func step(at millis: Int64) -> FLVCursor.Step {
    tags.read { cursor.step($0, now: Made.start + .milliseconds(millis)) }
  }

  /// The values of the last bytes before each tag's size: the payloads, if these have one byte.
  private func payloads(at millis: Int64) -> [UInt8]? {
    guard case .give(var bytes) = step(at: millis) else { return nil }
    var payloads: [UInt8] = []
    while bytes.count > 15 {
      let size = bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) }
      let tag = bytes.suffix(size + 4)
      if tag[tag.startIndex + 12] == 1 { payloads.insert(tag[tag.endIndex - 5], at: 0) }
      bytes.removeLast(size + 4)
    }
    return payloads
  }

  private func store(_ kind: PacketKind, at millis: Int64, _ value: UInt8, scene: UInt32 = 1) {
    tags.append([Made.tag(kind, at: millis, scene: scene, bytes: [value])])
  }

  @Test func aViewerBeginsWithAFreshKeyframe() {
    store(.keyframe, at: 0, 1)
    store(.frame, at: 40, 2)
    #expect(step(at: 600) == .wait, "the keyframe is too old")
    store(.frame, at: 640, 3)
    #expect(step(at: 640) == .wait)
    store(.keyframe, at: 1_000, 4)
    store(.audio, at: 1_010, 5)
    #expect(payloads(at: 1_050) == [4, 5])
    #expect(step(at: 1_060) == .wait)
    store(.frame, at: 1_080, 6)
    #expect(payloads(at: 1_090) == [6])
  }

  /// Behind by two seconds, a viewer goes on with a keyframe; one piece of more than five seconds is the end.
  @Test func aSlowViewerSkipsAndIsGivenUp() {
    store(.keyframe, at: 0, 1)
    #expect(payloads(at: 0) == [1])
    for index in 1...50 { store(index == 50 ? .keyframe : .frame, at: Int64(index) * 40, 2) }
    store(.keyframe, at: 2_100, 7)
    #expect(payloads(at: 2_100) == [7], "what comes first is 2.06 s old")
    store(.frame, at: 2_140, 8)
    #expect(payloads(at: 7_100) == nil, "took just five seconds, and waits for a keyframe")
    store(.keyframe, at: 7_200, 9)
    #expect(payloads(at: 7_200) == [9])
    #expect(step(at: 12_201) == .end)
  }

  /// Pieces are bounded, and go on where the last one ended.
  @Test func aPieceIsBounded() {
    let large = [UInt8](repeating: 1, count: 50_000)
    tags.append([Made.tag(.keyframe, at: 0, bytes: large)])
    for index in 1...3 { tags.append([Made.tag(.frame, at: Int64(index), bytes: large)]) }
    var sizes: [Int] = []
    while case .give(let bytes) = step(at: 10) { sizes.append(bytes.count) }
    #expect(sizes.count == 2 && sizes.allSatisfy { (100_000..<102_000).contains($0) })
  }

  /// What a cut hides is not sent; what it does not hide goes on without a gap.
  @Test func aCutRemovesWhatItHides() {
    store(.keyframe, at: 0, 1)
    #expect(payloads(at: 0) == [1])
    store(.frame, at: 40, 2)
    store(.audio, at: 50, 3)
    tags.cut(video: 2, audio: 1)
    store(.frame, at: 80, 4)
    #expect(payloads(at: 80) == [3], "the sound goes on")
    store(.keyframe, at: 120, 5, scene: 2)
    store(.audio, at: 130, 6)
    tags.cut(video: 2, audio: 2)
    #expect(payloads(at: 130) == [5])
    store(.frame, at: 160, 7, scene: 2)
    store(.audio, at: 170, 8, scene: 2)
    #expect(payloads(at: 170) == [7, 8])
  }

  @Test func theEndOfTheBroadcastEndsTheStream() {
    store(.keyframe, at: 0, 1)
    tags.clear()
    #expect(step(at: 0) == .end)
  }

  /// At most three seconds and 6 MB are kept; a viewer whose place is gone goes on with a keyframe.
  @Test func theStoreIsBounded() {
    store(.keyframe, at: 0, 1)
    #expect(payloads(at: 0) == [1])
    for index in 1...20 {
      tags.append([
        Made.tag(.frame, at: Int64(index), bytes: [UInt8](repeating: 0, count: 1_000_000))
      ])
    }
    #expect(tags.read { $0.bytes } <= FLVTags.maxBytes)
    #expect(step(at: 21) == .wait)
    store(.keyframe, at: 30, 9)
    #expect(payloads(at: 30) == [9])
    store(.frame, at: 3_031, 2)
    #expect(tags.read { $0.kept.map(\.number).count } == 1)
  }
}
