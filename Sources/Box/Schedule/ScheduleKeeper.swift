// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Schedule
package import Settings
internal import Studio
internal import Synchronization

/// Carries out the schedule: begins and ends broadcasts when the timetable says so, tests the camera before, and keeps in
/// a file what has to survive a power cut. What is done of a broadcast is done on the station's thread for small files.
package final class ScheduleKeeper: Sendable {
  /// The mutable state, guarded by the mutex `state`.
  struct State {
    var table: Timetable
    /// What of the timetable is on the disk.
    var saved: ScheduleRecord
    /// Settings that have not been applied yet.
    var pending: Settings?
    var entries: [ScheduleEntry] = []
    /// The zones of entries that cannot be read, by the entries' names.
    var unusable: [String: String] = [:]
    /// The number of the calendars' edition that is in the timetable.
    var edition = -1
    /// The time of day at which the occurrences were found last; `nil` if they have to be found.
    var foundAt: Int64?
    var test = CameraTest()
    var forgotten = ForgottenRules()
    /// Why the last start has failed, to tell it once.
    var failure: String?
  }

  private static let file = StateFile<ScheduleRecord>("schedule.json", limit: 1 << 20)
  /// Seconds after which the occurrences are found anew, since the time goes on.
  private static let findSeconds: Int64 = 3_600

  let directory: String
  let events: EventLog
  let trust: ClockTrust
  let zones: ZoneFiles
  let calendars: CalendarKeeper
  let state: Mutex<State>
  /// Whether a tick waits on the thread, or runs.
  private let isTicking = Atomic(false)

  /// - Parameter record: what the last run has saved.
  init(_ record: ScheduleRecord, directory: String, trust: ClockTrust, events: EventLog) {
    (self.directory, self.trust, self.events) = (directory, trust, events)
    zones = ZoneFiles()
    calendars = CalendarKeeper(directory: directory, events: events, trust: trust, zones: zones)
    state = Mutex(State(table: Timetable(record), saved: record))
  }

  /// What the last run has saved; empty if it cannot be read, since nothing can be known of it then.
  static func savedRecord(_ directory: String) -> ScheduleRecord {
    (try? file.read(in: directory)) ?? ScheduleRecord()
  }

  /// The time within which broadcasts are looked for: what may run now, to a year ahead.
  static func window(_ now: Int64) -> Range<Int64> { now - 2 * 86_400..<now + 366 * 86_400 }

  /// Notes what becomes of the broadcast of the last run.
  func note(_ resumption: Timetable.Resumption, broadcast: Int) {
    state.withLock { $0.table.note(resumption, broadcast: broadcast) }
  }

  /// The present moment for the timetable.
  func moment(_ station: Station) -> Timetable.Moment {
    let now = events.wallClock.seconds
    return Timetable.Moment(
      now: now, uptime: station.clock.now.nanos / 1_000_000_000,
      isClockSet: trust.isSet(now: now), broadcast: station.broadcastNumber)
  }

  /// Does what is due. To be called once a second; returns at once.
  package func supervise(_ desk: SettingsDesk) {
    guard !isTicking.exchange(true, ordering: .acquiring) else { return }
    let isTaken = desk.station.jobs.submit { [self] in
      tick(desk)
      isTicking.store(false, ordering: .releasing)
    }
    if !isTaken { isTicking.store(false, ordering: .releasing) }
  }

  /// Does what is due now.
  func tick(_ desk: SettingsDesk) {
    let station = desk.station
    applyPending()
    let moment = moment(station)
    let actions = state.withLock { state in
      find(moment, &state)
      return state.table.advance(moment)
    }
    save()
    for action in actions { carryOut(action, desk) }
    followTest(station)
    endForgotten(moment, station)
    save()
    show(moment, at: station)
  }

  /// Saves what has changed.
  func save() {
    let record = state.withLock { $0.table.record == $0.saved ? nil : $0.table.record }
    guard let record else { return }
    do throws(SystemError) {
      try ScheduleKeeper.file.write(record, in: directory)
      state.withLock { $0.saved = record }
      events.endTrouble("schedule file")
    } catch {
      let sentence =
        "What the schedule does cannot be saved in \(directory) (\(error)): after a power cut it may go wrong."
      if !events.troubles.contains(where: { $0.subject == "schedule file" }) {
        events.report(.stateNotSaved, level: .warning, subject: "schedule file", sentence)
        events.beginTrouble("schedule file", cause: "state_not_saved", sentence)
      }
    }
  }

  /// - Returns: `false` if a thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool { calendars.stop(by: deadline) }

  /// Applies changed settings, which were noted while no file could be read.
  private func applyPending() {
    guard let settings = state.withLock({ $0.pending.take() }) else { return }
    calendars.follow(settings)
    let own = settings.box.shownZone
    var entries: [ScheduleEntry] = []
    var unusable: [String: String] = [:]
    for entry in settings.schedule {
      let name = entry.zone.isEmpty ? own : entry.zone
      // A system without a time zone database is in UTC.
      guard let zone = zones.find(name) ?? (entry.zone.isEmpty ? .utc : nil), let minute = entry.at
      else {
        unusable[entry.name] = name
        continue
      }
      entries.append(
        ScheduleEntry(
          name: entry.name, days: entry.date.map { .once($0) } ?? .weekly(entry.days),
          minute: minute, minutes: entry.minutes, zoneName: name, zone: zone))
    }
    let (found, bad) = (entries, unusable)
    state.withLock { state in
      guard state.entries != found || state.unusable != bad else { return }
      (state.entries, state.unusable, state.foundAt) = (found, bad, nil)
    }
  }

  /// Finds the occurrences anew if the settings, the calendars or the clock have changed, or time has gone on.
  private func find(_ moment: Timetable.Moment, _ state: inout State) {
    // An event that has begun is not broadcast if it seems to be new, as it would before the calendars are read.
    guard state.edition >= 0 || calendars.isReady else { return }
    let (readings, edition) = calendars.present
    let isFresh = state.foundAt.map {
      abs(moment.now - $0) < ScheduleKeeper.findSeconds && state.edition == edition
    }
    guard !(isFresh ?? false), moment.isClockSet else { return }
    let window = ScheduleKeeper.window(moment.now)
    var all = state.entries.flatMap { $0.occurrences(beginningIn: window) }
    for reading in readings.values { all += reading.file?.occurrences ?? [] }
    state.table.set(all, in: window, moment)
    (state.foundAt, state.edition) = (moment.now, edition)
  }

  /// Sets the schedule in the station's status, and what the lamp shows of it.
  private func show(_ moment: Timetable.Moment, at station: Station) {
    let present = state.withLock { $0 }
    let status = status(moment, present)
    station.state.withLock { ($0.schedule, $0.isEndNear) = (status, status?.warning ?? false) }
  }

  /// The schedule for the status; `nil` if there is none.
  private func status(_ moment: Timetable.Moment, _ state: State) -> ScheduleStatus? {
    let running = state.table.record.running.flatMap { $0.hasBegun ? $0 : nil }
    let forgottenEnd = state.forgotten.endsAt.map { moment.now + $0 - moment.uptime }
    guard
      !state.entries.isEmpty || !state.unusable.isEmpty || running != nil || forgottenEnd != nil
        || calendars.hasCalendar
    else { return nil }
    let ends = [running?.ends, forgottenEnd].compactMap(\.self).min()
    return ScheduleStatus(
      clockSet: moment.isClockSet,
      next: moment.isClockSet
        ? state.table.next(after: moment.now).map { ScheduleStatus.Broadcast($0) } : nil,
      running: running.map { ScheduleStatus.Broadcast($0.occurrence, ends: $0.ends) },
      endsAt: ends.map { wireTime($0) },
      warning: forgottenEnd != nil || moment.isClockSet && state.table.isEndNear(moment.now),
      forgotten: forgottenEnd != nil,
      extendedMinutes: running?.extendedMinutes ?? 0, test: state.test.word,
      testSentence: state.test.sentence)
  }
}

extension ScheduleKeeper: SettingsFollower {
  /// Notes changed settings; the next tick applies them.
  package func change(_ settings: Settings) { state.withLock { $0.pending = settings } }
}
