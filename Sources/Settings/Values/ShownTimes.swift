// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The value of an overlay's setting `from` or `until`: a time as clocks show it in the box's time zone.
public enum ClockTime: Sendable, Equatable {
  /// A time of day: the minutes since midnight.
  case daily(Int)
  /// A date and time: the minutes since 1970-01-01 00:00 on the clocks of the time zone.
  case once(Int64)

  /// Parses "18:30" or "2026-12-24 18:30".
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let time = parts.last, parts.count <= 2,
      let clock = ClockTime.numbers(time, separator: ":", digits: [2, 2]),
      clock[0] < 24, clock[1] < 60
    else { return nil }
    let minute = clock[0] * 60 + clock[1]
    guard parts.count == 2 else {
      self = .daily(Int(minute))
      return
    }
    guard let date = ClockTime.numbers(parts[0], separator: "-", digits: [4, 2, 2]),
      let days = WallClock.days(until: date[0], date[1], date[2])
    else { return nil }
    self = .once(days * 1_440 + minute)
  }

  /// The numbers in a text such as "18:30".
  /// - Parameter digits: how many digits each number must have: [2, 2] for "18:30".
  /// - Returns: `nil` if the text does not have this form.
  private static func numbers(
    _ text: Substring, separator: Character, digits: [Int]
  ) -> [Int64]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == digits,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39) ~= $0 } })
    else { return nil }
    return parts.compactMap { Int64($0) }
  }

  /// The time as it is written in settings: "18:30" or "2026-12-24 18:30".
  var text: String {
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    switch self {
    case .daily(let minute): return "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
    case .once(let minute):
      return String(WallClock.text(minute * 60_000).prefix(16)).replacing("T", with: " ")
    }
  }
}

/// When an overlay is shown: the values of its settings `from` and `until`.
///
/// With a date, the overlay appears or disappears once and for good. With two times of day, it is shown every day from
/// `from` to `until`, past midnight if `from` is the later time. With only one time of day, it is shown every day from
/// `from` to midnight, or from midnight to `until`.
public struct ShownTimes: Sendable, Equatable {
  /// When the overlay appears and disappears; `nil` if the setting is empty.
  public let from, until: ClockTime?

  init(from: ClockTime?, until: ClockTime?) { (self.from, self.until) = (from, until) }

  /// Whether the overlay is shown at a time.
  /// - Parameter wallClock: seconds since 1970, in UTC.
  public func includes(_ wallClock: Int64, in zone: TimeZoneFile) -> Bool {
    if case .once(let minute)? = from, wallClock < ShownTimes.moment(minute, in: zone) {
      return false
    }
    if case .once(let minute)? = until, wallClock >= ShownTimes.moment(minute, in: zone) {
      return false
    }
    let day: Int64 = 86_400
    let local = wallClock + Int64(zone.offset(at: wallClock))
    let now = Int((local % day + day) % day / 60)
    switch (from, until) {
    case (.daily(let from), .daily(let until)):
      return from < until ? (from..<until).contains(now) : now >= from || now < until
    case (.daily(let from), _): return now >= from
    case (_, .daily(let until)): return now < until
    default: return true
    }
  }

  /// The moment at which the clocks of `zone` show a date and time, in seconds since 1970 in UTC.
  /// - Parameter minute: the minutes since 1970-01-01 00:00 on the clocks of `zone`.
  private static func moment(_ minute: Int64, in zone: TimeZoneFile) -> Int64 {
    zone.moment(of: LocalTime(seconds: minute * 60))
  }
}

extension Kind where Value == ClockTime {
  /// The kind of a setting whose value is a time of day, or a date and a time.
  static var clockTime: Kind {
    .text(
      "a time (18:30) or a date and time (2026-12-24 18:30)",
      read: { text throws(ValueError) in ClockTime(text) }, show: { $0.text })
  }
}
