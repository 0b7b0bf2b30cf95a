// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Studio

@Suite struct CountingTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  @Test func aSourceIsLostAfterItsPatience() {
    let pulse = Pulse()
    let health = { (pulse: borrowing Pulse, nanos: Int64) in
      pulse.health(start + nanos, startedAt: start)
    }
    #expect(health(pulse, .seconds(1) - 1) == .opening)
    #expect(health(pulse, .seconds(1)) == .lost)
    pulse.beat(start + .seconds(2))
    #expect(health(pulse, .milliseconds(2_400)) == .good)
    #expect(health(pulse, .milliseconds(2_400) + 1) == .lost)
    // Back at once, and two and a half times its own interval from then on.
    pulse.beat(start + .seconds(2) + .milliseconds(500))
    #expect(health(pulse, .milliseconds(2_500 + 1_250)) == .good)
    #expect(health(pulse, .milliseconds(2_500 + 1_250) + 1) == .lost)
    // Two seconds at most.
    pulse.beat(start + .seconds(10))
    #expect(health(pulse, .seconds(12)) == .good)
    #expect(health(pulse, .seconds(12) + 1) == .lost)
  }

  /// A source that takes over has as long to open as the first one.
  @Test func anotherSourceMayTakeItsTimeToOpen() {
    let pulse = Pulse()
    pulse.beat(start)
    pulse.forget()
    let opened = start + .seconds(60)
    #expect(pulse.health(opened + .milliseconds(900), startedAt: opened) == .opening)
    #expect(pulse.health(opened + .seconds(1), startedAt: opened) == .lost)
    pulse.beat(opened + .seconds(2))
    #expect(pulse.health(opened + .seconds(2), startedAt: opened) == .good)
  }

  @Test func aFailureCountsAnewWhenItsSourceIsOpenedAgain() {
    let failing = FailureTracker()
    failing.beginAgain(start)
    let before = failing.isFailing
    failing.fail(start)
    failing.beginAgain(start + .seconds(5))
    let soon = failing.lasts(start + .seconds(6))
    let late = failing.lasts(start + .seconds(6) + 1)
    let after = failing.isFailing
    #expect(!before && after && !soon && late)
  }

  @Test func aFailureLastsAfterASecond() {
    let failing = FailureTracker()
    failing.fail(start)
    failing.fail(start + .milliseconds(900))
    let soon = failing.lasts(start + .seconds(1))
    let late = failing.lasts(start + .seconds(1) + 1)
    #expect(!soon && late)
    failing.succeed()
    let now = failing.lasts(start + .seconds(9))
    #expect(!now)
  }

  @Test func theReportCountsInPlainWords() {
    var report = BroadcastReport(seconds: 720)
    report.video = BroadcastReport.Video(
      frames: 21_600, repeated: 3, surplus: 4, late: 5, unreadable: 0, failed: 0, bytes: 181_080_000
    )
    report.audio = BroadcastReport.Audio(packets: 33_750, failed: 0, lateFrames: 480, late: 2)
    report.servers = [
      BroadcastReport.Server(
        bytes: 1_250_000, dropped: 1, reconnects: 1, deliveredAgoNanos: 40_000_000)
    ]
    #expect(
      report.line
        == "Counters after 12 min: 21,600 frames encoded (3 repeated, 4 surplus, 5 late), "
        + "2012 kbit/s video; 33,750 audio packets (0 failed, 480 samples and 2 chunks late); "
        + "sent 1.2 MB, 1 packet dropped, 1 reconnect, delivered up to 40 ms ago.")
    #expect(BroadcastReport(seconds: 29).line.hasPrefix("Counters after 29 s: "))
  }
}
