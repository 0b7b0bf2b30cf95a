// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Schedule

/// A box on a virtual clock that does what the timetable says, and can lose its power.
struct Box {
  /// A part of a broadcast: from when to when, and which occurrence; `nil` for a person's.
  struct Part: Equatable {
    var id: String?
    var from: Int64
    var to: Int64?
  }

  var table = Timetable()
  /// The true time, seconds since 1970-01-01 UTC.
  var now: Int64
  /// What is added to the true time by a clock that is wrong.
  var clockError: Int64 = 0
  var isClockSet = true
  var refusesStarts = false
  private(set) var isOn = true
  private(set) var broadcast: Int?
  private(set) var parts: [Part] = []
  private(set) var actions: [Timetable.Action] = []
  private var bootedAt: Int64
  private var starts = 0
  private var saved = ScheduleRecord()
  /// Whether the intent on the disk is a broadcast.
  private var savedIntent = false
  private let entries: [ScheduleEntry]
  /// When something is due by the schedule, sorted.
  private let marks: [Int64]
  private var setAt: Int64?

  init(_ entries: [ScheduleEntry], at time: Int64) {
    (self.entries, now, bootedAt) = (entries, time, time)
    let year = time - 2 * 86_400..<time + 400 * 86_400
    marks = entries.flatMap { $0.occurrences(beginningIn: year) }
      .flatMap { [$0.begins - 60, $0.begins, $0.ends - 300, $0.ends] }.sorted()
  }

  var moment: Timetable.Moment {
    Timetable.Moment(
      now: now + clockError, uptime: now - bootedAt, isClockSet: isClockSet, broadcast: broadcast)
  }

  /// The parts of one occurrence.
  func parts(of id: String) -> [Part] { parts.filter { $0.id == id } }

  /// Lets the time pass, a step at a time.
  mutating func run(to end: Int64, step: Int64 = 5) {
    while now < end {
      now = min(end, now + step)
      if isOn { tick() }
    }
  }

  mutating func run(_ seconds: Int64, step: Int64 = 5) { run(to: now + seconds, step: step) }

  /// Lets the time pass, by a minute at a time shortly after something is due, and else until the next thing is due.
  mutating func runQuickly(to end: Int64) {
    while now < end {
      var (low, high) = (0, marks.count)
      while low < high {
        let middle = (low + high) / 2
        if marks[middle] > now { high = middle } else { low = middle + 1 }
      }
      let isRecent = low > 0 && now - marks[low - 1] < 180
      let next = low < marks.count ? marks[low] : end
      run(to: min(end, next, now + (isRecent ? 60 : 3_600)), step: 3_600)
    }
  }

  /// One call of the supervisor.
  mutating func tick() {
    // The occurrences are found anew each hour and when the clock was set anew.
    let time = moment.now
    if setAt.map({ abs(time - $0) >= 3_600 }) ?? true, isClockSet {
      setAt = time
      let window = time - 2 * 86_400..<time + 8 * 86_400
      table.set(entries.flatMap { $0.occurrences(beginningIn: window) }, in: window, moment)
    }
    for action in table.advance(moment) {
      actions.append(action)
      switch action {
      case .begin(let one):
        saved = table.record
        guard !refusesStarts else {
          table.noteFailed(moment)
          continue
        }
        start(one.id)
        table.noteBegun(broadcast: starts)
      case .resume(let one):
        start(one.id)
        table.noteBegun(broadcast: starts)
      case .forget: savedIntent = false
      case .end: stop()
      case .warn, .test, .missed, .stopped: break
      }
    }
    saved = table.record
  }

  private mutating func start(_ id: String?) {
    starts += 1
    broadcast = starts
    savedIntent = true
    parts.append(Part(id: id, from: now))
  }

  private mutating func stop() {
    broadcast = nil
    savedIntent = false
    if !parts.isEmpty { parts[parts.count - 1].to = now }
  }

  mutating func startByHand() { start(nil) }
  mutating func stopByHand() { stop() }

  mutating func cutPower() {
    if broadcast != nil { parts[parts.count - 1].to = now }
    (isOn, broadcast) = (false, nil)
  }

  mutating func restorePower(isClockSet: Bool = true) {
    (isOn, self.isClockSet, bootedAt, setAt) = (true, isClockSet, now, nil)
    table = Timetable(saved)
    let verdict = Timetable.resumes(
      saved, now: now + clockError, isClockSet: isClockSet)
    switch verdict {
    case .goesOn where savedIntent:
      start(saved.running?.occurrence.id)
      table.note(.goesOn, broadcast: starts)
    case .goesOn, .stopped: table.note(.stopped)
    case .held: table.note(savedIntent ? .held : .stopped)
    case .over:
      table.note(.over)
      savedIntent = false
    case nil:
      table.note(.stopped)
      if savedIntent { start(nil) }
    }
  }
}
