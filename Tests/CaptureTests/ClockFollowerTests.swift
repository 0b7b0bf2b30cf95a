// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Capture

/// A device and an ideal resampler on virtual time.
struct VirtualDevice {
  var ppm: Double
  var jitterNanos: Int64
  /// Slow change of the device's clock while it warms up.
  var ppmPerHour = 0.0
  /// Samples lost at a second, which the driver does not report.
  var lost: (second: Int, nanos: Int64)?

  struct Outcome {
    var worstNanos: Int64 = 0
    var worstNearNeighbourPPM = 0.0
    var driftPPM = 0.0
    var jumps = 0
    var settledAfterSeconds = 0
  }

  /// - Parameter settling: errors in these first seconds are not counted.
  func run(hours: Double, settling: Int, seed: UInt64 = 1) -> Outcome {
    var dice = SplitMix64(seed: seed)
    var follower = ClockFollower()
    var outcome = Outcome()
    let period: Int64 = .milliseconds(10)
    // The true time of a sample, and where it was placed, in nanoseconds since the start.
    var trueTime = 0.0
    var placed = 0.0
    var rate = ppm
    var stretch = 0.0
    let count = Int(hours * 360_000)
    for index in 0..<count {
      let jitter = jitterNanos > 0 ? Int64.random(in: 0...jitterNanos, using: &dice) : 0
      let error = Int64(placed - trueTime)
      let second = index / 100
      if second >= settling {
        outcome.worstNanos = max(outcome.worstNanos, abs(error))
      } else if abs(error) > 1_000_000 {
        outcome.settledAfterSeconds = second + 1
      }
      switch follower.observe(
        placed: MediaTime(nanos: Int64(placed)),
        captured: MediaTime(nanos: Int64(trueTime) + jitter))
      {
      case .none: break
      case .stretch(let ppm):
        outcome.worstNearNeighbourPPM = max(outcome.worstNearNeighbourPPM, abs(ppm - stretch))
        stretch = ppm
      case .jump(let nanos):
        outcome.jumps += 1
        placed += Double(nanos)
      }
      trueTime += Double(period) / (1 + rate / 1e6)
      placed += Double(period) * (1 + stretch / 1e6)
      rate += ppmPerHour / 360_000
      if let lost, lost.second * 100 == index { trueTime += Double(lost.nanos) }
    }
    outcome.driftPPM = follower.driftPPM ?? .nan
    return outcome
  }
}

@Suite struct ClockFollowerTests {
  @Test(arguments: [(-1000.0, 1.0), (-200, 1), (-20, 1), (0, 1), (200, 10), (1000, 1)])
  func aDriftIsFollowedWithinAMillisecondForHours(ppm: Double, hours: Double) {
    let outcome = VirtualDevice(ppm: ppm, jitterNanos: .milliseconds(10))
      .run(hours: hours, settling: 120)
    #expect(outcome.worstNanos < 1_000_000)
    #expect(abs(outcome.driftPPM - ppm) < 5)
    #expect(outcome.jumps == 0)
    #expect(outcome.worstNearNeighbourPPM <= ClockFollower.stepLimitPPM)
  }

  @Test func aWarmingDeviceIsFollowed() {
    let outcome = VirtualDevice(ppm: 100, jitterNanos: .milliseconds(4), ppmPerHour: 60)
      .run(hours: 1, settling: 60)
    #expect(outcome.worstNanos < 1_000_000)
  }

  @Test(arguments: [Int64(50), 300, -300])
  func unreportedLossMovesTheTimeline(milliseconds: Int64) {
    let device = VirtualDevice(
      ppm: 50, jitterNanos: .milliseconds(2),
      lost: (second: 200, nanos: .milliseconds(milliseconds)))
    let outcome = device.run(hours: 0.2, settling: 320)
    #expect(outcome.jumps == 1)
    #expect(outcome.worstNanos < 1_000_000)
  }

  @Test func aSingleEarlyTimestampHasLittleEffect() {
    var follower = ClockFollower()
    var worst = 0.0
    for index in 0..<60_000 {
      let time = MediaTime(nanos: Int64(index) * 10_000_000)
      let captured = index == 30_000 ? time - .milliseconds(500) : time
      switch follower.observe(placed: time, captured: captured) {
      case .stretch(let ppm): worst = max(worst, abs(ppm))
      case .jump: Issue.record("the timeline jumped")
      case .none: break
      }
    }
    #expect(worst <= ClockFollower.stepLimitPPM)
  }

  @Test func theTimelineIsExactForDays() {
    var timeline = AudioTimeline(startsAt: MediaTime(nanos: 7))
    for _ in 0..<(30 * 86_400) { timeline.advance(frames: 48_000) }
    timeline.advance(frames: 480)
    #expect(timeline.next == MediaTime(nanos: 7 + 30 * 86_400 * 1_000_000_000 + 10_000_000))
    #expect(timeline.time(after: 480).nanos - timeline.next.nanos == 10_000_000)
  }
}
