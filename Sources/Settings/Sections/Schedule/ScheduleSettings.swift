// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[[schedule]]`: a broadcast that begins and ends by itself. Outside of the settings file, the keys of its settings are
/// "schedule.NAME.at" and so on.
public struct ScheduleSettings: Sendable, Equatable, NamedSection {
  public static let list = NamedList(
    "schedule", of: ScheduleSettings.self, path: "schedule", maxEntries: 32,
    // Words in paths of the API, such as /api/schedule/extend.
    reserved: ["extend", "skip", "import", "calendar"], essential: "at",
    words: NamedList.Words(
      example: "\"09:55\"", missing: "write the time of day at which it begins",
      excess: "broadcasts: remove one (onair schedule remove NAME), or take a calendar"),
    codes: NamedList.Codes(excess: .tooManyScheduled))

  /// The name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// The days of the week on which it is; empty if it is once.
  public let days: Set<Weekday>
  /// The date of a broadcast that is once, in days since 1970-01-01; `nil` if it is repeated.
  public let date: Int64?
  /// The time of day in minutes since midnight; `nil` only in an entry with mistakes.
  public let at: Int?
  /// The length in minutes.
  public let minutes: Int
  /// The IANA name of its time zone; empty for that of the box.
  public let zone: String
  /// The URL of a server of its own; `nil` for that of `[publish]`.
  public let url: RTMPURL?
  /// The stream key for `url`, which may be empty.
  public let key: Secret

  /// Days, date and time as they are written in settings.
  public var daysText: String { days.text }
  public var dateText: String { date.map { LocalTime(day: $0, minute: 0).dateText } ?? "" }
  public var timeText: String { at.map { LocalTime(day: 0, minute: $0).timeText } ?? "" }

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    days = form.value(
      entry.key("days"), .weekdays, default: [],
      help: """
        The days of the week on which it is: "sun", "mon,wed,fri" or "daily". Empty for a broadcast that is once.
        """)
    date = form.value(
      entry.key("date"), .date, default: nil,
      help: """
        The date of a broadcast that is once: "2026-12-24". Empty for one that is repeated.
        """)
    at = form.value(
      entry.key("at"), .timeOfDay, default: nil,
      help: """
        The time of day at which it begins, in its zone: "09:55". It stays the same when the clocks are changed.
        """)
    minutes = form.value(
      entry.key("minutes"), .wholeNumber(1...1_440), default: 60, unit: "minutes",
      help: """
        How long it is. Five minutes before the end the lamp says so, and "onair schedule extend" adds fifteen.
        """)
    zone = form.value(
      entry.key("zone"), .timeZone, default: "",
      help: """
        The time zone of date and time, as in "Europe/Berlin". If it is empty, it is that of the box (box.zone).
        """)
    url = form.value(
      entry.key("url"), .url, default: nil,
      help: """
        The address of a server for this broadcast alone. If it is empty, it goes to publish.url.
        """)
    key = form.value(
      entry.key("key"), .key, default: Secret(), isSecret: true,
      help: """
        The stream key for that address. If it is empty, OnAir takes the last part of the address.
        """)
    guard at != nil, !form.isDoubtful(entry.key("days")), !form.isDoubtful(entry.key("date")) else {
      return
    }
    let place = form.place(of: entry.key("at"))
    if days.isEmpty, date == nil {
      form.reportConflict(
        entry.key("days"), "is missing: write days = \"sun\", or date = \"2026-12-24\"", at: place,
        code: .other, other: entry.key("date"))
    }
    if !days.isEmpty, date != nil {
      form.reportConflict(
        entry.key("date"), "is set, and so is days: it is either once or repeated", at: place,
        other: entry.key("days"))
    }
  }
}

/// `[calendar]`: a calendar whose events are broadcast.
public struct CalendarSettings: Sendable, Equatable {
  /// The address of a calendar in the format iCalendar; not set for none.
  public let url: Secret

  init(_ form: inout Form) {
    url = form.value(
      "calendar.url", .calendarAddress, default: Secret(), isSecret: true,
      help: """
        The address of a calendar (ICS). Each of its events is broadcast, so it needs a calendar of its own. OnAir reads it \
        every 15 minutes, and keeps what it has read while the network is out.
        """)
  }
}
