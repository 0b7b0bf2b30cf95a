// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import RateControl

@Suite struct SpecialFrameCostsTests {
  @Test func eachRungLearnsItsOwnFactor() {
    var costs = SpecialFrameCosts(usual: 1.3)
    #expect((0...SpeedLadder.top).allSatisfy { costs.factor(at: $0) == 1.3 })
    costs.add(2, at: 7)
    #expect(costs.factor(at: 7) == 2)
    #expect(costs.factor(at: 6) == 1.3, "nothing is known of the rungs below")
    #expect(costs.factor(at: 10) == 2, "a dearer rung is taken to be no better")
    costs.add(1, at: 7)
    #expect(costs.factor(at: 7) == 1.75)
    costs.add(1, at: 3)
    #expect(costs.factor(at: 4) == 1.3 && costs.factor(at: 8) == 1.75)
    #expect(abs(costs.factor(at: 3) - 1.225) < 1e-9, "a first small one lowers it a little")
  }
}
