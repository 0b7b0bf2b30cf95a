// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Schedule
import Testing

@Suite struct ScheduleEntryTests {
  @Test("A time that the clocks skip is an hour later, one that they show twice is the first")
  func clockChanges() throws {
    let gap = berlin.moment(of: local("2026-03-29 02:30"))
    #expect(gap == utc("2026-03-29 01:30"))
    #expect(berlin.localTime(at: gap) == local("2026-03-29 03:30"))
    #expect(berlin.moment(of: local("2026-10-25 02:30")) == utc("2026-10-25 00:30"))
    // South of the equator, in a half hour, and where a whole day was left out.
    let howe = try #require(zone("Australia/Lord_Howe"))
    #expect(howe.moment(of: local("2026-10-04 02:15")) == utc("2026-10-03 15:45"))
    let apia = try #require(zone("Pacific/Apia"))
    #expect(apia.moment(of: local("2011-12-30 12:00")) == utc("2011-12-30 22:00"))
  }

  @Test("A weekly broadcast is at the same time of day all year")
  func weekly() {
    let sunday = entry("sunday", [.sunday], "09:55", minutes: 80)
    let year = utc("2026-01-01 00:00")..<utc("2027-01-01 00:00")
    let all = sunday.occurrences(beginningIn: year)
    #expect(all.count == 52)
    #expect(
      all.allSatisfy {
        berlin.localTime(at: $0.begins).text.hasSuffix("09:55") && $0.ends - $0.begins == 4_800
      })
    #expect(all.map(\.begins).contains(utc("2026-03-22 08:55")))
    #expect(all.map(\.begins).contains(utc("2026-03-29 07:55")))
    #expect(Set(all.map(\.id)).count == 52)
  }

  @Test("Ranges join without a gap and without a repetition")
  func ranges() {
    let daily = entry("daily", Set(Weekday.allCases), "02:30", minutes: 5)
    let start = utc("2026-01-01 00:00")
    let end = utc("2027-01-01 00:00")
    let whole = daily.occurrences(beginningIn: start..<end)
    #expect(whole.count == 365)
    var pieces: [Occurrence] = []
    var at = start
    while at < end {
      let next = min(end, at + 7_777)
      pieces += daily.occurrences(beginningIn: at..<next)
      at = next
    }
    #expect(pieces == whole)
  }

  @Test("One that is once is once, by its date in its zone")
  func once() throws {
    let kiritimati = try #require(zone("Pacific/Kiritimati"))
    let day = local("2026-12-24 00:00").day
    let one = ScheduleEntry(
      name: "eve", days: .once(day), minute: 0, minutes: 60, zoneName: "Pacific/Kiritimati",
      zone: kiritimati)
    let found = one.occurrences(beginningIn: utc("2026-01-01 00:00")..<utc("2028-01-01 00:00"))
    #expect(found.map(\.begins) == [utc("2026-12-23 10:00")])
    #expect(Weekday(day: local("2026-12-24 00:00").day) == .thursday)
    #expect(Weekday(day: -1) == .wednesday)
  }
}
