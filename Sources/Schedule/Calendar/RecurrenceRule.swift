// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The rule of an event that is repeated (RRULE, RFC 5545, section 3.3.10), after its check. Only parts are taken that
/// give at most one time a day, so that a year has at most 366.
struct RecurrenceRule {
  /// The parts, each with its values.
  private var parts: [String: [String]]
  /// The time of the last possible repetition, in the event's zone; `nil` without one.
  private let until: LocalTime?
  /// How often the event is; `nil` if that has no limit.
  private let count: Int?

  /// - Parameter start: when the event is first.
  init(_ text: String, start: CalendarTime) throws(NotUnderstood) {
    let unknown = NotUnderstood("is repeated by a rule that is not understood: \(text.prefix(100))")
    guard text.utf8.count <= 500 else { throw unknown }
    var parts: [String: [String]] = [:]
    for part in text.uppercased().split(separator: ";") {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, parts[String(sides[0])] == nil else { throw unknown }
      parts[String(sides[0])] = sides[1].split(
        separator: ",", omittingEmptySubsequences: false
      ).map(String.init)
    }
    guard parts.allSatisfy({ RecurrenceRule.isKnown($0.key, $0.value) }),
      let frequency = parts["FREQ"]?.first
    else { throw unknown }
    let hasOrdinals = parts["BYDAY"]?.contains { $0.utf8.count > 2 } ?? false
    guard !hasOrdinals || frequency == "MONTHLY" || frequency == "YEARLY",
      // Only in longer periods there is a choice among days (RFC 5545).
      parts["BYMONTHDAY"] == nil || frequency != "WEEKLY",
      parts["BYSETPOS"] == nil || parts["BYDAY"] ?? parts["BYMONTHDAY"] != nil
    else { throw unknown }
    count = parts.removeValue(forKey: "COUNT").flatMap { Int($0[0]) }
    until = try parts.removeValue(forKey: "UNTIL").map { values throws(NotUnderstood) in
      let isUTC = values[0].hasSuffix("Z")
      guard let time = CalendarTime.local(isUTC ? values[0].dropLast() : values[0][...]) else {
        throw unknown
      }
      return isUTC ? start.zone.localTime(at: time.seconds) : time
    }
    guard count == nil || until == nil, RecurrenceRule.isPossible(parts) else { throw unknown }
    self.parts = parts
  }

  /// The rule with an end, so that it gives no time after `end`; both are in the event's zone.
  func text(endingAt end: LocalTime) -> String {
    var parts = parts
    if let count {
      parts["COUNT"] = ["\(count)"]
    } else {
      let last = until.map { min($0, end) } ?? end
      let digits = WallClock.text(last.seconds * 1_000).prefix(19).filter { $0 != "-" && $0 != ":" }
      parts["UNTIL"] = ["\(digits)Z"]
    }
    // FREQ comes first: some readers insist on it.
    let names = ["FREQ"] + parts.keys.filter { $0 != "FREQ" }.sorted()
    return names.map { "\($0)=\((parts[$0] ?? []).joined(separator: ","))" }.joined(separator: ";")
  }

  /// The most times that the rule gives from `start` to `end`: one a day.
  func mostTimes(from start: LocalTime, to end: LocalTime) -> Int {
    let days = Int(max(0, end.day - start.day)) + 2
    return count.map { min($0, days) } ?? days
  }

  /// Whether a part of a rule is one that is taken.
  private static func isKnown(_ name: String, _ values: [String]) -> Bool {
    func isSingle(_ range: ClosedRange<Int>) -> Bool {
      values.count == 1 && values.allSatisfy { number($0).map(range.contains) ?? false }
    }
    func areDays(upTo last: Int) -> Bool {
      (1...62).contains(values.count)
        && values.allSatisfy { number($0).map { (1...last).contains(abs($0)) } ?? false }
    }
    switch name {
    case "FREQ":
      return values.count == 1 && ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"].contains(values[0])
    case "INTERVAL": return isSingle(1...1_000)
    case "COUNT": return isSingle(1...100_000)
    case "UNTIL": return values.count == 1
    case "WKST": return values.count == 1 && weekdays.contains(values[0])
    case "BYMONTH":
      return (1...12).contains(values.count)
        && values.allSatisfy { number($0).map((1...12).contains) ?? false }
    case "BYMONTHDAY": return areDays(upTo: 31)
    case "BYSETPOS": return areDays(upTo: 31)
    case "BYDAY":
      return (1...62).contains(values.count)
        && values.allSatisfy { value in
          let ordinal = value.dropLast(2)
          return weekdays.contains(String(value.suffix(2)))
            && (ordinal.isEmpty
              || number(String(ordinal)).map { (1...5).contains(abs($0)) } ?? false)
        }
    default: return false
    }
  }

  private static let weekdays: Set = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// A whole number of at most six digits, with or without a sign.
  private static func number(_ text: String) -> Int? { text.utf8.count <= 7 ? Int(text) : nil }

  /// Whether a month of the rule has a day of the rule. A search for one would take long.
  private static func isPossible(_ parts: [String: [String]]) -> Bool {
    guard let months = parts["BYMONTH"]?.compactMap(number), let days = parts["BYMONTHDAY"] else {
      return true
    }
    let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let longest = months.map { lengths[$0 - 1] }.max() ?? 31
    return days.compactMap(number).contains { abs($0) <= longest }
  }
}
