// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Encode

/// Which frames of various sources are encoded, and with which timestamps.
struct FrameClockTests {
  /// One encoded frame.
  struct Shown {
    var time: MediaTime
    var isRepeat: Bool
  }

  /// - Parameters:
  ///   - arrivals: capture times and delays until arrival, in nanoseconds, in order.
  static func run(
    framesPerSecond: Int, arrivals: [(capture: Int64, delay: Int64)], until end: Int64
  ) -> [Shown] {
    var clock = FrameClock(
      framesPerSecond: framesPerSecond, firstDeadline: MediaTime(nanos: 1_000_000_000))
    var shown: [Shown] = []
    var pending = arrivals[...]
    var now: Int64 = 0
    while now < end {
      if let next = pending.first, next.capture + next.delay <= clock.deadline.nanos {
        now = max(now, next.capture + next.delay)
        pending.removeFirst()
        let time = clock.stamp(
          capturedAt: MediaTime(nanos: next.capture), now: MediaTime(nanos: now))
        if let time { shown.append(Shown(time: time, isRepeat: false)) }
      } else {
        now = max(now, clock.deadline.nanos)
        let time = clock.stampRepeat(now: MediaTime(nanos: now))
        shown.append(Shown(time: time, isRepeat: true))
      }
    }
    return shown
  }

  static func source(
    rate: Double, seconds: Double, delay: Int64 = 5_000_000, jitter: Int64 = 0
  ) -> [(capture: Int64, delay: Int64)] {
    var random = SplitMix64(seed: 1)
    return (0..<Int(rate * seconds)).map { index in
      let wobble = jitter == 0 ? 0 : Int64.random(in: 0...jitter, using: &random)
      return (Int64(Double(index) * 1e9 / rate) + 1, delay + wobble)
    }
  }

  static func steps(_ shown: [Shown]) -> [Int64] {
    zip(shown.dropFirst(), shown).map { $0.time - $1.time }
  }

  @Test(arguments: [30.0, 29.97, 30.03])
  func noFrameOfASourceAtTheConfiguredRateIsDropped(rate: Double) {
    let frames = FrameClockTests.source(rate: rate, seconds: 600)
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 600_000_000_000)
    let passed = shown.count { !$0.isRepeat }
    #expect(Double(passed) >= Double(frames.count) * 0.9999)
    #expect(shown.count - passed <= 3)
  }

  @Test func timestampsAreCaptureTimes() {
    let frames = FrameClockTests.source(rate: 30, seconds: 10, delay: 40_000_000)
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 9_900_000_000)
    let captures = frames.map(\.capture)
    #expect(shown.prefix(290).map(\.time.nanos) == Array(captures.prefix(290)))
  }

  @Test(arguments: [50.0, 60.0, 59.94, 120.0])
  func framesOfAFasterSourceAreDroppedEvenly(rate: Double) {
    let frames = FrameClockTests.source(rate: rate, seconds: 60)
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 59_900_000_000)
    #expect((1770...1870).contains(shown.count), "\(shown.count) of 1800")
    #expect(shown.allSatisfy { !$0.isRepeat })
    #expect(FrameClockTests.steps(shown).allSatisfy { $0 > 0 && $0 <= 45_000_000 })
  }

  @Test(arguments: [1.0, 5.0, 7.5, 10.0, 15.0, 20.0, 24.0, 25.0])
  func framesOfASlowerSourceAreRepeated(rate: Double) {
    let frames = FrameClockTests.source(rate: rate, seconds: 60)
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 59_900_000_000)
    let steps = FrameClockTests.steps(shown)
    #expect(steps.allSatisfy { $0 > 0 && $0 <= 2 * 33_333_334 })
    #expect(shown.count { !$0.isRepeat } >= frames.count - 2, "each frame is encoded")
    #expect(shown.count <= 60 * 30 + Int(rate * 60))
  }

  @Test func jitterCausesNeitherRepeatsNorDrops() {
    let frames = FrameClockTests.source(
      rate: 30, seconds: 60, delay: 20_000_000, jitter: 12_000_000)
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 59_900_000_000)
    #expect(shown.count { !$0.isRepeat } >= 1795)
    #expect(shown.count { $0.isRepeat } == 0)
  }

  /// A source that stamps frames when it hands them on, and cannot do that for 80 ms of each second.
  @Test func framesThatAStallDelayedAreNotSurplus() {
    let frames = FrameClockTests.source(rate: 30, seconds: 59, delay: 0).map { frame in
      let stallBegin = frame.capture / 1_000_000_000 * 1_000_000_000 + 500_000_000
      guard (stallBegin..<stallBegin + 80_000_000).contains(frame.capture) else { return frame }
      // Each of those that waited takes 5 ms.
      return (stallBegin + 80_000_000 + (frame.capture - stallBegin) / 6, 0)
    }
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 59_900_000_000)
    let passed = shown.filter { !$0.isRepeat }
    #expect(passed.count == frames.count)
    #expect(FrameClockTests.steps(shown).allSatisfy { $0 > 0 })
  }

  /// The source opens late: its first frames have waited, and are stamped when they arrive.
  @Test func theFirstFramesAreNotSurplus() {
    var frames = FrameClockTests.source(rate: 30, seconds: 10, delay: 0)
    for index in 0..<3 { frames[index].capture = 70_000_000 + Int64(index) * 5_000_000 }
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 9_900_000_000)
    #expect(shown.prefix(290).map(\.time.nanos) == frames.prefix(290).map(\.capture))
  }

  @Test func framesAreRepeatedWhileTheSourceIsLost() {
    var frames = FrameClockTests.source(rate: 30, seconds: 30)
    frames.removeAll { (10_000_000_000..<20_000_000_000).contains($0.capture) }
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 29_900_000_000)
    let steps = FrameClockTests.steps(shown)
    #expect(steps.allSatisfy { $0 > 0 && $0 <= 2 * 33_333_334 })
    #expect((890...902).contains(shown.count))
    // After the return, the timestamps are capture times again.
    #expect(shown.suffix(200).allSatisfy { !$0.isRepeat })
  }

  /// With any delay from capture to arrival.
  @Test(arguments: [0, 5, 20, 40, 100, 300])
  func aSourceMayStartLate(delayMilliseconds: Int64) {
    let frames = FrameClockTests.source(
      rate: 30, seconds: 30, delay: delayMilliseconds * 1_000_000
    ).filter { $0.capture > 3_000_000_000 }
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 29_900_000_000)
    #expect(shown.count { !$0.isRepeat } >= frames.count - 12)
    #expect(FrameClockTests.steps(shown).allSatisfy { $0 > 0 && $0 <= 2 * 33_333_334 })
    #expect(shown.suffix(200).allSatisfy { !$0.isRepeat })
  }

  @Test func aSourceMayReturnWithALongerDelay() {
    let all = FrameClockTests.source(rate: 30, seconds: 30)
    let frames =
      all.filter { $0.capture < 10_000_000_000 }
      + all.filter { $0.capture > 12_000_000_000 }.map { ($0.capture, $0.delay + 80_000_000) }
    let shown = FrameClockTests.run(framesPerSecond: 30, arrivals: frames, until: 29_900_000_000)
    #expect(shown.count { !$0.isRepeat } >= frames.count - 12)
    #expect(shown.suffix(200).allSatisfy { !$0.isRepeat })
  }

  @Test func framesMissedInAStallAreNotMadeUpFor() {
    var clock = FrameClock(framesPerSecond: 30, firstDeadline: MediaTime(nanos: 0))
    _ = clock.stamp(capturedAt: MediaTime(nanos: 1), now: MediaTime(nanos: 1))
    let wakesUp = MediaTime(nanos: 10_000_000_000)
    let time = clock.stampRepeat(now: wakesUp)
    #expect(wakesUp - time <= 500_000_000)
    #expect(clock.deadline >= wakesUp)
  }

  /// The frames after it keep their capture times, and none is dropped.
  @Test func showingAFrameOnceMoreDoesNotAffectOthers() {
    var clock = FrameClock(framesPerSecond: 30, firstDeadline: MediaTime(nanos: 0))
    #expect(clock.stampAgain() == nil)
    var times: [Int64] = []
    for index in 1...9 {
      let capture = MediaTime(nanos: Int64(index) * 33_333_333)
      #expect(clock.stamp(capturedAt: capture, now: capture + 50_000_000) == capture)
      times.append(capture.nanos)
      if index % 3 == 0, let again = clock.stampAgain() { times.append(again.nanos) }
    }
    #expect(times.count == 12)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func withoutFramesItStartsAtTheFirstDeadline() {
    let shown = FrameClockTests.run(framesPerSecond: 10, arrivals: [], until: 5_000_000_000)
    #expect(shown.first?.time.nanos == 1_000_000_000)
    #expect((40...41).contains(shown.count))
  }
}
