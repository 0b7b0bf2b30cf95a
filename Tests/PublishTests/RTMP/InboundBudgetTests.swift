// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Publish

@Suite struct InboundBudgetTests {
  @Test func acceptsUsualTrafficAndRejectsAFlood() {
    var now = MediaTime(nanos: 0)
    var budget = InboundBudget(now: now)
    // 150 acknowledgements a second for a day, or for 144 minutes.
    for _ in 0..<often(150 * 86_400) {
      now = now + 1_000_000_000 / 150
      guard budget.spend(bytes: 16, now: now), budget.spendMessage() else {
        Issue.record("refused at \(now.nanos)")
        return
      }
    }
    var taken = 0
    while budget.spendMessage() { taken += 1 }
    #expect(taken <= 2_000)
    var bytes = 0
    while budget.spend(bytes: 16_383, now: now) { bytes += 16_383 }
    #expect(bytes <= 262_144)
    now = now + .seconds(1)
    #expect(budget.spend(bytes: 0, now: now) == budget.spendMessage(), "it recovers")
  }
}
