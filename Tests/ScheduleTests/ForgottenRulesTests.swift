// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Schedule
import Testing

@Suite struct ForgottenRulesTests {
  private static let nothing = ForgottenRules.Present(
    broadcast: 1, isPaused: false, isSilent: true, isStill: true)

  /// What follows from a present state that lasts for so many seconds, and after how many each.
  private func run(
    _ rules: inout ForgottenRules, _ present: ForgottenRules.Present, from start: Int64,
    seconds: Int64, minutes: Int = 10
  ) -> [Int64: ForgottenRules.Action] {
    var found: [Int64: ForgottenRules.Action] = [:]
    for second in 0..<seconds {
      found[second] = rules.advance(present, minutes: minutes, uptime: start + second)
    }
    return found
  }

  @Test("It is warned of five minutes before, and ends")
  func ends() {
    var rules = ForgottenRules()
    let found = run(&rules, Self.nothing, from: 50, seconds: 601)
    #expect(found == [300: .warn(seconds: 300), 600: .end])
  }

  @Test("Off by default, and whatever viewers see or hear, a pause and a person begin it anew")
  func begins() {
    var off = ForgottenRules()
    #expect(run(&off, Self.nothing, from: 0, seconds: 9_000, minutes: 0).isEmpty)
    var changes: [(inout ForgottenRules.Present) -> Void] = []
    changes.append { $0.isPaused = true }
    changes.append { $0.isSilent = false }
    changes.append { $0.isStill = false }
    changes.append { $0.broadcast = 2 }
    for change in changes {
      var rules = ForgottenRules()
      var other = Self.nothing
      change(&other)
      #expect(run(&rules, Self.nothing, from: 0, seconds: 599).count == 1)
      _ = rules.advance(other, minutes: 10, uptime: 599)
      #expect(rules.endsAt == nil)
      #expect(run(&rules, Self.nothing, from: 600, seconds: 601)[600] == .end)
    }
    var rules = ForgottenRules()
    _ = run(&rules, Self.nothing, from: 0, seconds: 599)
    #expect(rules.endsAt == 600)
    rules.reset()
    #expect(run(&rules, Self.nothing, from: 599, seconds: 599).count == 1)
  }
}
