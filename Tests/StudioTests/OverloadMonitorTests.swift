// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Settings
import Testing

@testable import Studio

@Suite struct OverloadMonitorTests {
  /// The reports during a time in which some frames per second are dropped because the encoder is busy.
  private func told(perSecond: [Int]) -> [Int] {
    var monitor = OverloadMonitor(Settings().video)
    var dropped = 100
    var seconds: [Int] = []
    for (second, count) in perSecond.enumerated() {
      dropped += count
      let now = MediaTime(nanos: .seconds(1_000) + .seconds(Int64(second)))
      if monitor.check(now, dropped: dropped) != nil { seconds.append(second) }
    }
    return seconds
  }

  @Test func aMachineThatKeepsUpIsNotReported() {
    #expect(told(perSecond: Array(repeating: 2, count: 600)) == [])
    // Frames lost at the start do not count as overload.
    #expect(told(perSecond: [500] + Array(repeating: 0, count: 60)) == [])
  }

  @Test func anOverloadIsReportedOnceAndRarelyRepeated() {
    #expect(told(perSecond: Array(repeating: 10, count: 700)) == [10, 610])
  }

  @Test func aShortStallIsNoOverload() {
    var counts = Array(repeating: 0, count: 60)
    counts[33] = 29
    #expect(told(perSecond: counts) == [])
  }
}
