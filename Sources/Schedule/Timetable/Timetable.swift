// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides when broadcasts of the schedule begin and end. README.md in this folder has the rules as a table. Reads no
/// clock and does no I/O. All times are in seconds since 1970-01-01 UTC.
public struct Timetable: Sendable {
  /// A start that was missed by no more than this is made up for.
  public static let graceSeconds: Int64 = 600
  /// Time before the end at which it is told.
  public static let warningSeconds: Int64 = 300
  /// Time before the beginning at which the camera is tested.
  public static let testSeconds: Int64 = 60
  /// Time for which a clock that was set anew must go on before anything begins or ends by it.
  public static let settlingSeconds: Int64 = 60
  /// Time until a start that has failed is tried again.
  public static let retrySeconds: Int64 = 5
  /// The most minutes by which a broadcast is extended in all.
  public static let mostExtendedMinutes = 720

  /// What the timetable has to know of the moment.
  public struct Moment: Sendable {
    /// The time of day.
    public var now: Int64
    /// Seconds on a clock that is never set.
    public var uptime: Int64
    /// Whether the box knows the time of day.
    public var isClockSet: Bool
    /// The number of the broadcast that is on air or requested: each start has another one; `nil` off air.
    public var broadcast: Int?

    public init(now: Int64, uptime: Int64, isClockSet: Bool, broadcast: Int?) {
      (self.now, self.uptime) = (now, uptime)
      (self.isClockSet, self.broadcast) = (isClockSet, broadcast)
    }
  }

  /// What is to be done or told. The record is to be saved before.
  public enum Action: Equatable, Sendable {
    /// Begin the broadcast, then call `noteBegun` or `noteFailed`.
    case begin(Occurrence)
    /// Go on with the broadcast of the last run of the program, which was held, then call `noteBegun`.
    case resume(Occurrence)
    /// Forget the broadcast of the last run of the program, which was held: its time is over.
    case forget(Occurrence)
    /// End the broadcast, whose time is over.
    case end(Occurrence)
    /// Tell that the broadcast ends soon.
    case warn(Occurrence, ends: Int64)
    /// Test the camera, since the broadcast begins soon.
    case test(Occurrence)
    /// Tell that the occurrence is not broadcast.
    case missed(Occurrence, Reason)
    /// Tell that a person has ended the broadcast, which stays ended.
    case stopped(Occurrence)
  }

  /// What becomes, at a start of the program, of a broadcast that the schedule had begun.
  public enum Resumption: Sendable, Equatable {
    /// It goes on.
    case goesOn
    /// Whether it goes on is decided when the clock is set.
    case held
    /// It has ended while the box was off.
    case over
    /// A person had stopped it.
    case stopped
  }

  /// Why an occurrence is not broadcast.
  public enum Reason: String, Sendable {
    /// For more than ten minutes, the box was off, its clock was not set, or its starts failed.
    case late
    /// A person has left it out.
    case skipped
    /// A person has begun another broadcast, which goes on.
    case onAir = "on_air"
    /// A person has stopped the broadcast that was on air when its time came.
    case stopped
  }

  /// What survives a power cut.
  public private(set) var record: ScheduleRecord
  /// The number of the broadcast that is `record.running`; `nil` while there is none or its number is not known yet.
  private var broadcast: Int?
  /// Whether `record.running` waits for the clock, after a start of the program.
  private var isHeld = false
  /// The occurrences about now, sorted; `nil` before the first are known.
  private var occurrences: [Occurrence]?
  /// The times whose occurrences are known.
  private var window: Range<Int64> = 0..<0
  /// The end that was warned of.
  private var warnedEnd: Int64?
  /// The id of the occurrence before which the camera was tested last.
  private var tested: String?
  /// The uptime before which a start that has failed is not tried again.
  private var retriesAt: Int64?
  /// Wall clock minus uptime at the last call with a clock that was set.
  private var offset: Int64?
  /// The uptime until which a clock that has jumped is not trusted.
  private var settlesAt: Int64?

  /// - Parameter record: what the last run of the program has saved.
  public init(_ record: ScheduleRecord = ScheduleRecord()) { self.record = record }

  // MARK: What the box notes

  /// Sets the occurrences. One that is new and has begun already is not broadcast: whoever changes the schedule does not
  /// expect the camera to be on at once. Does nothing before the clock is set.
  /// - Parameter window: `new` has all occurrences that begin in this time.
  public mutating func set(_ new: [Occurrence], in window: Range<Int64>, _ moment: Moment) {
    guard moment.isClockSet else { return }
    if let known = occurrences.map({ Set($0.map(\.id)) }) {
      for one in new
      where one.begins <= moment.now && moment.now < one.ends
        && self.window.contains(one.begins) && !known.contains(one.id)
      {
        record.handled[one.id] = one.ends
      }
    }
    if let running = record.running, let one = new.first(where: { $0.id == running.occurrence.id })
    {
      record.running?.occurrence = one
    }
    (occurrences, self.window) = (new.sorted(), window)
  }

  /// Notes that the broadcast of `Action.begin` or `Action.resume` has begun.
  /// - Parameter broadcast: its number.
  public mutating func noteBegun(broadcast: Int) {
    record.running?.hasBegun = true
    self.broadcast = broadcast
  }

  /// Notes that the broadcast of `Action.begin` could not begin. It is tried again as long as a start may be late.
  public mutating func noteFailed(_ moment: Moment) {
    record.running = nil
    retriesAt = moment.uptime + Timetable.retrySeconds
  }

  /// What becomes of the broadcast of the last run of the program that the schedule had begun, by the clock alone; `nil`
  /// if there was none.
  public static func resumes(_ record: ScheduleRecord, now: Int64, isClockSet: Bool) -> Resumption?
  {
    guard let running = record.running, running.hasBegun else { return nil }
    return !isClockSet ? .held : now >= running.ends ? .over : .goesOn
  }

  /// Notes at the start of the program what becomes of the broadcast of its last run.
  /// - Parameter broadcast: its number, if it goes on.
  public mutating func note(_ resumption: Resumption, broadcast: Int? = nil) {
    guard let running = record.running else { return }
    guard running.hasBegun else {
      // The power was cut before it began. It may begin however late it is.
      record.waiting[running.occurrence.id] = running.ends
      record.running = nil
      return
    }
    switch resumption {
    case .goesOn: self.broadcast = broadcast
    case .held: isHeld = true
    case .over, .stopped: finishRunning()
    }
  }

  // MARK: What a person asks for

  /// Lets the broadcast that runs go on for longer.
  /// - Returns: when it ends; `nil` if none runs.
  public mutating func extend(minutes: Int) -> Int64? {
    guard let running = record.running else { return nil }
    record.running?.extendedMinutes = min(
      Timetable.mostExtendedMinutes, running.extendedMinutes + minutes)
    return record.running?.ends
  }

  /// Leaves an occurrence out, or takes that back.
  /// - Parameter id: `nil` for the next one.
  /// - Returns: the occurrence; `nil` if there is no such one that has not begun.
  public mutating func skip(_ id: String?, undo: Bool, now: Int64) -> Occurrence? {
    let one = occurrences?.first { one in
      one.begins > now && record.handled[one.id] == nil
        && (id.map { $0 == one.id } ?? (undo == (record.skipped[one.id] != nil)))
    }
    guard let one else { return nil }
    record.skipped[one.id] = undo ? nil : one.ends
    return one
  }

  // MARK: What is shown

  /// The next occurrence that is to be broadcast; `nil` if there is none.
  public func next(after now: Int64) -> Occurrence? {
    occurrences?.first { isOpen($0) && $0.begins > now }
  }

  /// The occurrences that run or come, sorted, with those that are left out.
  public func upcoming(_ now: Int64) -> [Occurrence] {
    (occurrences ?? []).filter {
      $0.ends > now && (record.handled[$0.id] == nil || $0.id == record.running?.occurrence.id)
    }
  }

  /// Whether the broadcast that runs ends within `warningSeconds`.
  public func isEndNear(_ now: Int64) -> Bool {
    record.running.map { $0.hasBegun && $0.ends - now <= Timetable.warningSeconds } ?? false
  }

  // MARK: The rules

  /// Applies the rules. To be called about once a second.
  /// - Returns: what is to be done, in this order.
  public mutating func advance(_ moment: Moment) -> [Action] {
    var actions = noteStop(moment)
    guard isSteady(moment), occurrences != nil else { return actions }
    let now = moment.now
    if isHeld, let running = record.running {
      isHeld = false
      guard now >= running.ends else { return actions + [.resume(running.occurrence)] }
      finishRunning()
      return actions + [.forget(running.occurrence)]
    }
    if let running = record.running, running.hasBegun {
      if now >= running.ends {
        finishRunning()
        actions.append(.end(running.occurrence))
      } else {
        actions += warn(running, now)
        noteWaiting(now)
      }
      // The next one begins only when this one has ended, since an ending takes time.
      return actions
    }
    guard record.running == nil else { return actions }
    actions += tellMissed(now)
    for one in due(now) {
      guard let reason = obstacle(one, moment) else {
        if record.running != nil {
          record.waiting[one.id] = one.ends
        } else if retriesAt.map({ moment.uptime >= $0 }) ?? true {
          begin(one, &actions)
        }
        continue
      }
      record.handled[one.id] = one.ends
      actions.append(.missed(one, reason))
    }
    if record.running == nil, moment.broadcast == nil { actions += test(now) }
    noteNext(now)
    return actions
  }

  /// Notes that a person has stopped the broadcast. Then nothing begins until the next beginning in the schedule: a
  /// camera that comes on again after a stop would surprise.
  private mutating func noteStop(_ moment: Moment) -> [Action] {
    guard let running = record.running, running.hasBegun, !isHeld || moment.broadcast != nil,
      moment.broadcast != broadcast
    else { return [] }
    finishRunning()
    var actions = [Action.stopped(running.occurrence)]
    guard moment.isClockSet else { return actions }
    for one in due(moment.now) {
      record.handled[one.id] = one.ends
      actions.append(.missed(one, .stopped))
    }
    return actions
  }

  private mutating func finishRunning() {
    guard let running = record.running else { return }
    record.handled[running.occurrence.id] = max(running.ends, running.occurrence.ends)
    record.running = nil
    (broadcast, warnedEnd, isHeld) = (nil, nil, false)
  }

  /// Whether the clock can be relied on. A clock that jumps is waited for: it may be set right in a moment.
  private mutating func isSteady(_ moment: Moment) -> Bool {
    guard moment.isClockSet else {
      offset = nil
      return false
    }
    let offset = moment.now - moment.uptime
    if let last = self.offset, abs(offset - last) > 5 {
      settlesAt = moment.uptime + Timetable.settlingSeconds
    }
    self.offset = offset
    return settlesAt.map { moment.uptime >= $0 } ?? true
  }

  /// Whether nothing has been decided about an occurrence.
  private func isOpen(_ one: Occurrence) -> Bool {
    record.handled[one.id] == nil && record.skipped[one.id] == nil
      && one.id != record.running?.occurrence.id
  }

  /// The occurrences that have begun and have not ended, and about which nothing has been decided but to leave them out.
  private func due(_ now: Int64) -> [Occurrence] {
    (occurrences ?? []).filter {
      $0.begins <= now && now < $0.ends && record.handled[$0.id] == nil
        && $0.id != record.running?.occurrence.id
    }
  }

  /// Why an occurrence that is due is not broadcast; `nil` if it is.
  private func obstacle(_ one: Occurrence, _ moment: Moment) -> Reason? {
    if record.skipped[one.id] != nil { return .skipped }
    if moment.broadcast != nil { return .onAir }
    let isLate = moment.now - one.begins > Timetable.graceSeconds
    return isLate && record.waiting[one.id] == nil ? .late : nil
  }

  private mutating func begin(_ one: Occurrence, _ actions: inout [Action]) {
    record.running = ScheduleRecord.Running(occurrence: one)
    record.waiting[one.id] = nil
    (broadcast, warnedEnd, retriesAt) = (nil, nil, nil)
    actions.append(.begin(one))
  }

  /// Notes the occurrences that are due while another one is on air: they begin after it, however late that is.
  private mutating func noteWaiting(_ now: Int64) {
    for one in due(now) where record.skipped[one.id] == nil { record.waiting[one.id] = one.ends }
  }

  private mutating func warn(_ running: ScheduleRecord.Running, _ now: Int64) -> [Action] {
    guard running.ends - now <= Timetable.warningSeconds, warnedEnd != running.ends else {
      return []
    }
    warnedEnd = running.ends
    return [.warn(running.occurrence, ends: running.ends)]
  }

  private mutating func test(_ now: Int64) -> [Action] {
    guard let next = next(after: now), next.begins - now <= Timetable.testSeconds,
      tested != next.id
    else { return [] }
    tested = next.id
    return [.test(next)]
  }

  /// Tells that the next occurrence has passed altogether while the box was off.
  private mutating func tellMissed(_ now: Int64) -> [Action] {
    guard let next = record.next, next.ends <= now, record.handled[next.id] == nil else {
      return []
    }
    let isSkipped = record.skipped[next.id] != nil
    let isKnown = occurrences?.contains { $0.id == next.id } ?? false
    record.handled[next.id] = next.ends
    return isSkipped || !isKnown ? [] : [.missed(next, .late)]
  }

  private mutating func noteNext(_ now: Int64) {
    let next = next(after: now)
    guard record.next != next else { return }
    record.next = next
    record.prune(now: now)
  }
}
