// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Box

@Suite struct OffAirViewingTests {
  /// A request at a second of the table, and whether it is answered.
  private typealias Row = (at: Int64, request: OffAirViewing.Request, isAllowed: Bool)

  private static let start = MediaTime(nanos: .seconds(1_020))
  private static let person = OffAirViewing.Viewer(name: "the page", isToken: false)

  private func check(_ rows: [Row], needsExplicitRequest: Bool = false) {
    var viewing = OffAirViewing()
    for row in rows {
      let verdict = viewing.verdict(
        row.request, by: Self.person, needsExplicitRequest: needsExplicitRequest,
        now: Self.start + .seconds(row.at))
      #expect((verdict == .open) == row.isAllowed, "\(row)")
    }
  }

  /// A script that asks again and again.
  @Test func tokensLookForHalfOfAnHour() {
    var viewing = OffAirViewing()
    let token = OffAirViewing.Viewer(name: "the token x", isToken: true)
    var open: [Int64] = []
    for second in stride(from: Int64(0), to: 4 * 3_600, by: 5) {
      let now = Self.start + .seconds(second)
      if viewing.verdict(.again, by: token, now: now) == .open { open.append(second) }
      // A person is not bounded.
      if second % 1_000 == 0 {
        #expect(viewing.verdict(.again, by: Self.person, now: now) == .open)
      }
    }
    for begin in stride(from: Int64(0), to: 3 * 3_600, by: 60) {
      let seconds = open.count { $0 >= begin && $0 < begin + 3_600 } * 5
      #expect(seconds <= OffAirViewing.tokenMinutes * 60, "from second \(begin) on")
    }
    #expect(open.count * 5 >= 2 * 3_600 - 60, "half of the time")
  }

  @Test func whoLooksIsKnown() {
    var viewing = OffAirViewing()
    func look(_ name: String, at second: Int64) {
      let viewer = OffAirViewing.Viewer(name: name, isToken: false)
      #expect(viewing.verdict(.first, by: viewer, now: Self.start + .seconds(second)) == .open)
    }
    look("b", at: 0)
    look("a", at: 10)
    #expect(viewing.viewers(Self.start + .seconds(14)) == ["a", "b"])
    #expect(viewing.viewers(Self.start + .seconds(16)) == ["a"])
    #expect(viewing.viewers(Self.start + .seconds(26)) == [])
  }

  /// However many look: whoever came last is told of, and who goes on looking stays so.
  @Test func nobodyLooksWithoutATrace() {
    var viewing = OffAirViewing()
    func look(_ name: String, at millisecond: Int64) {
      let viewer = OffAirViewing.Viewer(name: name, isToken: false)
      let now = Self.start + .milliseconds(millisecond)
      #expect(viewing.verdict(.first, by: viewer, now: now) == .open)
    }
    for number in 0..<16 { look("\(10 + number)", at: Int64(number) * 100) }
    look("10", at: 5_000)
    look("new", at: 6_000)
    let names = viewing.viewers(Self.start + .seconds(7))
    #expect(names.count == 16 && names.contains("new") && names.contains("10"))
    #expect(!names.contains("11"), "looked longest ago")
  }

  /// A token that may not look any more opens nothing for others, and keeps nothing open.
  @Test func aSpentTokenBeginsNothing() {
    var viewing = OffAirViewing()
    let token = OffAirViewing.Viewer(name: "the token x", isToken: true)
    for minute in 0..<Int64(OffAirViewing.tokenMinutes) {
      let now = Self.start + .seconds(minute * 60)
      #expect(viewing.verdict(.again, by: token, now: now) == .open)
    }
    let later = Self.start + .seconds(45 * 60)
    #expect(!viewing.isRunning(later))
    #expect(viewing.verdict(.again, by: token, now: later) == .spent)
    #expect(!viewing.isRunning(later))
    // A person still begins anew.
    #expect(viewing.verdict(.first, by: Self.person, now: later + .seconds(1)) == .open)
  }

  /// The room was made private: only a person who asks for it sees it.
  @Test func aPauseThatCountsOnNeedsAWord() {
    check(
      [
        (0, .first, false), (61, .first, false), (62, .more, false), (200, .first, false),
        (201, .again, true), (202, .first, true), (203, .more, true), (262, .more, true),
        (322, .more, false), (1_000, .first, false), (1_001, .more, false), (1_002, .again, true),
      ], needsExplicitRequest: true)
  }

  /// A player that begins again whenever its stream ends.
  @Test func tenMinutesAreTenMinutes() {
    var rows: [Row] = (0..<1_200).map { ($0, $0 % 7 == 0 ? .first : .more, $0 < 600) }
    // Refused requests are requests, too.
    rows += [(1_258, .first, false), (1_259, .more, false), (1_261, .again, true)]
    rows += (1_262..<1_900).map { ($0, .more, $0 < 1_861) }
    check(rows)
  }

  @Test func afterAMinuteWithoutARequestItBeginsAnew() {
    check([
      (0, .first, true), (59, .first, true), (599, .more, true), (600, .more, false),
      (659, .first, false), (719, .first, true), (1_318, .more, true), (1_319, .more, false),
    ])
  }

  /// A series with a long interval is one view, however long nobody else asks.
  @Test func whatGoesOnBeginsNothing() {
    check([
      (0, .first, true), (300, .more, true), (600, .more, false), (900, .more, false),
      (901, .first, false), (961, .first, true), (1_500, .more, true), (1_561, .more, false),
    ])
  }

  /// A view that began on air, without a request.
  @Test func whatGoesOnOffAirHasItsTime() {
    check([(0, .more, true), (599, .more, true), (600, .more, false), (601, .again, true)])
  }
}
