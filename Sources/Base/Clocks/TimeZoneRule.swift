// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The rule of a time zone for all times after the last transition in its file. Its text has the format of the variable
/// TZ of POSIX, with the extensions of RFC 8536 (3.3.1): "CET-1CEST,M3.5.0,M10.5.0/3".
struct TimeZoneRule: Sendable, Equatable {
  /// A day of each year, and the local time on that day at which the clocks are changed.
  private struct Change: Sendable, Equatable {
    enum Day: Sendable, Equatable {
      /// The day of the year, 1 to 365, as if no year had a 29th of February: the 1st of March is always 60.
      case ordinal(Int)
      /// The day of the year, from 0 for the 1st of January to 365; the 29th of February counts in leap years.
      case zeroBased(Int)
      /// A weekday in a month (1 to 12): `day` is 0 for Sunday; `week` is 1 for the first such day of the month, and 5
      /// for the last.
      case weekday(month: Int, week: Int, day: Int)
    }

    var day: Day
    /// When the clocks are changed, in seconds of local time after the beginning of `day`: from minus one week to one
    /// week.
    var seconds: Int
  }

  /// Seconds to add to UTC in standard time.
  private let standard: Int
  /// Summer time: the seconds to add to UTC, and the changes with which it begins and ends; `nil` if the zone has none.
  private let summer: (offset: Int, begin: Change, end: Change)?

  static func == (one: TimeZoneRule, other: TimeZoneRule) -> Bool {
    one.standard == other.standard && one.summer?.offset == other.summer?.offset
      && one.summer?.begin == other.summer?.begin && one.summer?.end == other.summer?.end
  }

  /// Reads a rule such as "CET-1CEST,M3.5.0,M10.5.0/3". Fails if the text is not a rule.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard TimeZoneRule.skipName(&rest), let west = TimeZoneRule.time(&rest) else { return nil }
    standard = -west
    guard !rest.isEmpty else {
      summer = nil
      return
    }
    guard TimeZoneRule.skipName(&rest) else { return nil }
    var offset = standard + 3_600
    if rest.first != UInt8(ascii: ",") {
      guard let west = TimeZoneRule.time(&rest) else { return nil }
      offset = -west
    }
    guard let begin = TimeZoneRule.change(&rest), let end = TimeZoneRule.change(&rest),
      rest.isEmpty
    else { return nil }
    summer = (offset, begin, end)
  }

  /// The seconds to add to UTC to get local time; negative west of Greenwich.
  /// - Parameter seconds: the time, in seconds since 1970-01-01 UTC.
  func offset(at seconds: Int64) -> Int {
    guard let (offset, begin, end) = summer else { return standard }
    // No real clock shows a time more than 34,000 years from 1970, and the sums below could overflow.
    guard abs(seconds) < 1 << 40 else { return standard }
    // The year by standard time is used in summer, too. The year by summer time differs only around New Year, when no
    // zone changes its clocks.
    let year = TimeZoneRule.year(ofDay: TimeZoneRule.day(Int(seconds) + standard))
    let from = TimeZoneRule.moment(begin, year) - standard
    let to = TimeZoneRule.moment(end, year) - offset
    let now = Int(seconds)
    let isSummer = from < to ? from <= now && now < to : from <= now || now < to
    return isSummer ? offset : standard
  }

  // MARK: Reading the text of a rule

  /// Skips the name of a zone: three letters or more, or anything in angle brackets.
  /// - Returns: `false` if there is no such name.
  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
    rest = rest[name.endIndex...]
    return name.count >= 3
  }

  /// Reads a number of one to three digits; returns `nil` if there is none, or if the number is outside `range`.
  private static func number(_ rest: inout ArraySlice<UInt8>, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest[digits.endIndex...]
    guard (1...3).contains(digits.count) else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return range.contains(value) ? value : nil
  }

  /// Skips `character` if the text begins with it.
  /// - Returns: `false` if the text does not begin with `character`.
  private static func skip(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads a time or an offset, such as "3", "-2:30" or "167:00:00" (hours first), and returns it in seconds.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let sign = skip("-", &rest) ? -1 : 1
    _ = sign > 0 && skip("+", &rest)
    guard let hours = number(&rest, in: 0...167) else { return nil }
    var seconds = hours * 3_600
    for unit in [60, 1] where skip(":", &rest) {
      guard let part = number(&rest, in: 0...59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  /// Reads a comma and the day and time of a clock change, such as ",M3.5.0/2"; returns `nil` if the text has another
  /// format.
  private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
    guard skip(",", &rest) else { return nil }
    let day: Change.Day
    if skip("M", &rest) {
      guard let month = number(&rest, in: 1...12), skip(".", &rest),
        let week = number(&rest, in: 1...5), skip(".", &rest),
        let weekday = number(&rest, in: 0...6)
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    } else if skip("J", &rest) {
      guard let ordinal = number(&rest, in: 1...365) else { return nil }
      day = .ordinal(ordinal)
    } else {
      guard let index = number(&rest, in: 0...365) else { return nil }
      day = .zeroBased(index)
    }
    guard skip("/", &rest) else { return Change(day: day, seconds: 7_200) }
    return time(&rest).map { Change(day: day, seconds: $0) }
  }

  // MARK: Calendar arithmetic

  /// The number of the day that contains a time; 0 for 1970-01-01.
  /// - Parameter seconds: the time, in seconds since 1970-01-01.
  private static func day(_ seconds: Int) -> Int {
    (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The number of days from 1970-01-01 to the 1st of January of a year; negative for years before 1970.
  private static func daysUntil(_ year: Int) -> Int {
    let before = year - 1
    return (year - 1970) * 365 + before / 4 - before / 100 + before / 400 - 477
  }

  /// The year that contains a day.
  /// - Parameter day: the number of the day; 0 for 1970-01-01.
  private static func year(ofDay day: Int) -> Int {
    // An estimate, which the loops below correct.
    var year = 1970 + day / 366 - (day < 0 ? 1 : 0)
    while daysUntil(year + 1) <= day { year += 1 }
    while daysUntil(year) > day { year -= 1 }
    return year
  }

  /// The number of days of each month in a year that is not a leap year.
  private static let monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  /// The time of a change in a year, in seconds since 1970-01-01, by the local time that is valid just before the
  /// change.
  private static func moment(_ change: Change, _ year: Int) -> Int {
    let first = daysUntil(year)
    let leap = isLeap(year) ? 1 : 0
    let day: Int
    switch change.day {
    case .ordinal(let ordinal): day = first + ordinal - 1 + (ordinal > 59 ? leap : 0)
    case .zeroBased(let index): day = first + index
    case .weekday(let month, let week, let weekday):
      let begin =
        first + monthLengths[..<(month - 1)].reduce(0, +) + (month > 2 ? leap : 0)
      let length = monthLengths[month - 1] + (month == 2 ? leap : 0)
      // 1970 began on a Thursday.
      let firstWeekday = ((begin + 4) % 7 + 7) % 7
      var date = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      if date >= length { date -= 7 }
      day = begin + date
    }
    return day * 86_400 + change.seconds
  }
}
