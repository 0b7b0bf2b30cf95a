// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Schedule
import TestSupport
import Testing

/// A year of a schedule in virtual time: none missed, none begun that should not be, none ended early.
@Suite struct ScheduleYearTests {
  private static let entries = [
    entry("night", Set(Weekday.allCases), "02:30", minutes: 20),
    entry("sunday", [.sunday], "09:55", minutes: 80),
    entry("overlap", [.sunday, .wednesday], "10:30", minutes: 120),
    entry("york", [.tuesday, .friday], "20:00", minutes: 90, in: "America/New_York"),
    entry("midnight", [.saturday], "23:30", minutes: 60),
  ]
  private static let start = utc("2026-01-01 00:00")

  /// What should be on air at a time, by the rules of the table alone: of those that are due, the one that has begun first.
  private static func expected(_ days: Int) -> [Box.Part] {
    let window = start..<start + Int64(days) * 86_400
    var parts: [Box.Part] = []
    var free = start
    for one in entries.flatMap({ $0.occurrences(beginningIn: window) }).sorted() {
      let from = max(one.begins, free)
      guard from < one.ends else { continue }
      parts.append(Box.Part(id: one.id, from: from, to: one.ends))
      free = one.ends
    }
    return parts
  }

  @Test("A year with both clock changes: each is on air from its beginning to its end")
  func year() {
    let days = 366
    var box = Box(Self.entries, at: Self.start)
    box.runQuickly(to: Self.start + Int64(days) * 86_400)
    let expected = Self.expected(days)
    #expect(box.parts.count > days)
    for (one, other) in zip(box.parts, expected) {
      #expect(one.id == other.id && one.to == other.to && one.from - other.from <= 60)
    }
    #expect(box.parts.count == expected.count)
  }

  @Test(
    "Power cuts at any moment: what was on air goes on, nothing else begins, nothing ends early")
  func powerCuts() {
    var random = SplitMix64(seed: 38)
    let cuts = often(1_000)
    var box = Box(Self.entries, at: Self.start)
    var offTimes: [Range<Int64>] = []
    for _ in 0..<cuts {
      box.runQuickly(to: box.now + Int64.random(in: 60...43_200, using: &random))
      let from = box.now
      box.cutPower()
      let isLong = Int.random(in: 0..<4, using: &random) == 0
      box.run(Int64.random(in: 1...(isLong ? 7_200 : 500), using: &random))
      offTimes.append(from..<box.now)
      box.restorePower()
    }
    box.runQuickly(to: box.now + 7_200)
    check(box, offTimes, unset: [])
  }

  @Test("Power cuts, after which the clock is wrong and is set late")
  func wrongClocks() {
    var random = SplitMix64(seed: 39)
    var box = Box(Self.entries, at: Self.start)
    var unset: [Range<Int64>] = []
    for _ in 0..<often(1_000) {
      box.runQuickly(to: box.now + Int64.random(in: 60...43_200, using: &random))
      let from = box.now
      box.cutPower()
      box.run(Int64.random(in: 1...120, using: &random))
      box.clockError = Int64.random(in: -400_000_000...400_000, using: &random)
      box.restorePower(isClockSet: false)
      box.run(Int64.random(in: 5...900, using: &random), step: 60)
      (box.clockError, box.isClockSet) = (0, true)
      box.tick()
      unset.append(from..<box.now)
    }
    check(box, [], unset: unset)
  }

  /// Every minute in which the box had power and knew the time: what is on air is due, and what is due is on air.
  private func check(_ box: Box, _ offTimes: [Range<Int64>], unset: [Range<Int64>]) {
    let window = Self.start - 86_400..<box.now
    let all = Dictionary(
      Self.entries.flatMap { $0.occurrences(beginningIn: window) }.map { ($0.id, $0) }
    ) { $1 }
    let dark = offTimes + unset
    for part in box.parts {
      guard let id = part.id, let one = all[id] else {
        Issue.record("begun without an occurrence")
        continue
      }
      #expect(part.from >= one.begins && part.from < one.ends)
      let end = part.to ?? box.now
      // Not ended early: the power was cut at that moment, or its end has come.
      #expect(end >= one.ends || dark.contains { $0.lowerBound == end } || part.to == nil)
      #expect(end - one.ends <= 60)
    }
    // None missed: if the box knew the time within ten minutes of the beginning and nothing else was on air, it was begun.
    for one in all.values where one.ends < box.now - 3_600 && one.begins > Self.start {
      let isDark = dark.contains {
        $0.lowerBound <= one.begins + 60 && $0.upperBound > min(one.begins + 540, one.ends - 60)
      }
      let isTaken = box.parts.contains { part in
        part.id != one.id && part.from <= one.begins + 600 && (part.to ?? .max) >= one.begins
      }
      guard !isDark, !isTaken else { continue }
      #expect(!box.parts(of: one.id).isEmpty, "\(one.id)")
    }
    let both = zip(box.parts, box.parts.dropFirst())
    #expect(both.allSatisfy { ($0.to ?? .max) <= $1.from })
  }
}
