// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import RateControl

@Suite struct SpeedLadderTests {
  private func rises(_ ladder: SpeedLadder) -> Bool {
    zip(ladder.costs, ladder.costs.dropFirst()).allSatisfy(<)
  }

  @Test func effortsAreWhatAnEncoderHasRoomFor() {
    #expect(SpeedLadder.usualCosts.count == SpeedLadder.efforts.count)
    for effort in SpeedLadder.efforts {
      #expect((1...EncoderEffort.mostReferences).contains(effort.references))
      // x264 turns it off without a second reference.
      #expect(!effort.mixesReferences || effort.references > 1)
      #expect(effort.subpixelRefinement >= 1)
    }
  }

  @Test func levelsAndCostsFitTogether() {
    let ladder = SpeedLadder()
    for level in stride(from: 0, through: Double(SpeedLadder.top), by: 0.25) {
      #expect(abs(ladder.level(of: ladder.cost(at: level)) - level) < 1e-9)
    }
    #expect(ladder.level(of: 0.99) < 0)
    #expect(ladder.level(of: 1_000) == Double(SpeedLadder.top))
  }

  @Test func measuredCostsThatMakeNoSenseAreNotUsed() {
    let usual = SpeedLadder()
    var broken = SpeedLadder.usualCosts
    for value in [0, -1, .nan, .infinity] {
      broken[3] = value
      #expect(SpeedLadder(costs: broken) == usual)
    }
    #expect(SpeedLadder(costs: []) == usual)
    // In any unit, and in any order.
    #expect(SpeedLadder(costs: SpeedLadder.usualCosts.map { $0 * 7e6 }).costs[0] == 1)
    #expect(rises(SpeedLadder(costs: SpeedLadder.usualCosts.reversed())))
  }

  @Test func neighboursTeachTheirCosts() {
    var ladder = SpeedLadder()
    for _ in 0..<200 {
      ladder.learn(7, after: 6, ratio: 1.5)
      ladder.learn(6, after: 7, ratio: 1 / 1.5)
    }
    #expect(abs(ladder.costs[7] / ladder.costs[6] - 1.5) < 0.02)
    #expect(ladder.costs[6] == SpeedLadder.usualCosts[6], "those below stay")
    #expect(rises(ladder))
    // A cut is no lesson.
    let before = ladder
    ladder.learn(7, after: 6, ratio: 9)
    ladder.learn(7, after: 7, ratio: 2)
    ladder.learn(7, after: 6, ratio: .nan)
    #expect(ladder == before)
  }

  /// Whatever it is told.
  @Test func itNeverFalls() {
    var ladder = SpeedLadder()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      ladder.learn(
        .random(in: 0...SpeedLadder.top, using: &random),
        after: .random(in: 0...SpeedLadder.top, using: &random),
        ratio: .random(in: 0.1...10, using: &random))
    }
    #expect(rises(ladder) && ladder.costs.allSatisfy(\.isFinite))
  }
}
