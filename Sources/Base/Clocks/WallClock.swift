// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Reads the time of day (UTC), for display and for events that are due at a date and a time of day. The time may jump
/// when the system clock is set, so durations are measured with `MediaClock`.
public struct WallClock: Sendable {
  /// The system's time of day: CLOCK_REALTIME.
  public static let system = WallClock {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Returns the present time in milliseconds since 1970-01-01 UTC.
  private let read: @Sendable () -> Int64

  /// - Parameter read: returns the present time in milliseconds since 1970-01-01 UTC.
  public init(read: @escaping @Sendable () -> Int64) { self.read = read }

  /// The present time in milliseconds since 1970-01-01 UTC.
  public var milliseconds: Int64 { read() }

  /// The present time in whole seconds since 1970-01-01 UTC.
  public var seconds: Int64 { read() / 1_000 }

  /// A time as text, in UTC and ISO 8601: "2026-01-31T12:00:00.000Z".
  /// - Parameter milliseconds: since 1970-01-01 UTC.
  public static func text(_ milliseconds: Int64) -> String {
    let (days, rest) = floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = date(days)
    let seconds = rest / 1_000
    let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time.joined(separator: ":"))"
      + ".\(padded(rest % 1_000, 3))Z"
  }

  /// The date that is `days` days after 1970-01-01; see `CalendarDate`. Counts years from March on, so that a leap day is the last day of a
  /// year, in eras of 400 years, which all have the same number of days (Howard Hinnant: chrono-Compatible Low-Level
  /// Date Algorithms).
  static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // The five months from March on have 153 days, and so have the five from August on.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }

  /// The number of days from 1970-01-01 to a date; `nil` if there is no such date. The reverse of `date`.
  public static func days(until year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let yearFromMarch = month > 2 ? year : year - 1
    let (era, yearOfEra) = floorDivide(yearFromMarch, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return date(days) == (year, month, day) ? days : nil
  }

  /// Divides and rounds down, so that the remainder is never negative.
  private static func floorDivide(
    _ number: Int64, _ divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// A number as text of at least `digits` digits, with zeros in front.
  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
