// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A date and a time of day as clocks on a wall show it, without a time zone.
public struct LocalTime: Comparable, Hashable, Sendable {
  /// The seconds from 1970-01-01 00:00 to this time, on the same clocks.
  public var seconds: Int64

  public init(seconds: Int64) { self.seconds = seconds }

  /// - Parameters:
  ///   - day: days since 1970-01-01.
  ///   - minute: minutes since midnight.
  public init(day: Int64, minute: Int) { seconds = day * 86_400 + Int64(minute) * 60 }

  /// The date, in days since 1970-01-01.
  public var day: Int64 { (seconds - secondOfDay) / 86_400 }

  /// The seconds since midnight, 0 to 86,399.
  public var secondOfDay: Int64 { (seconds % 86_400 + 86_400) % 86_400 }

  /// The day of the week.
  public var weekday: Weekday { Weekday(day: day) }

  /// Date and time as text: "2026-12-24 18:30".
  public var text: String {
    String(WallClock.text(seconds * 1_000).prefix(16)).replacing("T", with: " ")
  }

  /// The date as text: "2026-12-24".
  public var dateText: String { String(text.prefix(10)) }

  /// The time of day as text: "18:30".
  public var timeText: String { String(text.suffix(5)) }

  public static func < (one: LocalTime, other: LocalTime) -> Bool { one.seconds < other.seconds }
}

/// A day of the week. The raw values are the names that settings use.
public enum Weekday: String, CaseIterable, Comparable, Codable, Sendable {
  case monday = "mon"
  case tuesday = "tue"
  case wednesday = "wed"
  case thursday = "thu"
  case friday = "fri"
  case saturday = "sat"
  case sunday = "sun"

  /// - Parameter day: days since 1970-01-01, which was a Thursday.
  public init(day: Int64) { self = Weekday.allCases[Int(((day + 3) % 7 + 7) % 7)] }

  private var number: Int { Weekday.allCases.firstIndex(of: self) ?? 0 }

  /// Monday comes first.
  public static func < (one: Weekday, other: Weekday) -> Bool { one.number < other.number }
}

/// A date of the Gregorian calendar.
public struct CalendarDate: Sendable {
  /// Days since 1970-01-01.
  public let day: Int64
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let dayOfMonth: Int

  /// - Parameter day: days since 1970-01-01.
  public init(day: Int64) {
    let (year, month, dayOfMonth) = WallClock.date(day)
    self.day = day
    (self.year, self.month, self.dayOfMonth) = (Int(year), Int(month), Int(dayOfMonth))
  }

  private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private var lengths: [Int] {
    [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  public var daysOfMonth: Int { lengths[month - 1] }

  public var daysOfYear: Int { isLeapYear ? 366 : 365 }

  /// 1 to 366.
  public var dayOfYear: Int { lengths[..<(month - 1)].reduce(0, +) + dayOfMonth }
}

extension TimeZoneFile {
  /// The time that the clocks of this zone show.
  /// - Parameter seconds: since 1970-01-01 UTC.
  public func localTime(at seconds: Int64) -> LocalTime {
    LocalTime(seconds: seconds + Int64(offset(at: seconds)))
  }

  /// The moment at which the clocks of this zone show a time, in seconds since 1970-01-01 UTC. If they show it twice
  /// (the clocks are put back), the first of the two; if they skip it (the clocks are put forward), the moment at which
  /// they would have shown it without the change (RFC 5545, section 3.3.5).
  public func moment(of time: LocalTime) -> Int64 {
    let local = time.seconds
    // The offsets from UTC one day earlier and one day later: they differ if the clocks change in between.
    let before = local - Int64(offset(at: local - 86_400))
    let after = local - Int64(offset(at: local + 86_400))
    return [min(before, after), max(before, after)].first { localTime(at: $0) == time } ?? before
  }
}
