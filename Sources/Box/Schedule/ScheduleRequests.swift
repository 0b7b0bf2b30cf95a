// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Figures
internal import Schedule
package import Settings
internal import Synchronization

// What people ask of the schedule.

extension ScheduleKeeper {
  /// The most broadcasts in the answer to `GET /api/schedule/calendar`.
  private static let mostUpcoming = 50

  /// The most bytes of a calendar file.
  package static let longestCalendar = CalendarFile.maxBytes

  /// Lets the scheduled broadcast that runs go on for longer.
  /// - Parameter savesNow: whether this thread may wait for the disk; otherwise the next tick saves it.
  package func extend(minutes: Int, by origin: String, savesNow: Bool = true) -> ControlReply {
    let (one, ends) = state.withLock { state in
      (state.table.record.running?.occurrence, state.table.extend(minutes: minutes))
    }
    let wasForgotten = state.withLock { state in
      defer { state.forgotten.reset() }
      return state.forgotten.endsAt != nil
    }
    if one == nil, wasForgotten {
      events.report(.scheduleExtended, "The broadcast is not forgotten: it goes on, \(origin).")
      return ControlReply(changed: true, "The broadcast goes on.")
    }
    guard let one, let ends else {
      return ControlReply(
        fault: "not_scheduled", "No scheduled broadcast is on the air, so there is no end to move.")
    }
    if savesNow { save() }
    let sentence = "\"\(one.name)\" now ends at \(shown(ends, of: one))"
    events.report(.scheduleExtended, subject: one.name, "\(sentence), \(origin).")
    return ControlReply(changed: true, "\(sentence).")
  }

  /// Extends the broadcast that runs by 15 minutes. The next tick saves it: a button's thread does not wait for the disk.
  /// - Returns: whether one runs.
  package func extendByButton() -> Bool {
    extend(minutes: 15, by: "by button", savesNow: false).ok
  }

  /// Leaves a broadcast of the schedule out, or takes that back.
  /// - Parameter id: `nil` for the next one.
  package func skip(_ id: String?, undo: Bool, by origin: String) -> ControlReply {
    let now = events.wallClock.seconds
    let (one, isRunning) = state.withLock { state in
      (
        state.table.skip(id, undo: undo, now: now),
        id != nil && state.table.record.running?.occurrence.id == id
      )
    }
    guard let one else {
      return isRunning
        ? ControlReply(fault: "already_running", "It has begun already: end it with \"stop\".")
        : ControlReply(
          fault: "not_scheduled",
          undo ? "None is left out." : "There is no such broadcast in the schedule.")
    }
    save()
    let time = (zones.find(one.zone) ?? .utc).localTime(at: one.begins).text
    let sentence =
      "\"\(one.name)\" of \(time) (\(one.zone)) is \(undo ? "broadcast after all" : "left out")"
    events.report(.scheduleSkipped, subject: one.name, "\(sentence), \(origin).")
    return ControlReply(changed: true, "\(sentence).")
  }

  /// Takes a calendar file in the place of the one before. It takes seconds.
  package func take(calendar bytes: [UInt8], by origin: String) -> ControlReply {
    do throws(CalendarImportError) {
      let file = try calendars.take(bytes)
      let count = file?.events ?? 0
      let left = file?.leftOut.count ?? 0
      let sentence =
        "The calendar has \(count) event\(count == 1 ? "" : "s")"
        + (left == 0 ? "." : "; \(left) more \(left == 1 ? "is" : "are") not understood.")
      events.report(.scheduleImported, "\(sentence) It was imported \(origin).")
      return ControlReply(changed: true, sentence)
    } catch {
      return ControlReply(error)
    }
  }

  /// Removes the events of the calendar file.
  package func removeCalendar(by origin: String) -> ControlReply {
    do throws(CalendarImportError) {
      _ = try calendars.take(nil)
      events.report(.scheduleImported, "The imported calendar was removed \(origin).")
      return ControlReply(changed: true, "The events of the calendar file are removed.")
    } catch {
      return ControlReply(error)
    }
  }

  /// The next broadcasts, and what of the calendars is not understood.
  package var calendar: ScheduleCalendar {
    let now = events.wallClock.seconds
    let (readings, _) = calendars.present
    let (upcoming, record) = state.withLock { ($0.table.upcoming(now), $0.table.record) }
    func source(_ source: Occurrence.Source) -> ScheduleCalendar.Source {
      let reading = readings[source]
      return ScheduleCalendar.Source(
        events: reading?.file?.events ?? 0, readAt: reading?.readAt.map { wireTime($0) },
        sentence: reading?.trouble)
    }
    let leftOut = [Occurrence.Source.feed, .imported].flatMap { source in
      (readings[source]?.file?.leftOut ?? []).map {
        ScheduleCalendar.LeftOut(source: source.rawValue, title: $0.title, sentence: $0.sentence)
      }
    }
    return ScheduleCalendar(
      upcoming: upcoming.prefix(ScheduleKeeper.mostUpcoming).map { one in
        let isRunning = record.running?.occurrence.id == one.id
        return ScheduleStatus.Broadcast(
          one, ends: isRunning ? record.running?.ends : nil,
          isSkipped: record.skipped[one.id] != nil)
      }, feed: source(.feed), import: source(.imported),
      notUnderstood: Array(leftOut.prefix(CalendarFile.maxListed)))
  }

  /// The entries of the settings as JSON, each with the time at which it is next.
  package func entries(_ settings: Settings) -> [UInt8] {
    let now = events.wallClock.seconds
    let (upcoming, record, unusable) = state.withLock {
      ($0.table.upcoming(now), $0.table.record, $0.unusable)
    }
    return JSON.encode(
      settings.schedule.map { entry in
        let one = upcoming.first { one in
          one.source == .entry && one.name == entry.name && record.skipped[one.id] == nil
        }
        let isRunning = one != nil && record.running?.occurrence.id == one?.id
        let zone = unusable[entry.name]
        return ScheduleEntryStatus(
          name: entry.name, days: entry.daysText, date: entry.dateText, at: entry.timeText,
          minutes: entry.minutes, zone: entry.zone, url: entry.url?.description ?? "",
          next: one.map {
            ScheduleStatus.Broadcast($0, ends: isRunning ? record.running?.ends : nil)
          },
          state: zone != nil
            ? "unusable"
            : isRunning ? "running" : one == nil && entry.date != nil ? "over" : "waiting",
          sentence: zone.map { "The time zone \($0) cannot be read: install the package tzdata." })
      })
  }

  /// The fields that `GET /api/schedule` has besides the settings of an entry.
  package static var readOnlyFields: Set<String> { ScheduleEntryStatus.readOnly }
}

extension ControlReply {
  init(_ error: CalendarImportError) {
    switch error {
    case .unfit(let sentence): self.init(fault: "unfit_calendar", sentence)
    case .notSaved(let sentence): self.init(fault: "not_saved", sentence)
    }
  }
}
