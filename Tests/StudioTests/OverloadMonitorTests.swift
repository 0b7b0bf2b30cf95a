// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Studio

@Suite struct OverloadMonitorTests {
  private struct Told: Equatable {
    var second: Int
    var loss: LateLoss
  }

  private static let start = MediaTime(nanos: .seconds(1_000))

  /// The reports during a time in which some frames per second are dropped because the encoder is busy.
  private func told(perSecond: [Int]) -> [Told] {
    var monitor = OverloadMonitor(framesPerSecond: 30)
    var dropped = 100
    var told: [Told] = []
    for (second, count) in perSecond.enumerated() {
      dropped += count
      let now = OverloadMonitorTests.start + .seconds(Int64(second))
      if let loss = monitor.check(now, dropped: dropped) {
        told.append(Told(second: second, loss: loss))
      }
    }
    return told
  }

  @Test func aMachineThatKeepsUpIsNotReported() {
    #expect(told(perSecond: Array(repeating: 0, count: 4_000)) == [])
    // Frames lost at the start do not count as overload.
    #expect(told(perSecond: [500] + Array(repeating: 0, count: 1_000)) == [])
  }

  @Test func anOverloadIsReportedOnceAndRarelyRepeated() {
    let loss = LateLoss(dropped: 100, seconds: 10)
    #expect(
      told(perSecond: Array(repeating: 10, count: 700)) == [
        Told(second: 10, loss: loss), Told(second: 610, loss: loss),
      ])
  }

  @Test func aShortStallIsNoOverload() {
    var counts = Array(repeating: 0, count: 1_300)
    counts[33] = 29
    counts[700] = 29
    #expect(told(perSecond: counts) == [])
  }

  /// Two frames a second for three hours: told after ten minutes, and each hour.
  @Test func aSmallLossThatLastsIsReported() {
    let loss = LateLoss(dropped: 1_200, seconds: 600)
    #expect(
      told(perSecond: Array(repeating: 2, count: 3 * 3_600)) == [
        Told(second: 600, loss: loss), Told(second: 4_200, loss: loss),
        Told(second: 7_800, loss: loss),
      ])
  }

  /// The limit is a frame of 200.
  @Test(arguments: [(90, 0), (91, 1)])
  func aVerySmallLossIsNotReported(_ lost: Int, _ times: Int) {
    let counts = (0...600).map { $0 % 6 == 1 && $0 / 6 < lost ? 1 : 0 }
    #expect(counts.reduce(0, +) == lost)
    #expect(told(perSecond: counts).count == times)
  }

  /// Ten seconds in which everything is lost are reported as what they are.
  @Test func anOverloadIsNoSmallLoss() {
    var counts = Array(repeating: 0, count: 1_300)
    for second in 301...310 { counts[second] = 30 }
    #expect(
      told(perSecond: counts) == [Told(second: 310, loss: LateLoss(dropped: 300, seconds: 10))])
  }

  @Test func aSmallLossEnds() {
    var monitor = OverloadMonitor(framesPerSecond: 30)
    var states: [Bool] = []
    for window in 0...180 {
      // Only in the second of three times ten minutes.
      let dropped = min(max(0, window - 60), 60) * 5
      _ = monitor.check(
        OverloadMonitorTests.start + .seconds(Int64(window * 10)), dropped: dropped)
      if window > 0, window % 60 == 0 { states.append(monitor.hasLastingLoss) }
    }
    #expect(states == [false, true, false])
    #expect(!monitor.isOverloaded)
  }

  /// The count of a part that is closed is not there any more.
  @Test func aCountThatFallsIsNoGain() {
    var monitor = OverloadMonitor(framesPerSecond: 30)
    let counts = [500, 0, 31]
    let losses = counts.enumerated().map { index, dropped in
      monitor.check(
        OverloadMonitorTests.start + .seconds(Int64(index * 10)), dropped: dropped)
    }
    #expect(losses == [nil, nil, LateLoss(dropped: 31, seconds: 10)])
  }
}
