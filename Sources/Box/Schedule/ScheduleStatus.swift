// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Schedule

/// The schedule in the status of the box. The names of the fields are a contract.
public struct ScheduleStatus: Codable, Sendable, Equatable {
  /// One broadcast of the schedule.
  public struct Broadcast: Codable, Sendable, Equatable {
    /// Identifies it, for `POST /api/schedule/skip`.
    public var id: String
    /// The name of the entry, or the title of the calendar's event.
    public var name: String
    /// "entry", "feed" or "import".
    public var source: String
    /// When it begins and ends: UTC in ISO 8601.
    public var beginsAt, endsAt: String
    /// The IANA time zone in which it was given.
    public var zone: String
    /// Whether it is left out.
    public var skipped: Bool
  }

  /// Whether the box knows the time. Until then nothing begins or ends by the schedule.
  public var clockSet: Bool
  /// The next one that is not left out; `nil` for none.
  public var next: Broadcast?
  /// The one that is on air by the schedule; `nil` for none.
  public var running: Broadcast?
  /// When the broadcast ends by itself: UTC in ISO 8601; `nil` if it does not.
  public var endsAt: String?
  /// Whether it ends by itself within five minutes.
  public var warning: Bool
  /// Whether it ends as one that was forgotten (`publish.forgotten_minutes`).
  public var forgotten: Bool
  /// By how many minutes the one that runs was extended.
  public var extendedMinutes: Int
  /// The camera test before a broadcast: "none", "running", "good" or "failed".
  public var test: String
  /// What the test found wrong; `nil` for nothing.
  public var testSentence: String?
}

/// The answer to `GET /api/schedule/calendar`.
public struct ScheduleCalendar: Codable, Sendable, Equatable {
  /// A calendar, and whether it could be read.
  public struct Source: Codable, Sendable, Equatable {
    /// The number of events that are understood.
    public var events: Int
    /// When it was last read: UTC in ISO 8601; `nil` if there is none.
    public var readAt: String?
    /// Why it could not be read the last time; `nil` if it could.
    public var sentence: String?
  }

  /// An event that is left out.
  public struct LeftOut: Codable, Sendable, Equatable {
    /// "feed" or "import".
    public var source: String
    public var title: String
    public var sentence: String
  }

  /// The next broadcasts, the one that runs first.
  public var upcoming: [ScheduleStatus.Broadcast]
  /// The calendar at `calendar.url`.
  public var feed: Source
  /// The calendar file that was imported.
  public var `import`: Source
  /// The events that are not understood.
  public var notUnderstood: [LeftOut]
}

/// An entry of the schedule in the answer to `GET /api/schedule`: its settings without the key, and its state.
struct ScheduleEntryStatus: Codable {
  var name: String
  var days, date, at: String
  var minutes: Int
  var zone, url: String
  var next: ScheduleStatus.Broadcast?
  /// "waiting", "running", "over" or "unusable".
  var state: String
  var sentence: String?

  /// The fields that cannot be changed.
  static let readOnly: Set = ["next", "state", "sentence"]
}

extension ScheduleStatus.Broadcast {
  init(_ one: Occurrence, ends: Int64? = nil, isSkipped: Bool = false) {
    self.init(
      id: one.id, name: one.name, source: one.source.rawValue, beginsAt: wireTime(one.begins),
      endsAt: wireTime(ends ?? one.ends), zone: one.zone, skipped: isSkipped)
  }
}

extension ScheduleStatus.Broadcast {
  /// A line for people, with local times: "sun 2026-03-29 09:55 to 11:15 (Europe/Berlin): sunday".
  package var line: String {
    let zone = ZoneFiles().find(zone) ?? .utc
    func time(_ wire: String) -> LocalTime {
      let numbers = wire.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
      guard numbers.count == 6,
        let day = WallClock.days(until: numbers[0], numbers[1], numbers[2])
      else { return LocalTime(seconds: 0) }
      return zone.localTime(
        at: day * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
    }
    let (begins, ends) = (time(beginsAt), time(endsAt))
    return
      "\(begins.weekday.rawValue) \(begins.text) to \(ends.timeText) (\(self.zone)): \(name)"
      + (skipped ? ", left out" : "")
  }
}

/// A time in whole seconds as text, in UTC and ISO 8601: "2026-03-29T07:55:00Z".
/// - Parameter seconds: since 1970-01-01 UTC.
func wireTime(_ seconds: Int64) -> String { "\(WallClock.text(seconds * 1_000).prefix(19))Z" }
