// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Testing
import Video

@testable import Studio

/// The programme's decisions about frames, with the time passed in.
final class ProgrammeTests {
  static let size = PictureSize(width: 160, height: 90)
  static let start = MediaTime(nanos: 1_000_000_000)

  let programme: Programme
  let owner = CountingOwner(count: 160 * 90 * 3 / 2)
  var packets: [(kind: PacketKind, time: MediaTime, bytes: Int)] = []

  init() throws {
    programme = try Programme(
      plan: VideoPlan(
        format: VideoFormat(
          size: ProgrammeTests.size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast,
          colour: .bt709), gopNanos: 2_000_000_000),
      now: ProgrammeTests.start)
  }

  func frame(_ time: MediaTime) -> Frame {
    unsafe owner.bytes.initializeMemory(as: UInt8.self, repeating: 200)
    return unsafe Frame(
      format: FrameFormat(pixelFormat: .i420, size: ProgrammeTests.size, colour: .bt709),
      capturedAt: time, bytes: UnsafeRawBufferPointer(owner.bytes), owner: owner, slot: 0)
  }

  func encode(_ time: MediaTime, key: Bool = false) throws {
    let composed = unsafe programme.compose(at: time)
    try unsafe programme.encode(composed, FrameTag(time: time), key: key) { note($0.packet) }
  }

  private func replaceEncoder(_ format: VideoFormat) {
    let change = programme.replaceEncoder(format, now: ProgrammeTests.start) { note($0.packet) }
    #expect(change == .changed)
  }

  private func note(_ packet: Packet) {
    packets.append((packet.kind, packet.time, unsafe packet.bytes.count))
  }

  /// When a destination starts between two frames, the current frame is repeated, but never an old one.
  @Test func onlyTheCurrentFrameIsRepeated() throws {
    #expect(programme.stampAgain(now: ProgrammeTests.start) == nil)
    try show(0)
    let soon = try #require(programme.stampAgain(now: ProgrammeTests.start + 20_000_000))
    try encode(soon, key: true)
    #expect(packets.last?.kind == .keyframe)
    #expect(packets.last?.time == soon)
    #expect(programme.stampAgain(now: ProgrammeTests.start + 600_000_000) == nil)
    // Black is not a frame of the source.
    try encode(programme.stampRepeat(now: ProgrammeTests.start + 700_000_000))
    #expect(programme.stampAgain(now: ProgrammeTests.start + 700_000_001) == nil)
  }

  @Test func aStillIsRepeatedAtOnce() throws {
    try show(0)
    let still = try Still(
      try StillImage(.pause), like: programme.liveFormat, rate: Still.Rate(), isBuiltIn: true)
    let before = programme.header
    try programme.show(still)
    #expect(programme.header.framesPerSecond == 5)
    let now = ProgrammeTests.start + 5_000_000_000
    try encode(programme.stampCut(now: now))
    #expect(packets.last?.kind == .keyframe)
    let again = try #require(programme.stampAgain(now: now + 20_000_000))
    try encode(again, key: true)
    #expect(packets.last?.kind == .keyframe)
    let change = try programme.endStill(
      for: programme.liveFormat.colour, now: .distantPast + .seconds(9))
    #expect(change == .changed)
    #expect(programme.header == before)
    try show(200)
    #expect(packets.last?.kind == .keyframe)
  }

  func show(_ index: Int) throws {
    let time = ProgrammeTests.start + Int64(index) * 33_333_333
    let frame = frame(time)
    guard let stamp = programme.stamp(frame, now: time) else { return }
    try programme.take(frame, now: time)
    try encode(stamp)
  }

  @Test func keyframesComeEveryGOP() throws {
    for index in 0..<181 { try show(index) }
    let keys = packets.indices.filter { packets[$0].kind == .keyframe }
    #expect(keys == [0, 60, 120, 180])
  }

  @Test func aRequestedKeyframeStartsANewGOP() throws {
    try show(0)
    try encode(ProgrammeTests.start + 40_000_000, key: true)
    #expect(packets.map(\.kind) == [.keyframe, .keyframe])
    for index in 2..<70 { try show(index) }
    #expect(packets.filter { $0.kind == .keyframe }.count == 3)
  }

  @Test func aNewEncoderStartsWithAKeyframeOnTheSameTimeline() throws {
    for index in 0..<10 { try show(index) }
    let before = programme.header
    var format = programme.liveFormat
    format.size = PictureSize(width: 320, height: 180)
    format.framesPerSecond = 15
    replaceEncoder(format)
    #expect(programme.header.avcConfiguration != before.avcConfiguration)
    #expect(programme.header.size == format.size)
    let time = programme.stampRepeat(now: ProgrammeTests.start + 400_000_000)
    try encode(time)
    #expect(packets.last?.kind == .keyframe)
    #expect(packets.map(\.time) == packets.map(\.time).sorted())
    #expect(packets.count == 11)
  }

  /// A weak link may change size and frame rate in one plan. The frame clock follows in both directions.
  @Test func theFrameRateFollowsThoughTheEncoderIsNew() throws {
    func framesOfThirty(from index: Int) throws -> Int {
      let before = packets.count
      for index in index..<index + 30 { try show(index) }
      return packets.count - before
    }
    for (index, step) in [2, 1, 3, 1].enumerated() {
      let plan = EncodingPlan(
        videoKbps: 300, framesPerSecond: 30, frameStep: step,
        size: PictureSize(width: 192 + 32 * index, height: 90), speed: .superfast, audioKbps: 0)
      _ = programme.follow(plan, now: ProgrammeTests.start) { note($0.packet) }
      let frames = try framesOfThirty(from: 40 * index)
      // A change of the rate begins a new schedule.
      #expect(abs(frames - 30 / step) <= 2, "\(frames) of 30 with a step of \(step)")
      #expect(programme.header.bitrateKbps == 300)
    }
  }

  /// A source of one frame a second is not taken for a lost one after a change of the size.
  @Test func aNewSizeKeepsTheFrameOfASlowSource() throws {
    for index in [0, 30] { try show(index) }
    var format = programme.liveFormat
    format.size = PictureSize(width: 320, height: 180)
    replaceEncoder(format)
    let later = ProgrammeTests.start + .milliseconds(1_900)
    _ = programme.stampRepeat(now: later)
    #expect(programme.stampAgain(now: later) != nil)
  }

  @Test func aFrameThatIsTooOldIsReplacedByBlack() throws {
    try show(0)
    #expect(owner.recycled == 0, "it may be shown again")
    try show(1)
    #expect(owner.recycled == 1)
    var now = ProgrammeTests.start + 33_333_333
    while now - ProgrammeTests.start < 400_000_000 {
      now = now + 33_333_333
      try encode(programme.stampRepeat(now: now))
    }
    #expect(owner.recycled == 1)
    now = now + 150_000_000
    try encode(programme.stampRepeat(now: now))
    #expect(owner.recycled == 2, "after half a second it is not shown any more")
    let black = packets.last?.bytes ?? 0
    try encode(programme.stampRepeat(now: now + 33_333_333))
    #expect(packets.last.map { $0.bytes < black } == true, "black is new, then the same")
  }
}

/// A frame allocator that counts the frames returned to it.
@safe final class CountingOwner: FrameOwner, @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
  var recycled = 0

  init(count: Int) {
    unsafe bytes = .allocate(byteCount: count, alignment: 64)
    super.init()
  }

  deinit { unsafe bytes.deallocate() }

  override func recycle(slot: Int) { recycled += 1 }
}
