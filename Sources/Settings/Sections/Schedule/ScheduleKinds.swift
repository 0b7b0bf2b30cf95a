// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Kind where Value == Set<Weekday> {
  /// The kind of a setting whose value is a set of days of the week.
  static var weekdays: Kind {
    .text(
      "days as in \"sun\", \"mon,wed,fri\" or \"daily\", or empty",
      choices: Weekday.allCases.map(\.rawValue) + ["daily"],
      read: { text throws(ValueError) in
        if text.isEmpty { return [] }
        if text == "daily" { return Set(Weekday.allCases) }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let days = names.compactMap { Weekday(rawValue: $0.filter { $0 != " " }) }
        return days.count == names.count ? Set(days) : nil
      }, show: { $0.text })
  }
}

extension Kind where Value == Int64? {
  /// The kind of a setting whose value is a date, in days since 1970-01-01, or empty.
  static var date: Kind {
    .text(
      "a date (2026-12-24), or empty",
      read: { text throws(ValueError) in
        if text.isEmpty { return .some(nil) }
        guard case .once(let minute)? = ClockTime("\(text) 00:00"), minute >= 0 else { return nil }
        return minute / 1_440
      }, show: { $0.map { LocalTime(day: $0, minute: 0).dateText } ?? "" })
  }
}

extension Kind where Value == Int? {
  /// The kind of a setting whose value is a time of day, in minutes since midnight, or empty.
  static var timeOfDay: Kind {
    .text(
      "a time of day (09:55)",
      read: { text throws(ValueError) in
        if text.isEmpty { return .some(nil) }
        guard case .daily(let minute)? = ClockTime(text) else { return nil }
        return minute
      }, show: { $0.map { LocalTime(day: 0, minute: $0).timeText } ?? "" })
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is the address of a calendar, or empty. Platforms give such addresses as a secret:
  /// whoever knows one can read the calendar.
  static var calendarAddress: Kind {
    .text(
      "https://…, http://… or webcal://…, at most \(WebAddress.maxBytes) characters, or empty",
      read: { text throws(ValueError) in
        let scheme = "webcal://"
        let isCalendar = text.lowercased().hasPrefix(scheme)
        let address = isCalendar ? "https://\(text.dropFirst(scheme.count))" : text
        if !text.isEmpty, let problem = WebAddress.problem(address) {
          throw .because(problem, .notAllowed)
        }
        return Secret(address)
      }, show: { $0.isSet ? $0.description : "" })
  }
}

extension Set<Weekday> {
  /// The days as they are written in settings: "mon,wed".
  var text: String { sorted().map(\.rawValue).joined(separator: ",") }
}
