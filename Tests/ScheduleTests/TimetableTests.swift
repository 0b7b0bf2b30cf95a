// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Schedule
import Testing

/// Holds `Timetable` to the table in Sources/Schedule/Timetable/README.md.
@Suite struct TimetableTests {
  private static let sunday = entry("sunday", [.sunday], "09:55", minutes: 80)
  private static let begins = utc("2026-03-22 08:55")
  private static let ends = begins + 4_800
  private static let id = "sunday 2026-03-22 09:55 Europe/Berlin"

  private func box(_ entries: [ScheduleEntry] = [sunday], before: Int64 = 600) -> Box {
    Box(entries, at: Self.begins - before)
  }

  @Test("It begins and ends on time, after a test and a warning")
  func plain() {
    var box = box()
    box.run(to: Self.ends + 600, step: 1)
    #expect(box.parts == [Box.Part(id: Self.id, from: Self.begins, to: Self.ends)])
    let names = box.actions.map { action in
      switch action {
      case .test: "test"
      case .begin: "begin"
      case .warn(_, let ends): "warn \(ends == Self.ends)"
      case .end: "end"
      default: "\(action)"
      }
    }
    #expect(names == ["test", "begin", "warn true", "end"])
    #expect(box.table.next(after: box.now)?.begins == utc("2026-03-29 07:55"))
  }

  @Test("An extension moves the end, and is warned of again")
  func extend() {
    var box = box()
    #expect(box.table.extend(minutes: 15) == nil)
    box.run(to: Self.ends - 60)
    #expect(box.table.isEndNear(box.now))
    #expect(box.table.extend(minutes: 15) == Self.ends + 900)
    #expect(!box.table.isEndNear(box.now))
    box.run(to: Self.ends + 3_600)
    #expect(box.parts.map(\.to) == [Self.ends + 900])
    let warnings = box.actions.compactMap { action -> Int64? in
      if case .warn(_, let ends) = action { ends } else { nil }
    }
    #expect(warnings == [Self.ends, Self.ends + 900])
    // An extension ends somewhere.
    box.run(to: utc("2026-03-29 08:00"))
    for _ in 0..<100 { _ = box.table.extend(minutes: 240) }
    #expect(box.table.record.running?.extendedMinutes == Timetable.mostExtendedMinutes)
  }

  @Test("What a person has stopped stays stopped, also after a power cut, until the next beginning")
  func stoppedByHand() {
    var box = box()
    box.run(1_200)
    box.stopByHand()
    box.run(60)
    box.cutPower()
    box.run(60)
    box.restorePower()
    box.run(to: Self.ends + 60)
    #expect(box.parts.count == 1)
    #expect(box.actions.contains { if case .stopped = $0 { true } else { false } })
    box.run(to: utc("2026-03-29 08:00"))
    #expect(box.parts.count == 2)
  }

  @Test("A stop by hand just before a power cut counts")
  func stoppedBeforeCut() {
    var box = box()
    box.run(1_200)
    box.stopByHand()
    box.cutPower()
    box.run(60)
    box.restorePower()
    box.run(to: Self.ends + 60)
    #expect(box.parts.count == 1)
  }

  @Test("What a person starts is the person's")
  func startedByHand() {
    // Before the beginning: the scheduled one is missed.
    var early = box()
    early.run(300)
    early.startByHand()
    early.run(to: Self.ends + 3_600)
    #expect(early.broadcast != nil)
    #expect(early.parts.map(\.id) == [nil])
    #expect(early.actions.contains { if case .missed(_, .onAir) = $0 { true } else { false } })
    // After a stop, within a step of the clock.
    var again = box()
    again.run(1_200)
    again.stopByHand()
    again.startByHand()
    again.run(to: Self.ends + 3_600)
    #expect(again.broadcast != nil)
  }

  @Test("A stop by hand while two overlap keeps both off")
  func stoppedWhileTwo() {
    let other = entry("other", [.sunday], "10:30", minutes: 80)
    var box = box([Self.sunday, other])
    box.run(to: Self.begins + 3_000)
    box.stopByHand()
    box.run(to: Self.ends + 7_200)
    #expect(box.parts.map(\.id) == [Self.id])
  }

  @Test("Of two that overlap the first goes on to its end, then the other begins, however late")
  func overlap() {
    let other = entry("other", [.sunday], "10:30", minutes: 80)
    let inside = entry("inside", [.sunday], "10:00", minutes: 20)
    var box = box([other, inside, Self.sunday])
    box.run(to: Self.ends - 120)
    _ = box.table.extend(minutes: 15)
    box.run(to: Self.ends + 7_200, step: 1)
    #expect(box.parts.map { $0.id?.prefix(5) } == ["sunda", "other"])
    #expect(box.parts[0].to == Self.ends + 900)
    #expect(box.parts[1].from == Self.ends + 901)
    #expect(box.parts[1].to == Self.begins + 2_100 + 4_800)
  }

  @Test("Of two that begin at once the name decides")
  func tie() {
    let same = entry("a", [.sunday], "09:55", minutes: 10)
    var box = box([Self.sunday, same])
    box.run(to: Self.ends + 60)
    #expect(box.parts.map { $0.id?.prefix(1) } == ["a", "s"])
    #expect(box.parts[1].to == Self.ends)
  }

  @Test(
    "A power cut in the middle: it goes on if its end is ahead", arguments: [600, 4_000, 9_000])
  func powerCut(off: Int64) {
    var box = box()
    box.run(to: Self.begins + 300)
    box.cutPower()
    box.run(off)
    box.restorePower()
    let back = Self.begins + 300 + off
    #expect((box.broadcast != nil) == (back < Self.ends))
    box.run(to: Self.ends + 9_000)
    #expect(box.broadcast == nil)
    if back < Self.ends { #expect(box.parts.last?.to == Self.ends) }
  }

  @Test("A power cut in the middle, with a clock that is set later: it waits for the clock")
  func powerCutWithoutClock() {
    for off in [Int64(600), 9_000] {
      var box = box()
      box.run(to: Self.begins + 300)
      box.cutPower()
      box.run(off)
      box.clockError = -3_600 * 24 * 300
      box.restorePower(isClockSet: false)
      box.run(120)
      #expect(box.broadcast == nil)
      (box.clockError, box.isClockSet) = (0, true)
      box.run(10)
      #expect((box.broadcast != nil) == (off == 600))
      box.run(to: max(box.now, Self.ends) + 60)
      #expect(box.broadcast == nil)
    }
  }

  @Test("A hand that starts while the clock is waited for has its own broadcast")
  func handWhileHeld() {
    var box = box()
    box.run(to: Self.begins + 300)
    box.cutPower()
    box.run(60)
    box.restorePower(isClockSet: false)
    box.startByHand()
    box.run(60)
    box.isClockSet = true
    box.run(to: Self.ends + 600)
    #expect(box.broadcast != nil)
    #expect(box.table.record.running == nil)
  }

  @Test("Power cut between the saved start and the broadcast: it begins, however late")
  func cutAtBeginning() {
    var table = Timetable()
    let window = Self.begins - 86_400..<Self.begins + 86_400
    func moment(_ now: Int64) -> Timetable.Moment {
      Timetable.Moment(
        now: now, uptime: now - Self.begins + 1_000, isClockSet: true, broadcast: nil)
    }
    let all = Self.sunday.occurrences(beginningIn: window)
    table.set(all, in: window, moment(Self.begins - 10))
    #expect(table.advance(moment(Self.begins)) == [.begin(all[0])])
    var next = Timetable(table.record)
    #expect(Timetable.resumes(table.record, now: Self.begins + 1_800, isClockSet: true) == nil)
    next.note(.stopped)
    next.set(all, in: window, moment(Self.begins + 1_800))
    #expect(next.advance(moment(Self.begins + 1_800)) == [.begin(all[0])])
  }

  @Test("A beginning that is missed by ten minutes is made up for, a later one is told")
  func late() {
    for (late, isBegun) in [(Int64(540), true), (660, false)] {
      var box = box()
      box.run(60)
      box.cutPower()
      box.run(to: Self.begins + late)
      box.restorePower()
      box.run(60)
      #expect((box.broadcast != nil) == isBegun)
      #expect(
        box.actions.contains { if case .missed(_, .late) = $0 { true } else { false } } == !isBegun)
    }
    // The box was off until after its end.
    var box = box()
    box.run(60)
    box.cutPower()
    box.run(to: Self.ends + 600)
    box.restorePower()
    box.run(60)
    #expect(box.actions.contains { if case .missed(_, .late) = $0 { true } else { false } })
    #expect(box.parts.isEmpty)
  }

  @Test("Nothing begins before the clock is set")
  func clockNotSet() {
    var box = box()
    box.isClockSet = false
    box.run(to: Self.begins + 300)
    #expect(box.parts.isEmpty)
    box.isClockSet = true
    box.run(10)
    #expect(box.broadcast != nil)
  }

  @Test("A clock that jumps for a moment begins and ends nothing")
  func jumps() {
    var box = box(before: 90_000)
    box.run(600)
    box.clockError = 90_000 - 600
    box.run(50)
    box.clockError = 0
    box.run(120)
    #expect(box.parts.isEmpty)
    box.run(to: Self.begins + 600)
    #expect(box.broadcast != nil)
    box.clockError = 86_400
    box.run(50)
    box.clockError = 0
    box.run(120)
    #expect(box.broadcast != nil)
    box.run(to: Self.ends + 60)
    #expect(box.parts == [Box.Part(id: Self.id, from: Self.begins, to: Self.ends)])
    // The clock is set back into the broadcast that is over.
    box.clockError = -3_600
    box.run(1_200)
    #expect(box.parts.count == 1)
  }

  @Test("What is skipped does not begin, the next one does; a skip can be taken back")
  func skip() {
    var box = box()
    box.run(60)
    #expect(box.table.skip(nil, undo: false, now: box.now)?.id == Self.id)
    #expect(box.table.next(after: box.now)?.begins == utc("2026-03-29 07:55"))
    #expect(box.table.skip(nil, undo: true, now: box.now)?.id == Self.id)
    #expect(box.table.skip(Self.id, undo: false, now: box.now)?.id == Self.id)
    #expect(box.table.skip("nothing", undo: false, now: box.now) == nil)
    box.run(to: utc("2026-03-29 08:00"))
    #expect(box.parts.map(\.from) == [utc("2026-03-29 07:55")])
    #expect(box.actions.contains { if case .missed(_, .skipped) = $0 { true } else { false } })
  }

  @Test("An entry that would have begun already does not begin when it is made")
  func made() {
    var table = Timetable()
    func moment(_ now: Int64) -> Timetable.Moment {
      Timetable.Moment(
        now: now, uptime: now - Self.begins + 1_000, isClockSet: true, broadcast: nil)
    }
    let window = Self.begins - 86_400..<Self.begins + 86_400
    table.set([], in: window, moment(Self.begins + 60))
    #expect(table.advance(moment(Self.begins + 60)).isEmpty)
    let all = Self.sunday.occurrences(beginningIn: window)
    table.set(all, in: window, moment(Self.begins + 120))
    #expect(table.advance(moment(Self.begins + 120)).isEmpty)
  }

  @Test("What had ended when it was added is not noted")
  func addedAfterEnd() {
    var table = Timetable()
    let moment = Timetable.Moment(
      now: Self.ends, uptime: 1_000, isClockSet: true, broadcast: nil)
    let window = Self.begins - 86_400..<Self.begins + 86_400
    table.set([], in: window, moment)
    table.set(Self.sunday.occurrences(beginningIn: window), in: window, moment)
    #expect(table.record.handled.isEmpty)
  }

  @Test("The end moves with the length of the entry, and stays if the entry goes")
  func edited() {
    var table = Timetable()
    func moment(_ now: Int64, _ broadcast: Int?) -> Timetable.Moment {
      Timetable.Moment(
        now: now, uptime: now - Self.begins + 1_000, isClockSet: true, broadcast: broadcast)
    }
    let window = Self.begins - 86_400..<Self.begins + 86_400
    var longer = Self.sunday
    longer.minutes = 90
    table.set(
      Self.sunday.occurrences(beginningIn: window), in: window, moment(Self.begins - 5, nil))
    #expect(table.advance(moment(Self.begins, nil)).count == 1)
    table.noteBegun(broadcast: 1)
    table.set(longer.occurrences(beginningIn: window), in: window, moment(Self.begins + 5, 1))
    table.set([], in: window, moment(Self.begins + 6, 1))
    #expect(table.advance(moment(Self.ends + 1, 1)).isEmpty)
    #expect(
      table.advance(moment(Self.ends + 300, 1)) == [
        .warn(longer.occurrences(beginningIn: window)[0], ends: Self.ends + 600)
      ])
    #expect(table.advance(moment(Self.ends + 600, 1)).count == 1)
  }

  @Test("A start that fails is tried again for ten minutes")
  func refused() {
    var box = box()
    box.refusesStarts = true
    box.run(to: Self.begins + 120)
    let tries = box.actions.count { if case .begin = $0 { true } else { false } }
    #expect((20...25).contains(tries))
    box.refusesStarts = false
    box.run(10)
    #expect(box.broadcast != nil)
    box.run(to: utc("2026-03-29 07:50"))
    box.refusesStarts = true
    box.run(3_600)
    box.refusesStarts = false
    box.run(600)
    #expect(box.broadcast == nil)
    #expect(box.actions.contains { if case .missed(_, .late) = $0 { true } else { false } })
  }
}
