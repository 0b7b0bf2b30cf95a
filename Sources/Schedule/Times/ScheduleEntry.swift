// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// A broadcast that is repeated on days of the week, or is once: an entry of the settings.
public struct ScheduleEntry: Sendable, Equatable {
  /// On which days it is.
  public enum Days: Sendable, Equatable {
    /// Every week on these days.
    case weekly(Set<Weekday>)
    /// Once, on this date: days since 1970-01-01.
    case once(Int64)
  }

  public var name: String
  public var days: Days
  /// The time of day at which it begins, in minutes since midnight on the clocks of `zone`.
  public var minute: Int
  /// Its length in minutes.
  public var minutes: Int
  /// The IANA name of its time zone.
  public var zoneName: String
  public var zone: TimeZoneFile

  public init(
    name: String, days: Days, minute: Int, minutes: Int, zoneName: String, zone: TimeZoneFile
  ) {
    (self.name, self.days, self.minute, self.minutes) = (name, days, minute, minutes)
    (self.zoneName, self.zone) = (zoneName, zone)
  }

  /// The occurrences that begin within `range`, in seconds since 1970-01-01 UTC.
  public func occurrences(beginningIn range: Range<Int64>) -> [Occurrence] {
    switch days {
    case .once(let day):
      let occurrence = occurrence(on: day)
      return range.contains(occurrence.begins) ? [occurrence] : []
    case .weekly(let weekdays):
      // A day on each side, since the zone's clocks may show another date than UTC.
      let first = LocalTime(seconds: range.lowerBound).day - 1
      let last = LocalTime(seconds: range.upperBound).day + 1
      guard first <= last else { return [] }
      return (first...last).lazy.filter { weekdays.contains(Weekday(day: $0)) }
        .map { occurrence(on: $0) }.filter { range.contains($0.begins) }
    }
  }

  /// The occurrence on a date of the zone: days since 1970-01-01.
  private func occurrence(on day: Int64) -> Occurrence {
    let time = LocalTime(day: day, minute: minute)
    let begins = zone.moment(of: time)
    return Occurrence(
      id: "\(name) \(time.text) \(zoneName)", name: name, source: .entry, begins: begins,
      ends: begins + Int64(minutes) * 60, zone: zoneName)
  }
}
