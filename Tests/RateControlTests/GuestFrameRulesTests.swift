// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import RateControl
import Testing

@Suite struct GuestFrameRulesTests {
  /// The divisor after each second.
  private func divisors(_ levels: [Double?], isTooMuch: Bool = false) -> [Int] {
    var rules = GuestFrameRules()
    return levels.enumerated().map { second, level in
      rules.follow(level: level, isTooMuch: isTooMuch, at: .seconds(second))
      return rules.divisor
    }
  }

  @Test func guestsGetFewerFramesStepByStep() {
    let low = [Double?](repeating: 0.2, count: 10)
    #expect(divisors(low) == [2, 2, 4, 4, 8, 8, 8, 8, 8, 8])
    #expect(divisors([nil, nil, nil], isTooMuch: true) == [2, 2, 4])
    #expect(divisors([0.7, 1, 3, nil]) == [1, 1, 1, 1])
  }

  @Test(arguments: [1.5, nil] as [Double?])
  func theyGetMoreOnceThereHasBeenRoomForAWhile(level: Double?) {
    let room = [Double?](repeating: level, count: 45)
    let divisors = divisors([0.2, 0.2, 0.2] + room)
    #expect(divisors[2...22].allSatisfy { $0 == 4 })
    #expect(divisors[23...43].allSatisfy { $0 == 2 })
    #expect(divisors[44...].allSatisfy { $0 == 1 })
  }

  @Test func aBusyMomentBeginsTheWaitAnew() {
    let levels =
      [0.2] + [Double?](repeating: 2, count: 15) + [1] + [Double?](repeating: 2, count: 20)
    let divisors = divisors(levels)
    #expect(divisors[...36].allSatisfy { $0 == 2 })
  }
}
