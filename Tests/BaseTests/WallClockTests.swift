// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Base

struct WallClockTests {
  /// As "date -u -d @SECONDS" has them.
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (1_735_689_599_001, "2024-12-31T23:59:59.001Z"),
      (1_769_860_800_007, "2026-01-31T12:00:00.007Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func theTextIsISO8601(_ milliseconds: Int64, _ text: String) {
    #expect(WallClock.text(milliseconds) == text)
  }

  @Test func theSystemClockGoesOn() {
    let before = WallClock.system.milliseconds
    // 2025-01-01: later than that this was written.
    #expect(before > 1_735_689_600_000)
    #expect(WallClock { 1_999 }.seconds == 1)
  }
}
