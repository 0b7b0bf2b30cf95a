// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Schedule
import Testing

/// The examples of RFC 5545, section 3.8.5.3, that give at most one time a day.
@Suite struct RecurrenceRuleTests {
  /// A rule, the first day, and the first days on which the event is.
  struct Example: CustomTestStringConvertible {
    var rule: String
    var start: String
    var days: String
    var testDescription: String { rule }
  }

  @Test(arguments: [
    Example(
      rule: "DAILY;INTERVAL=10;COUNT=5", start: "1997-09-02",
      days: "09-02 09-12 09-22 10-02 10-12"),
    Example(
      rule: "YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
      start: "1998-01-01", days: "01-01 01-02 01-03 01-04 01-05 01-06"),
    Example(
      rule: "WEEKLY;INTERVAL=2;WKST=SU", start: "1997-09-02",
      days: "09-02 09-16 09-30 10-14 10-28 11-11 11-25"),
    Example(
      rule: "WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR", start: "1997-09-01",
      days: "09-01 09-03 09-05 09-15 09-17 09-19 09-29 10-01"),
    Example(
      rule: "WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", start: "1997-09-02",
      days: "09-02 09-04 09-16 09-18 09-30 10-02 10-14 10-16"),
    // What the first day of a week decides.
    Example(
      rule: "WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", start: "1997-08-05",
      days: "08-05 08-10 08-19 08-24"),
    Example(
      rule: "WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", start: "1997-08-05",
      days: "08-05 08-17 08-19 08-31"),
    Example(
      rule: "MONTHLY;COUNT=10;BYDAY=1FR", start: "1997-09-05",
      days: "09-05 10-03 11-07 12-05 01-02 02-06 03-06 04-03 05-01 06-05"),
    Example(
      rule: "MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", start: "1997-09-07",
      days: "09-07 09-28 11-02 11-30 01-04 01-25 03-01 03-29 05-03 05-31"),
    Example(
      rule: "MONTHLY;COUNT=6;BYDAY=-2MO", start: "1997-09-22",
      days: "09-22 10-20 11-17 12-22 01-19 02-16"),
    Example(
      rule: "MONTHLY;BYMONTHDAY=-3", start: "1997-09-28",
      days: "09-28 10-29 11-28 12-29 01-29 02-26"),
    Example(
      rule: "MONTHLY;COUNT=10;BYMONTHDAY=1,-1", start: "1997-09-30",
      days: "09-30 10-01 10-31 11-01 11-30 12-01 12-31 01-01 01-31 02-01"),
    Example(
      rule: "MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", start: "1997-09-10",
      days: "09-10 09-11 09-12 09-13 09-14 09-15 03-10 03-11 03-12 03-13"),
    Example(
      rule: "YEARLY;COUNT=10;BYMONTH=6,7", start: "1997-06-10",
      days: "06-10 07-10 06-10 07-10 06-10 07-10 06-10 07-10 06-10 07-10"),
    Example(
      rule: "YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3", start: "1997-03-10",
      days: "03-10 01-10 02-10 03-10 01-10 02-10 03-10 01-10 02-10 03-10"),
    Example(
      rule: "YEARLY;BYMONTH=3;BYDAY=TH", start: "1997-03-13",
      days: "03-13 03-20 03-27 03-05 03-12 03-19 03-26"),
    Example(
      rule: "MONTHLY;BYDAY=FR;BYMONTHDAY=13", start: "1998-02-13",
      days: "02-13 03-13 11-13 08-13 10-13"),
    Example(
      rule: "MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", start: "1997-09-13",
      days: "09-13 10-11 11-08 12-13 01-10 02-07"),
    // The day of an election in the United States.
    Example(
      rule: "YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", start: "1996-11-05",
      days: "11-05 11-07 11-02"),
    Example(
      rule: "MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", start: "1997-09-04",
      days: "09-04 10-07 11-06"),
    Example(
      rule: "MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", start: "1997-09-29",
      days: "09-29 10-30 11-27 12-30 01-29 02-26 03-30"),
    // Not of the RFC: a leap day, and ordinals in a year.
    Example(rule: "YEARLY", start: "1996-02-29", days: "02-29 02-29 02-29"),
    Example(rule: "YEARLY;BYDAY=1MO,-1MO", start: "1997-01-06", days: "01-06 12-29 01-05 12-28"),
  ])
  func givesItsDays(_ example: Example) throws {
    let day = example.start.replacing("-", with: "")
    let file = try calendar(
      [
        "UID:1\nDTSTART;TZID=America/New_York:\(day)T090000\nDURATION:PT1H\nRRULE:FREQ=\(example.rule)"
      ], from: "1996-01-01 00:00", to: "2007-01-01 00:00")
    #expect(file.leftOut.isEmpty)
    let newYork = try #require(zone("America/New_York"))
    let expected = example.days.split(separator: " ").map(String.init)
    let times = file.occurrences.map { newYork.localTime(at: $0.begins) }
    #expect(times.allSatisfy { $0.timeText == "09:00" })
    #expect(times.prefix(expected.count).map { String($0.dateText.dropFirst(5)) } == expected)
    if let count = example.rule.split(separator: "COUNT=").dropFirst().first {
      #expect(times.count == Int(count.prefix { $0.isNumber }))
    }
  }
}
