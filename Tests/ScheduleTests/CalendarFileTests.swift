// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Schedule
import TestSupport
import Testing

/// Reads a calendar with these lines in its events; the first line of each is DTSTART.
func calendar(
  _ events: [String], from: String = "2026-01-01 00:00", to: String = "2027-01-01 00:00"
) throws(CalendarFile.Trouble) -> CalendarFile {
  let body = events.map { "BEGIN:VEVENT\n\($0)\nEND:VEVENT\n" }.joined()
  return try read(
    Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(body)END:VCALENDAR\n".utf8), from: from, to: to)
}

func read(
  _ bytes: [UInt8], from: String = "2026-01-01 00:00", to: String = "2027-01-01 00:00",
  isOutOfTime: @escaping () -> Bool = { false }
) throws(CalendarFile.Trouble) -> CalendarFile {
  try CalendarFile(
    bytes, beginningIn: utc(from)..<utc(to),
    CalendarFile.Context(
      source: .imported, ownZone: "Europe/Berlin",
      zones: { $0.contains("..") || $0.hasPrefix("/") ? nil : zone($0) }, isOutOfTime: isOutOfTime))
}

@Suite struct CalendarFileTests {
  private static let weekly = """
    UID:a
    DTSTART;TZID=Europe/Berlin:20260104T095500
    DURATION:PT1H20M
    RRULE:FREQ=WEEKLY;BYDAY=SU
    SUMMARY:Gottes\\, dien
     st
    """

  @Test("Times in UTC, with a zone, with one of Windows, and without one")
  func zones() throws {
    let file = try calendar([
      "UID:1\nDTSTART:20260329T075500Z\nDTEND:20260329T085500Z",
      "UID:2\nDTSTART;TZID=Europe/Berlin:20260329T095500\nDURATION:PT1H",
      "UID:3\nDTSTART;TZID=W. Europe Standard Time:20260329T095500\nDURATION:PT60M",
      "UID:4\nDTSTART;TZID=\"/example.org/Olson_20260101_1/Europe/Berlin\":20260329T095500\nDURATION:P0DT3600S",
      "UID:5\nDTSTART:20260329T095500\nDURATION:+PT1H",
    ])
    #expect(file.leftOut.isEmpty)
    #expect(file.occurrences.map(\.begins) == Array(repeating: utc("2026-03-29 07:55"), count: 5))
    #expect(file.occurrences.allSatisfy { $0.ends - $0.begins == 3_600 })
    #expect(file.events == 5)
  }

  @Test("A weekly event keeps its local time through both clock changes")
  func weekly() throws {
    let file = try calendar([Self.weekly])
    #expect(file.occurrences.count == 52)
    #expect(
      file.occurrences.allSatisfy { berlin.localTime(at: $0.begins).text.hasSuffix("09:55") })
    #expect(file.occurrences.first?.name == "Gottes, dienst")
    #expect(Set(file.occurrences.map(\.id)).count == 52)
  }

  @Test("Rules with counts, ends, ordinals and days of the month")
  func rules() throws {
    func begins(_ rule: String, _ start: String = "20260101T120000") throws -> [String] {
      let file = try calendar([
        "UID:1\nDTSTART;TZID=Europe/Berlin:\(start)\nDURATION:PT1H\nRRULE:\(rule)"
      ])
      #expect(file.leftOut.isEmpty, "\(rule) \(file.leftOut)")
      return file.occurrences.map { String(berlin.localTime(at: $0.begins).text.dropFirst(5)) }
    }
    #expect(try begins("FREQ=DAILY;COUNT=3") == ["01-01 12:00", "01-02 12:00", "01-03 12:00"])
    // UNTIL is in UTC: the last one is at 11:00 UTC.
    #expect(try begins("FREQ=DAILY;UNTIL=20260103T110000Z").count == 3)
    #expect(try begins("FREQ=DAILY;UNTIL=20260103T105959Z").count == 2)
    #expect(
      try begins("FREQ=DAILY;INTERVAL=100") == [
        "01-01 12:00", "04-11 12:00", "07-20 12:00", "10-28 12:00",
      ])
    #expect(
      try begins("FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20260501T000000Z", "20260125T093000")
        == ["01-25 09:30", "02-22 09:30", "03-29 09:30", "04-26 09:30"])
    #expect(try begins("FREQ=MONTHLY;BYMONTHDAY=31", "20260131T093000").count == 7)
    #expect(try begins("FREQ=YEARLY;BYMONTH=1;BYDAY=1TH").count == 1)
    #expect(try begins("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1").count == 12)
    // It began long ago, every other week.
    #expect(try begins("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU", "20200105T100000").count == 26)
    // Counted from the beginning, which is before the year that is looked at.
    #expect(try begins("FREQ=WEEKLY;COUNT=54", "20250105T100000").count == 2)
  }

  @Test("Exceptions, additions, replacements and cancellations")
  func exceptions() throws {
    let file = try calendar(
      [
        Self.weekly
          + "\nEXDATE;TZID=Europe/Berlin:20260111T095500,20260118T095500\nRDATE:20260113T100000Z",
        // Moved to another day, and cancelled.
        "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260125T095500\nDTSTART;TZID=Europe/Berlin:20260126T100000\nDURATION:PT2H",
        "UID:a\nRECURRENCE-ID:20260201T085500Z\nSTATUS:CANCELLED\nDTSTART:20260201T085500Z\nDURATION:PT1H",
        "UID:b\nSTATUS:CANCELLED\nDTSTART:20260105T085500Z\nDURATION:PT1H",
        // Two versions of one event: the later one counts.
        "UID:c\nSEQUENCE:2\nDTSTART:20260601T120000Z\nDURATION:PT1H",
        "UID:c\nSEQUENCE:1\nDTSTART:20260602T120000Z\nDURATION:PT1H",
      ], to: "2026-02-09 00:00")
    let days = file.occurrences.map { String(berlin.localTime(at: $0.begins).text.dropFirst(5)) }
    #expect(days == ["01-04 09:55", "01-13 11:00", "01-26 10:00", "02-08 09:55"])
    #expect(file.leftOut.isEmpty)
    let later = try calendar(
      [
        "UID:c\nSEQUENCE:2\nDTSTART:20260601T120000Z\nDURATION:PT1H",
        "UID:c\nSEQUENCE:1\nDTSTART:20260602T120000Z\nDURATION:PT1H",
      ])
    #expect(later.occurrences.map(\.begins) == [utc("2026-06-01 12:00")])
  }

  @Test("Exceptions to a series that is cancelled or left out are not broadcast")
  func droppedSeries() throws {
    let moved =
      "UID:a\nRECURRENCE-ID:20260111T085500Z\nDTSTART:20260112T100000Z\nDURATION:PT1H"
    #expect(try calendar([moved]).occurrences.count == 1)
    for series in [
      Self.weekly + "\nSTATUS:CANCELLED", Self.weekly + "\nEXRULE:FREQ=DAILY",
      Self.weekly.replacing("BYDAY=SU", with: "BYDAY=MO"),
    ] {
      #expect(try calendar([moved, series]).occurrences.isEmpty)
    }
    let doubtful = "UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260118T085500Z"
    #expect(try calendar([Self.weekly, moved, doubtful]).occurrences.isEmpty)
  }

  @Test("Of two versions of one exception the later one counts, in any order")
  func versions() throws {
    func moved(_ sequence: Int, to hour: Int) -> String {
      "UID:a\nSEQUENCE:\(sequence)\nRECURRENCE-ID:20260111T085500Z\n"
        + "DTSTART:20260111T\(hour)0000Z\nDURATION:PT1H"
    }
    let (first, second) = (moved(1, to: 12), moved(2, to: 15))
    for events in [[first, second], [second, first]] {
      let file = try calendar([Self.weekly] + events, to: "2026-01-12 00:00")
      #expect(
        file.occurrences.map(\.begins) == [utc("2026-01-04 08:55"), utc("2026-01-11 15:00")])
    }
  }

  @Test(
    "A repetition that was moved in a way that is not understood is not broadcast at its old time")
  func doubtfulException() throws {
    let file = try calendar([
      Self.weekly,
      "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260111T095500\nDTSTART;TZID=Nowhere/Else:20260111T200000\nDURATION:PT1H",
    ])
    #expect(!file.occurrences.map(\.begins).contains(utc("2026-01-11 08:55")))
    #expect(file.leftOut.count == 1)
    let range = try calendar([
      Self.weekly,
      "UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260111T085500Z\nDTSTART:20260111T200000Z\nDURATION:PT1H",
    ])
    #expect(range.occurrences.isEmpty)
    #expect(range.leftOut.count == 2)
  }

  @Test(
    "What is not understood is listed, and never guessed",
    arguments: [
      "DTSTART;VALUE=DATE:20260104\nDTEND;VALUE=DATE:20260105", "DTSTART:20260104T095500Z",
      "DTSTART:20260104T095500Z\nDTEND:20260104T095500Z",
      "DTSTART:20260104T095500Z\nDURATION:-PT1H",
      "DTSTART:20260104T095500Z\nDTEND:20260106T095500Z",
      "DTSTART;TZID=Mars:20260104T095500\nDURATION:PT1H",
      "DTSTART;TZID=../../etc/passwd:20260104T095500\nDURATION:PT1H",
      "DTSTART:20260230T095500Z\nDURATION:PT1H", "DTSTART:2026-01-04\nDURATION:PT1H",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=HOURLY",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYHOUR=1,2",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2;UNTIL=20260201T000000Z",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20260201",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;BYDAY=MO",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;BYDAY=2SU",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;FREQ=WEEKLY",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;INTERVAL=0",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;INTERVAL=99999999999999999999",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nEXRULE:FREQ=DAILY",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20260105T095500Z/PT1H",
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nEXDATE;VALUE=DATE:20260105",
      "DTSTART:19000104T095500Z\nDURATION:PT1H", "DTSTART:20260104T095500Z\nDURATION:PT99999999H",
      "SUMMARY:no start\nDURATION:PT1H",
    ])
  func leftOut(event: String) throws {
    let file = try calendar(["UID:x\n\(event)"])
    #expect(file.occurrences.isEmpty)
    #expect(file.leftOut.count == 1)
    #expect(file.leftOut.first?.sentence.hasPrefix("It ") == true)
  }

  @Test("A file that is too long, has too many events, was cut off or is something else is refused")
  func limits() throws {
    #expect(throws: CalendarFile.Trouble.tooLong) {
      try read([UInt8](repeating: 0x20, count: CalendarFile.maxBytes + 1))
    }
    let event = "DTSTART:20260104T095500Z\nDURATION:PT1H"
    let most = try calendar(Array(repeating: event, count: CalendarFile.maxEvents))
    #expect(most.occurrences.count == CalendarFile.maxEvents)
    #expect(throws: CalendarFile.Trouble.tooManyEvents) {
      try calendar(Array(repeating: event, count: CalendarFile.maxEvents + 1))
    }
    for text in [
      "", "<html></html>", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(event)\nEND:VEVENT\n",
      "BEGIN:VCALENDAR\nEND:VEVENT\nEND:VCALENDAR",
      String(repeating: "BEGIN:VCALENDAR\n", count: 60_000),
    ] {
      #expect(throws: CalendarFile.Trouble.noCalendar) { try read(Array(text.utf8)) }
    }
    // What takes too long is not understood.
    let bytes = Array("BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(event)\nEND:VEVENT\nEND:VCALENDAR".utf8)
    #expect(try read(bytes, isOutOfTime: { true }).leftOut.count == 1)
    #expect(try read(bytes).occurrences.count == 1)
  }

  @Test("Alarms within an event, long titles, control characters and broken UTF-8 do no harm")
  func odd() throws {
    let alarm = "BEGIN:VALARM\nTRIGGER:-PT5M\nDTSTART:20200101T000000Z\nEND:VALARM"
    let file = try calendar([
      "UID:\u{1}\u{202E}\(String(repeating: "u", count: 5_000))\nDTSTART:20260104T095500Z\nDURATION:PT1H\n\(alarm)\n"
        + "SUMMARY:\(String(repeating: "x\u{7}", count: 5_000))"
    ])
    #expect(file.occurrences.count == 1)
    #expect(file.occurrences[0].name.count <= 80)
    #expect(file.occurrences[0].id.count < 300)
    #expect(!file.occurrences[0].id.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
    var bytes = Array(
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260104T095500Z\nDURATION:PT1H\nSUMMARY:".utf8)
    bytes += [0xFF, 0xC0, 0x80] + Array("\nEND:VEVENT\nEND:VCALENDAR".utf8)
    #expect(try read(bytes).occurrences.count == 1)
  }

  @Test("Letters with many marks do not make ids or titles long, and long ids still differ")
  func longTexts() throws {
    let marked = "a" + String(repeating: "\u{301}", count: 20_000)
    let event =
      "DTSTART:20260104T095500Z\nDURATION:PT1H\nRDATE:20260105T095500Z\nSUMMARY:\(marked)"
    for uid in [marked, String(repeating: "u", count: 300)] {
      let file = try calendar(["UID:\(uid)1\n\(event)", "UID:\(uid)2\n\(event)"])
      #expect(file.occurrences.count == 4)
      #expect(Set(file.occurrences.map(\.id)).count == 4)
      #expect(file.occurrences.allSatisfy { $0.id.utf8.count < 600 && $0.name.utf8.count < 200 })
    }
  }

  @Test("An event whose repetitions take too long is left out as a whole")
  func outOfTime() throws {
    var looks = 0
    let text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(Self.weekly)\nEND:VEVENT\nEND:VCALENDAR"
    let file = try read(
      Array(text.utf8),
      isOutOfTime: {
        looks += 1
        return looks > 10
      })
    #expect(file.occurrences.isEmpty)
    #expect(file.leftOut.count == 1)
  }

  @Test("A zone is looked for once for all values of a property")
  func zoneLookups() throws {
    var lookups = 0
    let context = CalendarFile.Context(
      source: .imported, ownZone: "Europe/Berlin",
      zones: { name in
        lookups += 1
        return zone(name)
      })
    let times = Array(repeating: "20260105T095500", count: 100).joined(separator: ",")
    let text =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(Self.weekly)\n"
      + "RDATE;TZID=Europe/Berlin:\(times)\nEND:VEVENT\nEND:VCALENDAR"
    let file = try CalendarFile(
      Array(text.utf8), beginningIn: utc("2026-01-01 00:00")..<utc("2026-01-10 00:00"), context)
    #expect(file.occurrences.count == 2)
    // For the box's own zone, DTSTART and RDATE.
    #expect(lookups == 3)
  }

  @Test(
    "Random damage to a calendar neither crashes nor hangs, and never gives a broadcast that is too long"
  )
  func damage() {
    var random = SplitMix64(seed: 9)
    let whole = Array(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n\(Self.weekly.replacing("\n", with: "\r\n"))\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        .utf8)
    for _ in 0..<often(3_000) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8.random(in: 10...126, using: &random), at: at)
        }
      }
      let file = try? read(bytes)
      #expect(
        file?.occurrences.allSatisfy { $0.ends > $0.begins && $0.ends - $0.begins <= 86_400 }
          ?? true)
    }
  }
}
