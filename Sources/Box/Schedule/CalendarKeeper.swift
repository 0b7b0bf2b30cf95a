// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Events
internal import Posix
internal import Schedule
internal import Settings
internal import Synchronization

/// Keeps the calendars of the schedule: the file that was imported, and a copy of the one at `calendar.url`, both in the
/// state directory. A thread reads them; it exists only once there is a calendar.
final class CalendarKeeper: Sendable {
  /// What was read of a calendar.
  struct Reading: Sendable {
    var file: CalendarFile?
    /// When it was read, in seconds since 1970-01-01 UTC.
    var readAt: Int64?
    /// Why it could not be read the last time.
    var trouble: String?
  }

  private struct State {
    var url = Secret()
    var zone = ""
    var hasFollowed = false
    var readings: [Occurrence.Source: Reading] = [:]
    /// Increases with each change of `readings`.
    var edition = 0
    /// Calendars whose files have to be read anew.
    var unread: Set<Occurrence.Source> = [.feed, .imported]
    var isReady = false
    var fetchesAt = MediaTime.distantPast
    var readsAgainAt = MediaTime.distantPast
    var failures = 0
  }

  /// Time between two looks at the calendar of the network, and between two readings of the files, since time goes on.
  private static let fetchNanos = Int64.seconds(900)
  private static let readNanos = Int64.seconds(12 * 3_600)
  /// Most nanoseconds that repetitions may take to be found.
  private static let patience = Int64.seconds(20)

  private let directory: String
  private let events: EventLog
  private let trust: ClockTrust
  private let zones: ZoneFiles
  private let worker: Worker
  private let state = Mutex(State())

  init(directory: String, events: EventLog, trust: ClockTrust, zones: ZoneFiles) {
    (self.directory, self.events) = (directory, events)
    (self.trust, self.zones) = (trust, zones)
    worker = Worker(name: "calendar", clock: events.clock)
  }

  /// What was read of each calendar, and the number of this edition.
  var present: (readings: [Occurrence.Source: Reading], edition: Int) {
    state.withLock { ($0.readings, $0.edition) }
  }

  /// Whether each calendar's file in the state directory was tried once, or need not be waited for.
  var isReady: Bool { state.withLock { $0.isReady } }

  /// Whether there is a calendar, read or not.
  var hasCalendar: Bool {
    state.withLock { $0.url.isSet }
      || File.isRegular("\(directory)/\(CalendarKeeper.stateFile(.imported).name)")
  }

  /// Applies changed settings, and waits for the disk.
  func follow(_ settings: Settings) {
    let isOther = state.withLock { state in
      let isOther = state.url != settings.calendar.url
      let isChange = isOther && state.hasFollowed
      state.hasFollowed = true
      if isOther {
        (state.url, state.fetchesAt, state.failures) = (settings.calendar.url, .distantPast, 0)
      }
      if isChange { state.readings[.feed] = nil }
      if isChange { state.edition += 1 }
      if state.zone != settings.box.shownZone {
        state.zone = settings.box.shownZone
        state.unread = [.feed, .imported]
      }
      return isChange
    }
    // The broadcasts of the calendar before must not begin.
    if isOther { try? CalendarKeeper.stateFile(.feed).remove(in: directory) }
    startIfNeeded()
  }

  /// Takes a calendar file in the place of the one before; `nil` to remove it.
  func take(_ bytes: [UInt8]?) throws(CalendarImportError) -> CalendarFile? {
    var file: CalendarFile?
    if let bytes {
      do throws(CalendarFile.Trouble) { file = try read(bytes, .imported) } catch {
        throw .unfit(error.sentence)
      }
    }
    do throws(SystemError) {
      if let bytes {
        try CalendarKeeper.stateFile(.imported).write(bytes, in: directory)
      } else {
        try CalendarKeeper.stateFile(.imported).remove(in: directory)
      }
    } catch {
      throw .notSaved("The calendar cannot be saved in \(directory) (\(error)).")
    }
    let now = events.wallClock.seconds
    state.withLock { state in
      state.readings[.imported] = file.map { Reading(file: $0, readAt: now) }
      state.edition += 1
    }
    startIfNeeded()
    return file
  }

  /// - Returns: `false` if the thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private static func stateFile(_ source: Occurrence.Source) -> StateFile<[UInt8]> {
    StateFile(
      "calendar-\(source.rawValue).ics", limit: CalendarFile.maxBytes, encode: { $0 },
      decode: { $0 })
  }

  private func startIfNeeded() {
    guard hasCalendar else { return state.withLock { $0.isReady = true } }
    do throws(MediaThread.NoThreadError) {
      try worker.tryStart { [self] in run() }
      worker.wake()
    } catch {
      // Without the calendars there are still the entries of the settings.
      state.withLock { $0.isReady = true }
    }
  }

  /// The body of the thread.
  private func run() {
    while !worker.isStopping {
      let wall = events.wallClock.seconds
      // Which events are within the next year is known only with the clock.
      guard trust.isSet(now: wall) else {
        worker.wait(until: worker.clock.now + .seconds(5))
        continue
      }
      let now = worker.clock.now
      let (unread, url) = state.withLock { state in
        if now >= state.readsAgainAt {
          state.unread = [.feed, .imported]
          state.readsAgainAt = now + CalendarKeeper.readNanos
        }
        defer { state.unread = [] }
        let isDue = state.url.isSet && now >= state.fetchesAt
        return (state.unread, isDue ? state.url : nil)
      }
      for source in unread { readFile(source) }
      state.withLock { $0.isReady = true }
      if let url { fetch(url) }
      let next = state.withLock {
        min($0.url.isSet ? $0.fetchesAt : .distantFuture, $0.readsAgainAt)
      }
      worker.wait(until: next)
    }
  }

  /// Reads the file of a calendar in the state directory.
  private func readFile(_ source: Occurrence.Source) {
    guard source == .imported || state.withLock({ $0.url.isSet }) else { return }
    guard let bytes = try? CalendarKeeper.stateFile(source).read(in: directory),
      let file = try? read(bytes, source)
    else { return }
    let now = events.wallClock.seconds
    state.withLock { state in
      let before = state.readings[source]
      state.readings[source] = Reading(
        file: file, readAt: before?.readAt ?? now, trouble: before?.trouble)
      state.edition += 1
    }
  }

  /// Fetches the calendar of the network. If that fails, the events before stay.
  private func fetch(_ url: Secret) {
    var trouble: String?
    var isKnown = true
    do {
      guard let address = MusicAddress(url.reveal()) else {
        throw CalendarImportError.unfit("The address cannot be used.")
      }
      let bytes = try HTTPDownload.bytes(
        of: address, limit: CalendarFile.maxBytes, worker: worker)
      let file = try read(bytes, .feed)
      try? CalendarKeeper.stateFile(.feed).write(bytes, in: directory)
      let now = events.wallClock.seconds
      state.withLock { state in
        guard state.url == url else { return }
        isKnown = state.readings[.feed]?.file == file
        state.readings[.feed] = Reading(file: file, readAt: now)
        if !isKnown { state.edition += 1 }
      }
      if !isKnown {
        events.note(
          .notice,
          "The calendar was read: \(file.events) events, \(file.leftOut.count) not understood.")
      }
    } catch let error as MusicTrouble {
      if error == .interrupted { return }
      // The address is a secret, which the sentences for music have in them.
      trouble = "It cannot be fetched (\(error.code))."
    } catch let error as CalendarFile.Trouble {
      trouble = error.sentence
    } catch let error as CalendarImportError {
      trouble = error.sentence
    } catch {
      trouble = "\(error)"
    }
    note(trouble, of: url)
  }

  /// Notes whether the calendar of the network could be read, and reports a trouble once.
  private func note(_ trouble: String?, of url: Secret) {
    let isNew = state.withLock { state in
      guard state.url == url else { return false }
      state.failures = trouble == nil ? 0 : state.failures + 1
      // After a failure sooner, and less and less so.
      let pause = min(CalendarKeeper.fetchNanos, .seconds(30) << Int64(min(state.failures, 5)))
      state.fetchesAt =
        worker.clock.now + (trouble == nil ? CalendarKeeper.fetchNanos : pause)
      let isNew = trouble != nil && state.readings[.feed]?.trouble != trouble
      state.readings[.feed, default: Reading()].trouble = trouble
      return isNew
    }
    if let trouble, isNew {
      let sentence = "The calendar of the schedule: \(trouble) What was read before stays."
      events.report(.calendarFailed, level: .warning, subject: "calendar", sentence)
      events.beginTrouble("calendar", cause: "calendar_failed", sentence)
    } else if trouble == nil {
      events.endTrouble("calendar")
    }
  }

  /// Reads the bytes of a calendar: the broadcasts from the day before yesterday on, for a year.
  private func read(
    _ bytes: [UInt8], _ source: Occurrence.Source
  ) throws(CalendarFile.Trouble) -> CalendarFile {
    let clock = worker.clock
    let deadline = clock.now + CalendarKeeper.patience
    let context = CalendarFile.Context(
      source: source, ownZone: state.withLock { $0.zone }, zones: zones.find,
      isOutOfTime: { clock.now > deadline })
    return try CalendarFile(
      bytes, beginningIn: ScheduleKeeper.window(events.wallClock.seconds), context)
  }
}

/// Why a calendar file is not taken.
enum CalendarImportError: Error {
  /// The value is a sentence for people.
  case unfit(String), notSaved(String)

  var sentence: String {
    switch self {
    case .unfit(let sentence), .notSaved(let sentence): sentence
    }
  }
}

/// Reads zones from the time zone database of the machine, and keeps those that it has read.
final class ZoneFiles: Sendable {
  private let folder: String
  private let zones = Mutex<[String: TimeZoneFile]>([:])

  /// - Parameter folder: the database.
  init(folder: String = "/usr/share/zoneinfo") { self.folder = folder }

  /// A zone by its IANA name; `nil` if there is none of that name.
  @Sendable func find(_ name: String) -> TimeZoneFile? {
    // The name becomes part of a path, and may come from a calendar.
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count),
      parts.allSatisfy({ part in
        (1...32).contains(part.utf8.count)
          && part.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
              || [0x2B, 0x2D, 0x5F].contains($0)
          }
      })
    else { return nil }
    if let known = zones.withLock({ $0[name] }) { return known }
    guard let file = try? File.read("\(folder)/\(name)", limit: 65_536),
      let zone = TimeZoneFile(file.bytes)
    else { return nil }
    // A calendar must not fill the memory with zones.
    zones.withLock { if $0.count < 500 { $0[name] = zone } }
    return zone
  }
}
