// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import RateControl
import Synchronization
import TestSupport
import Testing
import Video

@testable import Studio

/// The video thread on a virtual clock. The clock stands still until a packet has come.
@Suite struct VideoPipelineTests {
  private static let size = PictureSize(width: 160, height: 90)
  private static let interval: Int64 = 1_000_000_000 / 30

  private let time = VirtualClock()
  private let frames: FrameQueue
  private let pool = FramePool(count: FrameQueue.bufferCount, capacity: 160 * 90 * 3 / 2)
  private let sink: RecordingSink
  private let line: VideoPipeline
  private let format = VideoFormat(
    size: size, framesPerSecond: 30, bitrateKbps: 500, speed: .superfast, colour: .bt709)

  init() {
    frames = FrameQueue(clock: time.clock)
    sink = RecordingSink(clock: time.clock)
    let renditions = Renditions()
    renditions.add(sink, isMain: true)
    line = VideoPipeline(
      plan: VideoPlan(
        format: format, gopNanos: .seconds(2)),
      frames: frames, renditions: renditions, clock: time.clock, notice: { _ in }, fatal: { _ in })
  }

  private func put(_ pixels: PixelFormat = .i420) {
    guard let blank = pool.borrow() else { return }
    frames.put(
      blank.finish(
        format: FrameFormat(pixelFormat: pixels, size: VideoPipelineTests.size, colour: .bt709),
        capturedAt: time.now))
  }

  /// Puts a frame in at the present virtual time and waits for its packet.
  private func feed() throws {
    let count = sink.count
    put()
    try #require(eventually { sink.count > count })
  }

  /// Moves the clock to one nanosecond before `deadline`, then to it, and waits for the packet.
  private func expectPacket(at deadline: MediaTime) throws {
    let count = sink.count
    time.advance(by: deadline - time.now - 1)
    (MediaTime.now() + .milliseconds(3)).sleepUntil()
    time.advance(by: 1)
    try #require(eventually { sink.count > count })
    #expect(sink.packets[count].offeredAt == deadline)
  }

  private func stop() {
    frames.interrupt()
    #expect(line.stop(by: .now() + .seconds(60)))
  }

  /// A camera that keeps its rate for five minutes: each frame goes out at once, with its own time.
  @Test func aSteadySourceLosesAndRepeatsNothing() throws {
    line.start()
    let start = time.now
    let count = 5 * 60 * 30
    for _ in 0..<count {
      try feed()
      time.advance(by: VideoPipelineTests.interval)
    }
    stop()
    let packets = sink.packets
    #expect(packets.count == count)
    #expect(
      packets.indices.allSatisfy {
        packets[$0].time == start + Int64($0) * VideoPipelineTests.interval
          && packets[$0].offeredAt == packets[$0].time
      })
    #expect(line.counters.frames.count == count)
    #expect(line.counters.repeats.count == 0)
    #expect(line.counters.surplus.count == 0)
    #expect(frames.dropped == 0)
    #expect(line.videoEnd == start + Int64(count) * VideoPipelineTests.interval)
  }

  /// Encoding stands still for 80 ms, while three frames are captured. All of them go out, with their own times.
  @Test func framesThatWaitedKeepTheirTimes() throws {
    let interval = VideoPipelineTests.interval
    line.start()
    let start = time.now
    try feed()
    time.advance(by: interval)
    sink.isBlocked.store(true, ordering: .sequentiallyConsistent)
    put()
    try #require(eventually { sink.isInOffer.load(ordering: .sequentiallyConsistent) })
    for _ in 0..<3 {
      time.advance(by: interval)
      put()
    }
    sink.isBlocked.store(false, ordering: .sequentiallyConsistent)
    try #require(eventually { sink.count == 5 })
    time.advance(by: interval)
    try feed()
    stop()
    #expect(sink.packets.map(\.time) == (0...5).map { start + Int64($0) * interval })
    #expect(line.counters.repeats.count == 0 && line.counters.surplus.count == 0)
    #expect(frames.dropped == 0)
  }

  /// The first keyframe takes longer than a frame interval: the encoder has to start.
  @Test func noFrameIsLostAfterTheFirst() throws {
    let interval = VideoPipelineTests.interval
    sink.isBlocked.store(true, ordering: .sequentiallyConsistent)
    line.start()
    let start = time.now
    put()
    try #require(eventually { sink.isInOffer.load(ordering: .sequentiallyConsistent) })
    for _ in 0..<2 {
      time.advance(by: interval)
      put()
    }
    sink.isBlocked.store(false, ordering: .sequentiallyConsistent)
    try #require(eventually { sink.count == 3 })
    stop()
    #expect(sink.packets.map(\.time) == (0...2).map { start + Int64($0) * interval })
    #expect(sink.packets.map(\.kind) == [.keyframe, .frame, .frame])
    #expect(frames.dropped == 0)
  }

  /// The first repeat is due an eighth of an interval before the second missing frame, the others each an interval
  /// later; their times are one interval apart. After half a second they are black.
  @Test func aSourceThatStopsIsRepeatedAndThenBlack() throws {
    let interval = VideoPipelineTests.interval
    line.start()
    try feed()
    time.advance(by: interval)
    try feed()
    let last = time.now
    for index in 0..<20 {
      try expectPacket(at: last + 2 * interval - interval / 8 + Int64(index) * interval)
    }
    stop()
    let repeats = sink.packets.dropFirst(2)
    #expect(line.counters.repeats.count == repeats.count)
    for (index, packet) in repeats.enumerated() {
      #expect(packet.time == last + Int64(index + 1) * interval)
    }
    // Only the change to black needs more than a few bytes.
    let largest = try #require(repeats.max { $0.byteCount < $1.byteCount })
    let firstBlack = try #require(repeats.first { $0.offeredAt - last > .milliseconds(500) })
    #expect(largest == firstBlack)
  }

  /// A still comes at the moment of the cut and goes on at its own rate, whatever the source does.
  @Test func aStillIsShownAtOnceAndAtItsOwnRate() throws {
    line.start()
    try feed()
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    time.advance(by: .milliseconds(5))
    let cut = time.now
    line.show(VideoPipeline.Scene(number: 1, still: still, since: cut))
    try #require(eventually { sink.count == 2 })
    #expect(sink.packets[1].offeredAt == cut && sink.packets[1].time == cut)
    #expect(sink.packets[1].kind == .keyframe && sink.packets[1].scene == 1)
    for index in 1...10 { try expectPacket(at: cut + Int64(index) * .milliseconds(200)) }
    stop()
    let wanted: [MediaTime] = (1...10).map { cut + $0 * Int64.milliseconds(200) }
    #expect(sink.packets.dropFirst(2).map(\.time) == wanted)
    #expect(sink.packets.dropFirst(1).allSatisfy { $0.scene == 1 })
    #expect(line.counters.repeats.count == 0)
  }

  /// A scene that shows the same goes on with the frame that there is, also if the camera gives no other one.
  @Test func liveVideoGoesOnInAnotherScene() throws {
    let interval = VideoPipelineTests.interval
    line.start()
    try feed()
    let last = time.now
    time.advance(by: .milliseconds(5))
    sink.wantKeyframe()
    line.show(VideoPipeline.Scene(number: 1))
    try #require(eventually { sink.count == 2 })
    #expect(sink.packets[1].kind == .keyframe && sink.packets[1].scene == 1)
    try #require(sink.packets[1].offeredAt == last + .milliseconds(5))
    time.advance(by: interval - .milliseconds(5))
    try feed()
    try expectPacket(at: time.now + 2 * interval - interval / 8)
    stop()
    #expect(sink.packets.map(\.scene) == [0, 1, 1, 1])
    #expect(line.lastOffered.number == 1 && frames.dropped == 0)
  }

  /// A frame that is being encoded during a cut keeps the old scene's number, so that sinks can discard it.
  @Test func aFrameThatIsBeingEncodedKeepsItsScene() throws {
    line.start()
    try feed()
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    time.advance(by: VideoPipelineTests.interval)
    sink.isBlocked.store(true, ordering: .sequentiallyConsistent)
    put()
    try #require(eventually { sink.isInOffer.load(ordering: .sequentiallyConsistent) })
    line.show(VideoPipeline.Scene(number: 7, still: still, since: time.now))
    sink.isBlocked.store(false, ordering: .sequentiallyConsistent)
    try #require(eventually { sink.count >= 3 })
    stop()
    #expect(sink.packets.prefix(3).map(\.scene) == [0, 0, 7])
    #expect(line.lastOffered.number == 7)
  }

  /// The camera delivers frames, but viewers would see black.
  @Test func aCameraThatCannotBeDecodedIsLost() throws {
    let began = time.now
    line.start()
    try feed()
    #expect(line.sourcePulse.health(time.now, startedAt: began) == .good)
    for index in 1...40 {
      time.advance(by: VideoPipelineTests.interval)
      put(.mjpeg)
      try #require(eventually { line.counters.unreadable.count == index })
    }
    #expect(line.sourcePulse.health(time.now, startedAt: began) == .lost)
    let isReported = line.unreadable.lasts(time.now)
    #expect(isReported)
    // While something else is shown, a frame that can be decoded is noticed all the same.
    line.show(VideoPipeline.Scene(number: 1, since: .distantFuture))
    time.advance(by: VideoPipelineTests.interval)
    put()
    try #require(eventually { !line.unreadable.isFailing })
    #expect(eventually { line.sourcePulse.health(time.now, startedAt: began) == .good })
    stop()
  }

  /// A decoder must never get a frame of an encoder whose parameter sets it does not have.
  @Test func aNewHeaderIsFollowedByItsKeyframe() throws {
    let interval = VideoPipelineTests.interval
    line.start()
    try feed()
    let still = try Still(
      try StillImage(.pause), like: format, rate: Still.Rate(), isBuiltIn: true)
    for scene in [UInt32(1), 3] {
      time.advance(by: interval)
      line.show(VideoPipeline.Scene(number: scene, still: still, since: time.now))
      try #require(eventually { sink.packets.last?.scene == scene })
      time.advance(by: interval)
      line.show(VideoPipeline.Scene(number: scene + 1, since: time.now))
      try feed()
      for size in [PictureSize(width: 80, height: 46), nil] {
        line.follow(
          EncodingPlan(
            videoKbps: 300, framesPerSecond: format.framesPerSecond, size: size ?? format.size,
            speed: .superfast, audioKbps: 0))
        for _ in 0..<2 {
          time.advance(by: interval)
          try feed()
        }
      }
    }
    stop()
    let (packets, headers) = (sink.packets, sink.headers.withLock { $0 })
    #expect(headers.count == 1 + 2 * 4)
    for (header, index) in headers {
      #expect(packets[index].kind == .keyframe)
      // AVCDecoderConfigurationRecord: the SPS has its length in two bytes at offset 6.
      let record = header.avcConfiguration
      let length = Int(record[6]) << 8 | Int(record[7])
      #expect(packets[index].firstUnit == Array(record[8..<8 + length]))
    }
    // No other frame has to be a keyframe.
    #expect(packets.filter { $0.kind == .keyframe }.count == headers.count)
  }

  /// A sink that has just begun gets the current frame at once, as a keyframe.
  @Test func aSinkThatBeginsGetsAKeyframeAtOnce() throws {
    line.start()
    try feed()
    time.advance(by: .milliseconds(10))
    sink.wantKeyframe()
    frames.wake()
    try #require(eventually { sink.count == 2 })
    stop()
    #expect(sink.packets[1].kind == .keyframe && sink.packets[1].offeredAt == time.now)
    #expect(!sink.needsKeyframe)
  }
}
