// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The rule of an event that is repeated (RRULE, RFC 5545, section 3.3.10). Only parts are taken that give at most one
/// time a day, so that a rule can be asked day by day.
struct RecurrenceRule {
  private enum Frequency: String {
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"
  }

  /// A weekday of BYDAY: the second Sunday (2), the last one (-1), or each (0).
  private struct Day {
    var ordinal: Int
    var weekday: Weekday
  }

  private var frequency: Frequency
  private var interval: Int64
  /// How often the event is; `nil` if that has no limit.
  private var count: Int?
  /// The time of the last possible repetition, in the event's zone; `nil` without one.
  private var until: LocalTime?
  private var weekStart: Weekday
  // Empty if the rule does not have the part.
  private var months: [Int]
  private var monthDays: [Int]
  private var days: [Day]
  private var positions: [Int]
  /// The date of the first time: it stands for the parts that the rule does not have.
  private let first: CalendarDate

  /// - Parameter start: when the event is first.
  init(_ text: String, start: CalendarTime) throws(NotUnderstood) {
    let unknown = NotUnderstood("is repeated by a rule that is not understood: \(text.cut(to: 80))")
    guard text.utf8.count <= 500, var parts = RuleParts(text) else { throw unknown }
    first = CalendarDate(day: start.local.day)
    do throws(RuleParts.Unknown) {
      guard let frequency = Frequency(rawValue: try parts.single("FREQ") ?? "") else {
        throw RuleParts.Unknown()
      }
      self.frequency = frequency
      interval = Int64(try parts.number("INTERVAL", 1...1_000) ?? 1)
      count = try parts.number("COUNT", 1...100_000)
      until = try parts.single("UNTIL").map { value throws(RuleParts.Unknown) in
        let isUTC = value.hasSuffix("Z")
        guard let time = CalendarTime.local(isUTC ? value.dropLast() : value[...]) else {
          throw RuleParts.Unknown()
        }
        return isUTC ? start.zone.localTime(at: time.seconds) : time
      }
      weekStart = try parts.single("WKST").map(RecurrenceRule.weekday) ?? .monday
      months = try parts.numbers("BYMONTH", 1...12)
      monthDays = try parts.numbers("BYMONTHDAY", -31...31)
      positions = try parts.numbers("BYSETPOS", -31...31)
      days = try parts.list("BYDAY").map { value throws(RuleParts.Unknown) in
        let ordinal = value.dropLast(2)
        return Day(
          ordinal: ordinal.isEmpty ? 0 : try RuleParts.number(String(ordinal), -5...5),
          weekday: try RecurrenceRule.weekday(String(value.suffix(2))))
      }
    } catch { throw unknown }
    let hasOrdinals = days.contains { $0.ordinal != 0 }
    guard parts.areAllTaken, count == nil || until == nil,
      // An ordinal counts within a month or a year, and what it means beside days of the month is not said (RFC 5545).
      !hasOrdinals || monthDays.isEmpty && (frequency == .monthly || frequency == .yearly),
      monthDays.isEmpty || frequency != .weekly,
      positions.isEmpty || !days.isEmpty || !monthDays.isEmpty
    else { throw unknown }
  }

  /// The times of the rule, in the event's zone.
  /// - Parameters:
  ///   - start: when the event is first.
  ///   - end: the last time that is wanted.
  func times(from start: LocalTime, through end: LocalTime) -> [LocalTime] {
    let last = until.map { min($0, end) } ?? end
    guard start <= last else { return [] }
    // A position counts in the whole of a period, from before the first time to after the last one.
    let margin: Int64 = positions.isEmpty ? 0 : 366
    var times: [LocalTime] = []
    var (period, inPeriod): (Int64?, [Int64]) = (nil, [])
    func endPeriod() {
      for day in chosen(inPeriod) where count.map({ times.count < $0 }) ?? true {
        let time = LocalTime(seconds: day * 86_400 + start.secondOfDay)
        if time >= start, time <= last { times.append(time) }
      }
      inPeriod = []
    }
    let firstPeriod = number(of: first)
    for day in (start.day - margin)...(last.day + margin) {
      let date = CalendarDate(day: day)
      let now = number(of: date)
      if now != period {
        endPeriod()
        period = now
      }
      if (now - firstPeriod) % interval == 0, has(date) { inPeriod.append(day) }
    }
    endPeriod()
    return times
  }

  /// The number of the day, week, month or year of a date.
  private func number(of date: CalendarDate) -> Int64 {
    switch frequency {
    case .daily: date.day
    case .weekly:
      // The days since 1970-01-01, counted from the first weekday of a week on.
      (date.day + 3 - Int64(Weekday.allCases.firstIndex(of: weekStart) ?? 0) + 7) / 7
    case .monthly: Int64(date.year) * 12 + Int64(date.month)
    case .yearly: Int64(date.year)
    }
  }

  /// Whether a date is one of the rule's, if its period is.
  private func has(_ date: CalendarDate) -> Bool {
    if !months.isEmpty, !months.contains(date.month) { return false }
    if !monthDays.isEmpty {
      let fromEnd = date.dayOfMonth - date.daysOfMonth - 1
      guard monthDays.contains(where: { $0 == date.dayOfMonth || $0 == fromEnd }) else {
        return false
      }
    }
    if !days.isEmpty { return days.contains { fits($0, date) } }
    guard monthDays.isEmpty else { return true }
    switch frequency {
    case .daily: return true
    case .weekly: return Weekday(day: date.day) == Weekday(day: first.day)
    case .monthly: return date.dayOfMonth == first.dayOfMonth
    case .yearly:
      return date.dayOfMonth == first.dayOfMonth && (!months.isEmpty || date.month == first.month)
    }
  }

  private func fits(_ day: Day, _ date: CalendarDate) -> Bool {
    guard Weekday(day: date.day) == day.weekday else { return false }
    guard day.ordinal != 0 else { return true }
    // Within the month, or within the year if the rule names no months.
    let isInMonth = frequency == .monthly || !months.isEmpty
    let before = isInMonth ? date.dayOfMonth - 1 : date.dayOfYear - 1
    let after = isInMonth ? date.daysOfMonth - date.dayOfMonth : date.daysOfYear - date.dayOfYear
    return day.ordinal == (day.ordinal > 0 ? before / 7 + 1 : -(after / 7 + 1))
  }

  /// The days of a period that the positions of the rule choose.
  private func chosen(_ days: [Int64]) -> [Int64] {
    guard !positions.isEmpty else { return days }
    let indices = positions.map { $0 > 0 ? $0 - 1 : days.count + $0 }
    return Set(indices).sorted().filter(days.indices.contains).map { days[$0] }
  }

  private static func weekday(_ text: String) throws(RuleParts.Unknown) -> Weekday {
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    guard let index = names.firstIndex(of: text) else { throw RuleParts.Unknown() }
    return Weekday.allCases[index]
  }
}

/// The parts of a rule's text, each of which is taken once: "FREQ=WEEKLY;BYDAY=SU,WE".
private struct RuleParts {
  struct Unknown: Error {}

  private var values: [String: [String]] = [:]

  /// `nil` if a part has no name or is there twice.
  init?(_ text: String) {
    for part in text.uppercased().split(separator: ";") {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, values[sides[0]] == nil else { return nil }
      values[sides[0]] = sides[1].split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    }
  }

  /// Whether there is no part that nobody has asked for.
  var areAllTaken: Bool { values.isEmpty }

  /// The values of a part, at most 62; none if it is not there.
  mutating func list(_ name: String) throws(Unknown) -> [String] {
    let list = values.removeValue(forKey: name) ?? []
    guard list.count <= 62 else { throw Unknown() }
    return list
  }

  mutating func single(_ name: String) throws(Unknown) -> String? {
    let list = try list(name)
    guard list.count <= 1 else { throw Unknown() }
    return list.first
  }

  mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(Unknown) -> Int? {
    guard let text = try single(name) else { return nil }
    return try RuleParts.number(text, range)
  }

  mutating func numbers(_ name: String, _ range: ClosedRange<Int>) throws(Unknown) -> [Int] {
    try list(name).map { text throws(Unknown) in try RuleParts.number(text, range) }
  }

  /// A whole number, which may have a sign. None of those in rules is 0.
  static func number(_ text: String, _ range: ClosedRange<Int>) throws(Unknown) -> Int {
    guard text.utf8.count <= 7, let number = Int(text), number != 0, range.contains(number) else {
      throw Unknown()
    }
    return number
  }
}
