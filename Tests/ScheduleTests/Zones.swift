// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Schedule

/// A zone of this machine's time zone database.
func zone(_ name: String) -> TimeZoneFile? {
  (try? Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))).flatMap {
    TimeZoneFile(Array($0))
  }
}

let berlin = zone("Europe/Berlin") ?? .utc

/// The moment of a time in UTC, as "2026-03-29 07:55".
func utc(_ text: String) -> Int64 { TimeZoneFile.utc.moment(of: local(text)) }

/// The time that a text such as "2026-03-29 07:55" gives.
func local(_ text: String) -> LocalTime {
  let parts = text.split { "- :".contains($0) }.compactMap { Int64($0) }
  let day = WallClock.days(until: parts[0], parts[1], parts[2]) ?? 0
  return LocalTime(seconds: day * 86_400 + parts[3] * 3_600 + parts[4] * 60)
}

/// An entry for tests, in Berlin unless another zone is given.
func entry(
  _ name: String, _ days: Set<Weekday>, _ at: String, minutes: Int,
  in zoneName: String = "Europe/Berlin"
) -> ScheduleEntry {
  let parts = at.split(separator: ":").compactMap { Int($0) }
  return ScheduleEntry(
    name: name, days: .weekly(days), minute: parts[0] * 60 + parts[1], minutes: minutes,
    zoneName: zoneName, zone: zone(zoneName) ?? .utc)
}
