// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Director
import Foundation
import Logging
import Media
import Synchronization
import Testing

@testable import Box
@testable import Control
@testable import Events
@testable import Figures
@testable import Publish

@Suite struct EventTests {
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
    let log = EventTests.quiet()
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
    let log = EventTests.quiet()
    for number in 1...300 { log.report(.paused, "\(number)") }
    #expect(Ear(log, after: 5).events.map(\.number) == Array(101...300))
    #expect(Ear(log, after: 299).events.map(\.number) == [300])
  }

  /// Event ids of an earlier run are smaller than all ids of this run.
  @Test func afterARestartASubscriberGetsAllEvents() {
    let log = EventTests.quiet(before: 1_700_000_000_000)
    log.report(.started, "One.")
    let ear = Ear(log, after: 1_600_000_000_007)
    #expect(ear.events.map(\.number) == [1_700_000_000_001])
  }

  /// A board without a battery-backed clock may start in the past.
  @Test func afterTheClockWasSetBackASubscriberGetsAllEvents() {
    let log = EventTests.quiet(before: 1_500_000_000_000)
    log.report(.started, "One.")
    let ear = Ear(log, after: 1_600_000_000_007)
    #expect(ear.events.map(\.number) == [1_500_000_000_001])
  }

  /// Events from many threads: each subscriber gets all of them, in order.
  @Test func numbersRiseForEachSubscriber() async {
    let log = EventTests.quiet()
    let ear = Ear(log)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<500 { log.report(.muted, "") } } }
    }
    #expect(ear.events.map(\.number) == Array(1...4_000))
  }

  /// A subscriber that does not read loses the oldest, and costs no memory once it is gone.
  @Test func aSlowSubscriberLosesTheOldest() async {
    let log = EventTests.quiet()
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
        "started", "live", "ended", "paused", "resumed", "muted", "unmuted", "restarted",
        "device_lost",
        "device_back", "device_forbidden", "device_busy", "file_outdated", "file_current",
        "connecting", "connected", "publishing",
        "delivered",
        "network_poor", "network_recovered", "connect_failed", "send_timed_out", "refused",
        "replaced", "ended_by_server", "reconnect_started", "reconnect_succeeded", "url_expiring",
        "url_expired", "outage_long", "reconnect_failing", "relay_connecting", "relay_running",
        "relay_failed", "relay_stopped", "watching_started", "watching_ended", "settings_changed",
        "settings_undone",
        "settings_unfit", "settings_fit",
        "frame_budget_missed", "picture_reduced", "picture_restored", "encoder_failed",
        "still_unusable",
        "state_not_saved", "disk_full", "disk_freed", "button_stuck", "button_released",
        "page_unavailable", "page_back",
        "network_up", "network_down", "network_way", "wifi_failed", "hotspot_started",
        "hotspot_ended", "network_change_undone", "too_hot", "heat_gone", "power_weak",
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

@Suite struct EventRulesTests {
  @Test func aSourceIsLostAndComesBack() {
    var rules = SourceEvents()
    func report(_ state: SourceReport.State, _ code: String) -> SourceReport {
      SourceReport(state: state, code: code, sentence: "")
    }
    #expect(rules.take(report(.running, "running")) == nil)
    #expect(rules.take(report(.trouble, "lost")) == .deviceLost)
    #expect(rules.take(report(.trouble, "busy")) == .deviceBusy)
    #expect(rules.take(report(.trouble, "forbidden")) == .deviceForbidden)
    #expect(rules.take(report(.running, "running")) == .deviceBack)
    #expect(rules.take(report(.running, "running")) == nil)
    #expect(rules.take(report(.ended, "ended")) == nil)
  }

  @Test func aFileThatPlaysOnIsNotLost() {
    var rules = SourceEvents()
    func report(_ state: SourceReport.State, _ code: String) -> SourceReport {
      SourceReport(state: state, code: code, sentence: "")
    }
    #expect(rules.take(report(.running, "running")) == nil)
    #expect(rules.take(report(.outdated, "gone")) == .fileOutdated)
    #expect(rules.take(report(.outdated, "not_media")) == .fileOutdated)
    #expect(rules.take(report(.running, "running")) == .fileCurrent)
    #expect(rules.take(report(.running, "running")) == nil)
    #expect(rules.take(report(.outdated, "gone")) == .fileOutdated)
    #expect(rules.take(report(.trouble, "missing")) == .deviceLost)
    #expect(rules.take(report(.running, "running")) == .deviceBack)
    #expect(rules.take(report(.running, "running")) == nil)
  }

  private static var target: RTMPTarget {
    guard let target = try? RTMPTarget(host: "live.example.org", app: "live", streamKey: "k") else {
      preconditionFailure("the target is valid")
    }
    return target
  }

  private static func report(
    _ state: DestinationState, _ cause: DestinationCause? = nil
  ) -> DestinationReport {
    DestinationReport(state: state, cause: cause, target: EventRulesTests.target)
  }

  @Test func aRelayThatGetsNothingHasFailed() {
    var rules = RelayEvents()
    func take(_ state: DestinationState, _ cause: DestinationCause? = nil) -> Event.Code? {
      rules.take(EventRulesTests.report(state, cause))
    }
    #expect(take(.connecting) == .relayConnecting)
    #expect(take(.publishing) == nil)
    #expect(take(.delivering) == .relayRunning)
    #expect(take(.delivering, .linkTooSlow) == nil, "it gets less")
    #expect(take(.publishing, .linkTooSlow) == .relayFailed)
    #expect(take(.delivering) == .relayRunning)
    #expect(take(.waiting, .closedByServer(.send)) == .relayFailed)
  }

  @Test func aDestinationIsPublishedLostAndPublishedAgain() {
    var rules = DestinationEvents()
    func take(_ state: DestinationState, _ cause: DestinationCause? = nil) -> [Event.Code] {
      rules.take(EventRulesTests.report(state, cause)).map(\.code)
    }
    #expect(take(.connecting) == [.connecting])
    #expect(take(.waiting, .connectionRefused) == [.connectFailed])
    #expect(take(.connected) == [.connected])
    #expect(take(.publishing) == [.publishing])
    #expect(take(.delivering) == [.delivered])
    #expect(take(.publishing, .unconfirmed) == [.networkPoor])
    #expect(take(.delivering) == [.delivered, .networkRecovered])
    #expect(take(.waiting, .timedOut(.send)) == [.sendTimedOut, .reconnectStarted])
    #expect(take(.waiting, .noRoute) == [.connectFailed])
    #expect(take(.delivering) == [.publishing, .reconnectSucceeded, .delivered])
    #expect(take(.waiting, .endedByServer) == [.endedByServer, .reconnectStarted])
    #expect(take(.delivering) == [.publishing, .reconnectSucceeded, .delivered])
    // A reconnect by command.
    #expect(take(.connecting) == [.connecting, .reconnectStarted])
    #expect(take(.connected) == [.connected])
    #expect(take(.publishing) == [.publishing, .reconnectSucceeded])
    #expect(take(.stopped) == [])
  }

  /// The time that it took is told with the events that end it, once.
  @Test func eventsTellHowLongItTook() {
    var rules = DestinationEvents()
    func take(
      _ state: DestinationState, _ cause: DestinationCause? = nil, published: Int64? = nil,
      delivered: Int64? = nil
    ) -> [Int64?] {
      var report = EventRulesTests.report(state, cause)
      report.publishedAfter = published
      report.deliveredAfter = delivered
      return rules.take(report).map(\.elapsedNanos)
    }
    #expect(take(.connecting) == [nil])
    #expect(take(.connected) == [nil])
    #expect(take(.publishing, published: 70) == [70])
    #expect(take(.delivering, published: 70, delivered: 90) == [90])
    #expect(take(.publishing, .unconfirmed, published: 70, delivered: 90) == [nil])
    // Delivered again, and the network has recovered.
    #expect(take(.delivering, published: 70, delivered: 90) == [nil, nil])
    #expect(take(.waiting, .timedOut(.send)) == [nil, nil])
    // Publishing, the reconnect that succeeded, and delivered.
    #expect(take(.delivering, published: 3, delivered: 4) == [3, 3, 4])
  }

  /// With a fixed bit rate nothing else reports a link that is too slow.
  @Test func aSlowLinkIsReportedOnce() {
    for isFollowed in [true, false] {
      var rules = DestinationEvents()
      _ = rules.take(EventRulesTests.report(.delivering))
      #expect(
        rules.take(
          EventRulesTests.report(.delivering, .linkTooSlow), isLinkFollowed: isFollowed
        ).map(\.code)
          == (isFollowed ? [] : [.networkPoor]))
      #expect(
        rules.take(EventRulesTests.report(.delivering), isLinkFollowed: isFollowed).map(\.code)
          == (isFollowed ? [.delivered] : [.delivered, .networkRecovered]))
    }
  }

  @Test func aStalledEncoderIsNotReportedAsASlowLink() {
    var rules = DestinationEvents()
    _ = rules.take(EventRulesTests.report(.delivering))
    #expect(
      rules.take(EventRulesTests.report(.publishing, .nothingToSend)).map(\.code) == [
        .encoderFailed
      ])
    #expect(rules.take(EventRulesTests.report(.delivering)).map(\.code) == [.delivered])
  }

  @Test func refusalsAreDistinguished() {
    #expect(DestinationEvents.code(of: .refused(.streamInUse), isOnAir: true) == .replaced)
    // It may be this program's own earlier connection.
    #expect(DestinationEvents.code(of: .refused(.streamInUse), isOnAir: false) == .refused)
    #expect(DestinationEvents.code(of: .refused(.notAllowed), isOnAir: true) == .refused)
    #expect(DestinationEvents.code(of: .closedByServer(.send), isOnAir: true) == .endedByServer)
    #expect(DestinationEvents.code(of: .serverMisbehaved, isOnAir: true) == .endedByServer)
    #expect(
      DestinationEvents.code(of: .closedByServer(.handshake), isOnAir: false) == .connectFailed)
  }
}

@Suite struct LocalNetworkTests {
  private static let routes = """
    Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
    wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
    eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
    eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
    """
  private static let routes6 = """
    fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
    00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth1
    00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
    """

  @Test func theDefaultRouteIsFound() {
    #expect(LocalNetwork.defaultInterface(v4: Self.routes, v6: Self.routes6) == "eth0")
    #expect(LocalNetwork.defaultInterface(v4: "", v6: Self.routes6) == "eth1")
    #expect(LocalNetwork.defaultInterface(v4: "Iface", v6: "") == nil)
    #expect(LocalNetwork.defaultInterface(v4: "a\n\u{0}\n\t\t", v6: "x y z") == nil)
  }

  @Test func theSignalIsThatOfTheInterface() {
    let table = """
      Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
       face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
       wlan0: 0000   38.  -72.  -256        0      0      0      0      0        0
      """
    #expect(LocalNetwork.signal(of: "wlan0", table) == -72)
    #expect(LocalNetwork.signal(of: "eth0", table) == nil)
    #expect(LocalNetwork.signal(of: "wlan0", "wlan0:") == nil)
  }
}
