// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Settings
import Testing

@testable import Appliance

@Suite struct OverloadMonitorTests {
  /// What is told in a time in which so many pictures a second come too fast.
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

  @Test func aMachineThatKeepsUpIsNotSpokenOf() {
    #expect(told(perSecond: Array(repeating: 2, count: 600)) == [])
    // What is lost at the start is not the machine's pace.
    #expect(told(perSecond: [500] + Array(repeating: 0, count: 60)) == [])
  }

  @Test func oneThatDoesNotIsToldOnceAndRarelyAgain() {
    #expect(told(perSecond: Array(repeating: 10, count: 700)) == [10, 610])
  }

  @Test func aShortStallIsNoPace() {
    var counts = Array(repeating: 0, count: 60)
    counts[33] = 29
    #expect(told(perSecond: counts) == [])
  }
}
