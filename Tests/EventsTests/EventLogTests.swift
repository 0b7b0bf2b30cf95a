// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Logging
import Synchronization
import Testing

@testable import Events
@testable import Figures

@Suite struct EventLogTests {
  private static func quiet(before: Int = 0) -> EventLog {
    EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: before)
  }

  /// Collects the events of a subscriber.
  final class Ear: Sendable {
    private let queue: EventQueue
    private let heard = Mutex<[Event]>([])

    init(_ log: EventLog, after number: Int? = nil, limit: Int = 10_000) {
      queue = log.subscribe(after: number, limit: limit)
    }

    var events: [Event] {
      heard.withLock { heard in
        heard += queue.take()
        return heard
      }
    }
  }

  @Test func aSubscriberGetsTheEventsFromThenOn() {
    let log = EventLogTests.quiet()
    log.report(.started, "One.")
    let ear = Ear(log)
    log.report(.paused, "Two.")
    let totals = Event.Totals(
      seconds: 1, bytes: 2, frames: 3, interruptions: 4, dropped: 5, late: 6)
    log.report(.ended, totals: totals, "Three.")
    #expect(ear.events.map(\.number) == [2, 3])
    #expect(ear.events.last?.totals == totals)
  }

  @Test func theTimeIsThatOfTheWallClock() {
    let log = EventLog(
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      wallClock: WallClock { 1_769_860_800_007 })
    let ear = Ear(log)
    log.report(.started, "One.")
    #expect(ear.events.map(\.time) == ["2026-01-31T12:00:00.007Z"])
    #expect(ear.events.map(\.number) == [1_769_860_800_008])
  }

  @Test func aSubscriberThatComesAgainGetsWhatItMissed() {
    let log = EventLogTests.quiet()
    for number in 1...300 { log.report(.paused, "\(number)") }
    #expect(Ear(log, after: 5).events.map(\.number) == Array(101...300))
    #expect(Ear(log, after: 299).events.map(\.number) == [300])
  }

  /// Event ids of an earlier run are smaller than all ids of this run.
  @Test func afterARestartASubscriberGetsAllEvents() {
    let log = EventLogTests.quiet(before: 1_700_000_000_000)
    log.report(.started, "One.")
    let ear = Ear(log, after: 1_600_000_000_007)
    #expect(ear.events.map(\.number) == [1_700_000_000_001])
  }

  /// A board without a battery-backed clock may start in the past.
  @Test func afterTheClockWasSetBackASubscriberGetsAllEvents() {
    let log = EventLogTests.quiet(before: 1_500_000_000_000)
    log.report(.started, "One.")
    let ear = Ear(log, after: 1_600_000_000_007)
    #expect(ear.events.map(\.number) == [1_500_000_000_001])
  }

  /// Events from many threads: each subscriber gets all of them, in order.
  @Test func numbersRiseForEachSubscriber() async {
    let log = EventLogTests.quiet()
    let ear = Ear(log)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<500 { log.report(.muted, "") } } }
    }
    #expect(ear.events.map(\.number) == Array(1...4_000))
  }

  /// A subscriber that does not read loses the oldest, and costs no memory once it is gone.
  @Test func aSlowSubscriberLosesTheOldest() async {
    let log = EventLogTests.quiet()
    weak var gone: EventQueue?
    do {
      let queue = log.subscribe(limit: 3)
      gone = queue
      for _ in 0..<5 { log.report(.muted, "") }
      #expect(queue.take().map(\.number) == [3, 4, 5])
      #expect(queue.take().isEmpty)
      var arrivals = queue.arrivals.makeAsyncIterator()
      #expect(await arrivals.next() != nil, "something has come")
    }
    #expect(gone == nil)
    log.report(.muted, "")
  }

  /// Asks the log of which it is told, and reports what it has heard.
  private struct Asker: LogHandler {
    final class Notes: Sendable {
      let log = Mutex<EventLog?>(nil)
      let counts = Mutex<[Int]>([])
    }

    let notes: Notes
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      guard let log = notes.log.withLock({ $0 }) else { return }
      let count = log.newest.count + log.troubles.count
      notes.counts.withLock { $0.append(count) }
      if log.newest.count == 1 { log.report(.deviceBack, subject: "video", "Heard.") }
    }
  }

  /// Whoever hears of an event may ask the log, and report another one: nothing is called under its lock.
  @Test func whoeverIsToldMayAskTheLog() {
    let notes = Asker.Notes()
    let log = EventLog(log: Logger(label: "test") { _ in Asker(notes: notes) }, before: 0)
    notes.log.withLock { $0 = log }
    let ear = Ear(log)
    log.report(.deviceLost, subject: "video", cause: "missing", "There is no camera.")
    #expect(notes.counts.withLock { $0 } == [2, 2], "one event and a trouble, then two events")
    #expect(ear.events.map(\.number) == [1, 2])
    notes.log.withLock { $0 = nil }
  }

  @Test func theNamesAreAContract() throws {
    let names = Event.Code.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    #expect(
      names == [
        "started", "live", "ended", "paused", "resumed", "muted", "unmuted", "video_off",
        "video_on", "audio_off", "audio_on", "restarted",
        "device_lost",
        "device_back", "device_forbidden", "device_busy", "file_outdated", "file_current",
        "connecting", "connected", "publishing",
        "delivered",
        "network_poor", "network_recovered", "connect_failed", "send_timed_out", "refused",
        "replaced", "ended_by_server", "reconnect_asked", "reconnect_started",
        "reconnect_succeeded", "url_expiring",
        "url_expired", "outage_long", "reconnect_failing", "relay_connecting", "relay_running",
        "relay_failed", "relay_stopped", "guest_waiting", "guest_online", "guest_tracks",
        "guest_offline", "guest_admitted", "guest_removed", "guest_failed", "guest_back",
        "layout_changed", "watching_started", "watching_ended", "music_started",
        "music_paused", "music_resumed", "music_stopped", "music_completed", "music_failed",
        "audio_alarm", "audio_alarm_over",
        "schedule_begun", "schedule_ends", "schedule_ended", "schedule_stopped",
        "schedule_extended", "schedule_skipped", "schedule_missed", "schedule_failed",
        "schedule_test_failed", "forgotten_soon", "forgotten", "schedule_imported",
        "calendar_failed",
        "record_started", "record_stopped", "record_marked", "record_failed", "record_back",
        "record_gap", "record_room_low", "record_room_back", "record_as_sent",
        "record_as_programme", "recordings_removed", "record_mended",
        "recordings_changed", "record_after_failed", "stick_ready", "stick_unusable",
        "stick_slow", "stick_removable", "stick_gone",
        "media_changed",
        "settings_changed",
        "settings_undone",
        "settings_unfit", "settings_fit",
        "frame_budget_missed", "frame_budget_met", "picture_reduced", "picture_restored",
        "encoder_failed",
        "still_unusable", "overlay_unusable", "filter_off",
        "state_not_saved", "disk_full", "disk_freed", "button_stuck", "button_released",
        "page_unavailable", "page_back", "playout_unavailable", "playout_back", "playout_started",
        "playout_ended",
        "network_up", "network_down", "network_way", "wifi_joined", "wifi_failed",
        "hotspot_started", "hotspot_ended", "network_change_undone", "updating", "updated",
        "update_failed", "too_hot", "heat_gone", "power_weak",
        "power_good",
      ])
    let event = Event(
      number: 1, time: "2026-01-31T12:00:00.000Z", code: .deviceLost, subject: "video",
      cause: "missing", sentence: "No camera.", totals: nil)
    #expect(
      String(decoding: JSON.encode(event), as: UTF8.self)
        == #"{"cause":"missing","code":"device_lost","number":1,"sentence":"No camera.","#
        + #""subject":"video","time":"2026-01-31T12:00:00.000Z"}"#)
    let timed = Event(
      number: 2, time: "", code: .reconnectFailing, sentence: "", elapsedMs: 1, attempts: 10,
      outageSeconds: 21)
    #expect(
      String(decoding: JSON.encode(timed), as: UTF8.self)
        == #"{"attempts":10,"code":"reconnect_failing","elapsed_ms":1,"number":2,"#
        + #""outage_seconds":21,"sentence":"","time":""}"#)
  }
}
