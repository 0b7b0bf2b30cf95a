// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Foundation
import TestSupport
import Testing

@testable import Publish

/// Audio/video synchronisation over hours of virtual time: frames and audio keep their capture times.
@Suite struct InStepTests {
  /// An hour in the full count only, since a debug build needs seconds for so many samples.
  private static let seconds = countsAreFull ? 3660.0 : 300

  @Test(arguments: [0.0, 50, -50, 200, -200])
  func audioWithAWrongSampleClock(ppm: Double) throws {
    let outcome = try VirtualMicrophone(ppm: { _ in ppm }).run(seconds: InStepTests.seconds)
    check(outcome, seconds: InStepTests.seconds)
    #expect(abs(outcome.driftPPM - ppm) < 5)
    #expect(outcome.driftKnownAt < 42)
    #expect(outcome.jumps == 0 && outcome.lateFrames == 0)
    // Until the drift is known, the pitch is off by the drift and by its correction; 5 cents are 2,900 ppm.
    #expect(outcome.worstPitchPPM < 400 && outcome.worstPitchStepPPM < 150)
    print("\(ppm) ppm: \(outcome)")
  }

  /// A device whose clock drifts with the temperature over half an hour, with a fault every minute.
  @Test func anHourOfAudioWithFaults() throws {
    let mishaps: [VirtualMicrophone.Mishap] = [
      .overrun(30), .stall(300), .overrun(300), .silentLoss(300), .wrongStamp(1500),
      .silentLoss(15),
      .overrun(5000), .wrongStamp(-500), .silentLoss(50), .overrun(700),
    ]
    let microphone = VirtualMicrophone(
      ppm: { 150 * sin($0 * 2 * .pi / 1800) + 80 }, readMilliseconds: 40,
      mishaps: (1..<61).map { (Double($0) * 60 + 0.7, mishaps[$0 % mishaps.count]) })
    let outcome = try microphone.run(seconds: 3660)
    check(outcome, seconds: 3660, worst: 3)
    #expect(outcome.worstPitchPPM < 400)
    print("an hour of mishaps: \(outcome)")
  }

  @Test func audioInBursts() throws {
    let outcome = try VirtualMicrophone(ppm: { _ in -200 }, readMilliseconds: 100).run(seconds: 200)
    check(outcome, seconds: 200)
    #expect(outcome.jumps == 0 && outcome.lateFrames == 0)
  }

  @Test func audioAt44100Hertz() throws {
    let microphone = VirtualMicrophone(
      rate: 44_100, ppm: { _ in -200 }, jitterNanos: .milliseconds(10))
    let outcome = try microphone.run(seconds: 200)
    check(outcome, seconds: 200)
    #expect(abs(outcome.driftPPM + 200) < 5)
  }

  /// A device that loses samples without reporting it: the audio is in step again within a second, and little more is
  /// lost than the device lost.
  @Test func unreportedLossesAreCorrectedSoon() throws {
    let outcome = try VirtualMicrophone(mishaps: [(second: 33.9, what: .silentLoss(300))])
      .run(seconds: 45)
    let next = try #require(outcome.errors.first { $0.second > 34 })
    #expect(next.second == 35 && abs(next.nanos) < 1_000_000)
    #expect(outcome.jumps == 1)
    #expect(outcome.lateFrames < 48_000 * 6 / 10)
  }

  private func check(_ outcome: VirtualMicrophone.Outcome, seconds: Double, worst: Double = 1.5) {
    #expect(outcome.errors.count >= Int(seconds / VirtualMicrophone.spacing) * 98 / 100)
    #expect(outcome.worst(0...seconds) < worst, "milliseconds")
    let (first, last) = (outcome.mean(20...seconds / 3), outcome.mean(seconds * 2 / 3...seconds))
    #expect(abs(first - last) < 0.2, "milliseconds")
    // RTMP timestamps are whole milliseconds.
    #expect(outcome.worstStampNanos < 1_000_000)
  }

  /// Cameras with a wrong frame rate that skip one frame in fifty, and sometimes stop for three seconds.
  @Test(arguments: [25, 29.97, 30, 30.02, 59.94])
  func anHourOfPictures(rate: Double) {
    let start = MediaTime(nanos: 1_000_000_000_000)
    var clock = FrameClock(framesPerSecond: 30, firstDeadline: start + .seconds(1))
    var wire = PublishClock(start: start)
    var dice = SplitMix64(seed: 5)
    var worst: Int64 = 0
    var count = 0
    for index in 1..<Int(3600 * rate) {
      let second = Double(index) / rate
      let capture = start + Int64(second * 1e9)
      let isLost = UInt.random(in: 0..<50, using: &dice) == 0 || Int(second) % 600 > 596
      if isLost { continue }
      let now = capture + Int64.random(in: 5_000_000...25_000_000, using: &dice)
      while clock.deadline < now { _ = wire.video(clock.stampRepeat(now: clock.deadline)) }
      guard let time = clock.stamp(capturedAt: capture, now: now) else { continue }
      let told = wire.video(time)
      count += 1
      worst = max(worst, abs(start.nanos + Int64(told) * 1_000_000 - capture.nanos))
    }
    #expect(worst <= clock.interval)
    #expect(Double(count) > min(rate, 30) * 3600 * 0.97)
    print("\(rate) a second: \(count) pictures, worst \(Double(worst) / 1e6) ms")
  }
}
