// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import RateControl
import Testing

@Suite struct SecondEncodingRulesTests {
  private typealias Load = SecondEncodingRules.Load

  /// The rules, to be changed inside of an expectation.
  private final class Bench {
    var rules = SecondEncodingRules()
    func follow(isWanted: Bool = true, _ load: Load, at seconds: Int) -> Bool {
      rules.follow(isWanted: isWanted, load, at: .seconds(seconds))
    }
  }

  private func load(_ level: Double?, isTooMuch: Bool = false, dropped: Int = 0) -> Load {
    var load = Load()
    (load.level, load.isTooMuch, load.dropped) = (level, isTooMuch, dropped)
    return load
  }

  @Test func itRunsWhileItIsWantedAndThereIsRoom() {
    let rules = Bench()
    #expect(!rules.follow(isWanted: false, load(5), at: 0))
    #expect(!rules.follow(load(1.75), at: 0), "the broadcast needs the time")
    #expect(!rules.follow(load(5, isTooMuch: true), at: 0))
    #expect(rules.follow(load(2), at: 1))
    // Its own work lowers the level of the broadcast.
    #expect(rules.follow(load(1), at: 2))
    #expect(!rules.follow(isWanted: false, load(5), at: 3))
    // At a fixed speed there is no level.
    #expect(rules.follow(load(nil), at: 4))
  }

  @Test func itEndsWhereThereIsNoRoom() {
    for (worse, seconds) in [
      (load(3, isTooMuch: true), 0), (load(3, dropped: 66), 0), (load(0.5, dropped: 50), 5),
    ] {
      let rules = Bench()
      #expect(rules.follow(load(3), at: 0))
      // What is dropped while the encoder is being opened does not count, nor is a frame now and then.
      for second in 1...20 { #expect(rules.follow(load(3, dropped: 50), at: second)) }
      #expect(rules.follow(load(3, dropped: 65), at: 21))
      #expect(rules.follow(worse, at: 22) == (seconds > 0))
      #expect(!rules.rules.isRefused || seconds == 0)
      #expect(!rules.follow(worse, at: 22 + seconds))
      #expect(rules.rules.isRefused)
    }
    // A costly scene alone is no reason.
    let rules = Bench()
    for second in 0..<100 {
      let level = second % 5 == 0 ? 3 : 0.0
      #expect(rules.follow(load(level), at: second))
    }
  }

  @Test func theNextAttemptWaitsLongerEachTime() {
    let rules = Bench()
    var waits: [Int] = []
    var endedAt: Int?
    for second in 0..<20_000 {
      let runs = rules.follow(
        load(3, isTooMuch: rules.rules.isRunning), at: second)
      if runs, let ended = endedAt {
        waits.append(second - ended)
        endedAt = nil
      } else if !runs, endedAt == nil {
        endedAt = second
      }
    }
    #expect(waits.prefix(7) == [60, 120, 240, 480, 960, 1_800, 1_800])
  }
}
