// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Schedule
internal import Settings
internal import Studio
internal import Synchronization

// What the timetable has decided is done and told here.

extension ScheduleKeeper {
  /// Carries out what the timetable has decided.
  func carryOut(_ action: Timetable.Action, _ desk: SettingsDesk) {
    let station = desk.station
    switch action {
    case .begin(let one): begin(one, desk)
    case .resume(let one):
      do throws(StationError) {
        try station.resumeHeld(desk.configuration, desk.read)
        state.withLock { $0.table.noteBegun(broadcast: station.broadcastNumber ?? 0) }
        events.report(
          .scheduleBegun, subject: one.name,
          "\(one.title) goes on after the restart: the clock is set now.")
      } catch {
        state.withLock { $0.table.note(.stopped) }
        events.report(
          .scheduleFailed, level: .error, subject: one.name,
          "\(one.title) cannot go on. \(error.sentence)")
      }
    case .forget(let one):
      station.forgetHeld()
      events.report(
        .scheduleEnded, subject: one.name, "\(one.title) has ended while the box was off.")
    case .end(let one):
      _ = try? station.perform(.stop, by: "by the schedule")
      events.report(.scheduleEnded, subject: one.name, "\(one.title) has ended, as planned.")
    case .warn(let one, let ends):
      events.report(
        .scheduleEnds, subject: one.name,
        "\(one.title) ends at \(shown(ends, of: one)). To add 15 minutes, use the page or \"onair schedule extend\"."
      )
    case .test(let one): beginTest(one, station)
    case .missed(let one, let reason):
      events.report(
        reason == .skipped ? .scheduleSkipped : .scheduleMissed,
        level: reason == .late ? .warning : .notice, subject: one.name, cause: reason.rawValue,
        "\(one.title) of \(shown(one.begins, of: one)) is not broadcast: \(reason.sentence).")
    case .stopped(let one):
      events.report(
        .scheduleStopped, subject: one.name,
        "\(one.title) was ended before its time: it stays ended, and the next one begins as planned."
      )
    }
  }

  private func begin(_ one: Occurrence, _ desk: SettingsDesk) {
    let station = desk.station
    endTest(.none)
    do throws(StationError) {
      let origin = "by the schedule"
      let entry =
        one.source == .entry
        ? desk.configuration.settings.schedule.first { $0.name == one.name } : nil
      if let entry, let url = entry.url {
        let once = OnceDestination(url: url.whole.reveal(), key: entry.key.reveal())
        try station.refuseOnAir()
        try station.start(once: once, try once.checked(desk.configuration, desk.read), by: origin)
      } else if try !station.perform(.start, by: origin) {
        throw .refused(.onAir)
      }
      let ends = state.withLock { state in
        state.table.noteBegun(broadcast: station.broadcastNumber ?? 0)
        state.failure = nil
        return state.table.record.running?.ends ?? one.ends
      }
      events.endTrouble("schedule")
      events.report(
        .scheduleBegun, subject: one.name,
        "\(one.title) begins, and ends by itself at \(shown(ends, of: one)).")
    } catch {
      let moment = moment(station)
      let isNew = state.withLock { state in
        state.table.noteFailed(moment)
        defer { state.failure = error.sentence }
        return state.failure != error.sentence
      }
      guard isNew else { return }
      let sentence = "\(one.title) cannot begin. \(error.sentence)"
      events.report(.scheduleFailed, level: .error, subject: one.name, cause: error.code, sentence)
      events.beginTrouble("schedule", cause: error.code, sentence)
    }
  }

  // MARK: The test

  private func beginTest(_ one: Occurrence, _ station: Station) {
    events.note(
      .notice, "\(one.title) begins in a minute: camera and microphone are tested, off air.")
    let user = station.studio.enter([.video, .audio])
    let deadline = station.clock.now + CameraTest.patience
    state.withLock { $0.test.phase = .running(user, deadline: deadline) }
  }

  /// Looks whether a test that runs is over.
  func followTest(_ station: Station) {
    guard case .running(_, let deadline) = state.withLock({ $0.test.phase }) else { return }
    let now = station.clock.now
    let (isDone, sentence) = CameraTest.verdict(
      station.studio.health(now), isOver: now >= deadline)
    // A broadcast tells by itself what it lacks.
    if station.isOnAir { return endTest(.none) }
    guard isDone else { return }
    guard let sentence else { return endTest(.good) }
    endTest(.failed("The next broadcast begins in a moment, and \(sentence)."))
    let told = state.withLock { $0.test.sentence } ?? ""
    events.report(.scheduleTestFailed, level: .warning, subject: "schedule", told)
  }

  /// Ends the test, and closes what it has opened.
  func endTest(_ phase: CameraTest.Phase) {
    let before = state.withLock { state in
      defer { state.test.phase = phase }
      return state.test.phase
    }
    if case .running(let user, _) = before { user.leave() }
  }

  // MARK: Words

  /// A time of an occurrence as its clocks show it: "11:15 (Europe/Berlin)".
  func shown(_ seconds: Int64, of one: Occurrence) -> String {
    let zone = zones.find(one.zone) ?? .utc
    return "\(zone.localTime(at: seconds).text.suffix(5)) (\(one.zone))"
  }
}

extension Occurrence {
  /// Names it in a sentence: "The scheduled broadcast "sunday"".
  fileprivate var title: String { "The scheduled broadcast \"\(name)\"" }
}

extension Timetable.Reason {
  /// The reason as the end of a sentence.
  fileprivate var sentence: String {
    switch self {
    case .late: "the box was off, did not know the time, or could not begin"
    case .skipped: "it was skipped"
    case .onAir: "another broadcast was on the air, which goes on"
    case .stopped: "a person has stopped the broadcast at this time"
    }
  }
}
