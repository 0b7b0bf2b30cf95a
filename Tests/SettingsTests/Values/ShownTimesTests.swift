// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Testing

@testable import Settings

/// `from` and `until` of an overlay.
@Suite struct ShownTimesTests {
  private let berlin: TimeZoneFile

  init() throws {
    let bytes = [UInt8](
      try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
    berlin = try #require(TimeZoneFile(bytes))
  }

  private func times(_ from: String, _ until: String) -> ShownTimes {
    ShownTimes(from: ClockTime(from), until: ClockTime(until))
  }

  /// Seconds since 1970 of a time in UTC.
  private func utc(_ text: String) throws -> Int64 {
    guard case .once(let minute) = try #require(ClockTime(text)) else {
      throw CancellationError()
    }
    return minute * 60
  }

  @Test(arguments: [
    "00:00", "18:30", "23:59", "2026-12-24 18:30", "2028-02-29 00:00", "1970-01-01 00:00",
    "9999-12-31 23:59",
  ])
  func aTimeIsWrittenAsItIsRead(text: String) {
    #expect(ClockTime(text)?.text == text)
  }

  @Test(arguments: [
    "", "24:00", "18:60", "8:30", "18.30", "18:30:00", "+8:30", " 18:30", "18:30 ", "1830",
    "2026-12-24", "2026-02-29 18:30", "2026-13-01 18:30", "2026-00-01 18:30", "2026-04-31 18:30",
    "2026-12-24T18:30", "2026-12-24  18:30", "24.12.2026 18:30", "２0:30", "now",
  ])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(ClockTime(text) == nil)
  }

  /// Days of eight centuries, against Foundation. Before 1582 it counts by another calendar.
  @Test func datesAreDays() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in stride(from: Int64(-100_000), to: 200_000, by: 97) {
      let date = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let (year, month, day) = (Int64(date.year ?? 0), Int64(date.month ?? 0), Int64(date.day ?? 0))
      #expect(WallClock.days(until: year, month, day) == days)
    }
  }

  private static let cases: [(String, String, String, Bool)] = [
    // Nothing bounds it.
    ("", "", "2026-06-01 12:00", true),
    // In Berlin it is two hours later in summer, one in winter.
    ("18:30", "20:00", "2026-06-01 16:29", false), ("18:30", "20:00", "2026-06-01 16:30", true),
    ("18:30", "20:00", "2026-06-01 17:59", true), ("18:30", "20:00", "2026-06-01 18:00", false),
    ("18:30", "20:00", "2026-12-01 17:30", true), ("18:30", "20:00", "2026-12-01 16:30", false),
    // Over midnight.
    ("22:00", "02:00", "2026-12-01 20:59", false), ("22:00", "02:00", "2026-12-01 21:00", true),
    ("22:00", "02:00", "2026-12-01 23:30", true), ("22:00", "02:00", "2026-12-02 00:59", true),
    ("22:00", "02:00", "2026-12-02 01:00", false),
    // One alone bounds a part of each day.
    ("18:30", "", "2026-12-01 17:29", false), ("18:30", "", "2026-12-01 22:59", true),
    ("18:30", "", "2026-12-01 23:00", false), ("", "18:30", "2026-12-01 23:00", true),
    ("", "18:30", "2026-12-01 17:30", false),
    // Dates.
    ("2026-12-24 18:30", "", "2026-12-24 17:29", false),
    ("2026-12-24 18:30", "", "2026-12-24 17:30", true),
    ("2026-12-24 18:30", "", "2030-01-01 00:00", true),
    ("", "2026-12-24 18:30", "2000-01-01 00:00", true),
    ("", "2026-12-24 18:30", "2026-12-24 17:30", false),
    // Each evening up to a date.
    ("18:30", "2026-12-24 20:00", "2026-12-01 17:00", false),
    ("18:30", "2026-12-24 20:00", "2026-12-01 18:00", true),
    ("18:30", "2026-12-24 20:00", "2026-12-24 18:59", true),
    ("18:30", "2026-12-24 20:00", "2026-12-24 19:00", false),
    // 02:30 is skipped on 29 March, and comes twice on 25 October.
    ("2026-03-29 02:30", "", "2026-03-29 01:29", false),
    ("2026-03-29 02:30", "", "2026-03-29 01:30", true),
    ("2026-10-25 02:30", "", "2026-10-25 00:29", false),
    ("2026-10-25 02:30", "", "2026-10-25 00:30", true),
    // It does not go again while clocks show 02:00 for the second time.
    ("2026-10-25 02:30", "", "2026-10-25 01:00", true),
  ]

  @Test(arguments: cases)
  func itIsShownBetweenThem(from: String, until: String, now: String, isShown: Bool) throws {
    #expect(times(from, until).includes(try utc(now), in: berlin) == isShown)
  }

  @Test func beforeThisEraADayIsADay() {
    #expect(times("23:00", "").includes(-3_600, in: .utc))
    #expect(!times("23:00", "").includes(-3_601, in: .utc))
  }
}
