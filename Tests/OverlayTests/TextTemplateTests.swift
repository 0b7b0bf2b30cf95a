// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Overlay

/// Variables in texts.
@Suite struct TextTemplateTests {
  /// 2026-01-31T12:00:00Z.
  private static let noon: Int64 = 1_769_860_800

  private func text(
    _ template: String, _ facts: TextVariables = TextVariables(), at wallClock: Int64 = noon,
    now: MediaTime = MediaTime(nanos: .seconds(10_000)), files: [String: String] = [:]
  ) -> String {
    TextTemplate(template).text(facts, wallClock: wallClock, now: now) { files[$0] ?? "" }
  }

  @Test(arguments: [
    ("Hello", "Hello"), ("", ""), ("{time}", "12:00"), ("{time:%H:%M:%S} h", "12:00:00 h"),
    ("{date}", "2026-01-31"), ("{date:%d. %B}", "31. January"), ("a{b}c", "a{b}c"),
    ("{", "{"), ("}{", "}{"), ("{{time}}", "{12:00}"), ("{time:}", "{time:}"),
    ("{time:%H %Z}", "{time:%H %Z}"),
    ("{name:x}", "{name:x}"), ("{api:}", "{api:}"), ("{api}", "{api}"), ("1{api:a}2", "12"),
    ("{countdown:24:00}", "{countdown:24:00}"),
    ("{countdown:1230}", "{countdown:1230}"), ("{countdown:+1:00}", "{countdown:+1:00}"),
    ("{countdown:12:30}", "30:00"), ("{countdown:18:30}", "6:30:00"), ("{countdown:12:00}", "0:00"),
    ("{countdown:11:01}", "0:00"), ("{countdown:11:00}", "23:00:00"), ("{elapsed}", "0:00"),
    ("{name}|{file:a b}", "|"), ("{file:a/b}", "{file:a/b}"), ("{file:..}", "{file:..}"),
    ("{file:/etc/shadow}", "{file:/etc/shadow}"), ("{file:}", "{file:}"),
    ("a\u{0}\u{1B}[2J\r\nb\tc\u{85}", "a[2J\nb\tc"),
  ])
  func variablesAreFilledIn(template: String, wanted: String) {
    #expect(text(template) == wanted)
  }

  @Test func theFactsOfTheBoxAreUsed() {
    var facts = TextVariables()
    facts.name = "Chapel"
    facts.startedAt = MediaTime(nanos: .seconds(6_335))
    #expect(
      text("{name} {file:x} {elapsed}", facts, files: ["x": "Bach"])
        == "Chapel Bach 1:01:05")
    facts.texts = ["score": "2 : 1 {name}", "Score": "no"]
    #expect(text("Home {api:score} Guests{api:other}", facts) == "Home 2 : 1 {name} Guests")
    facts.startedAt = MediaTime(nanos: .seconds(20_000))
    #expect(text("{elapsed}", facts) == "0:00", "never negative")
  }

  @Test func anEndlessTextIsCut() {
    #expect(text(String(repeating: "é", count: 10_000)).count == TextTemplate.maxScalars)
    #expect(text("{file:x}", files: ["x": String(repeating: "a", count: 9_000)]).count == 2_000)
    let marks = text(
      "{file:x}{file:x}", files: ["x": "e" + String(repeating: "\u{301}", count: 1_500)])
    #expect(marks.unicodeScalars.count == TextTemplate.maxScalars)
  }

  @Test func onlyTextsThatChangeByThemselvesNeedTheClock() {
    for (template, hasTime) in [
      ("{name} {file:b} {api:c}", false), ("{time}", true), ("{date}", true), ("{elapsed}", true),
      ("{countdown:9:00}", true), ("{hours}", false),
    ] {
      #expect(TextTemplate(template).hasTime == hasTime, "\(template)")
    }
    #expect(TextTemplate("{file:b} {file:c}").files == ["b", "c"])
  }
}
