// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Settings
import Testing

@testable import Appliance

@Suite struct PaceTests {
  /// What is told in a time in which so many pictures a second come too fast.
  private func told(perSecond: [Int]) -> [Int] {
    var pace = Pace(Settings().video)
    var overtaken = 100
    var seconds: [Int] = []
    for (second, count) in perSecond.enumerated() {
      overtaken += count
      let now = MediaTime(nanos: .seconds(1_000) + .seconds(Int64(second)))
      if pace.look(now, overtaken: overtaken) != nil { seconds.append(second) }
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
