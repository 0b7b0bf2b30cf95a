// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@testable import Control

@Suite struct AimingTests {
  /// A request at a second of the table, and whether it is answered.
  private typealias Row = (at: Int64, request: Aiming.Request, isAllowed: Bool)

  private func check(_ rows: [Row]) {
    let start = MediaTime(nanos: .seconds(1_000))
    var aiming = Aiming()
    for row in rows {
      let isAllowed = aiming.allows(row.request, now: start + .seconds(row.at))
      #expect(isAllowed == row.isAllowed, "\(row)")
    }
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
