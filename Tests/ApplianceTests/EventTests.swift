// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Logging
import Synchronization
import Testing

@testable import Appliance
@testable import Publish

@Suite struct EventTests {
  private static func quiet(before: Int = 0) -> EventLog {
    EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: before)
  }

  /// What a listener is told.
  private final class Ear: Sendable {
    private let heard = Mutex<[Event]>([])
    var events: [Event] { heard.withLock { $0 } }
    func hear(_ event: Event) { heard.withLock { $0.append(event) } }
  }

  @Test func whoListensHearsWhatHappensFromThenOn() {
    let log = EventTests.quiet()
    let ear = Ear()
    log.tell(.started, "One.")
    let end = log.listen(after: nil) { ear.hear($0) }
    log.tell(.paused, "Two.")
    log.tell(.ended, sums: .init(seconds: 1, bytes: 2, frames: 3, gaps: 4), "Three.")
    end()
    log.tell(.started, "Four.")
    #expect(ear.events.map(\.number) == [2, 3])
    #expect(ear.events.last?.sums?.gaps == 4)
    #expect(ear.events.allSatisfy { $0.time.hasSuffix("Z") && $0.time.count == 24 })
  }

  @Test func whoComesBackHearsWhatWasMissed() {
    let log = EventTests.quiet()
    for number in 1...300 { log.tell(.paused, "\(number)") }
    let (late, later) = (Ear(), Ear())
    _ = log.listen(after: 5) { late.hear($0) }
    #expect(late.events.map(\.number) == Array(101...300))
    _ = log.listen(after: 299) { later.hear($0) }
    #expect(later.events.map(\.number) == [300])
  }

  /// A number of an earlier run of the program is less than all of this one's.
  @Test func whoComesBackAfterARestartHearsAllOfIt() {
    let log = EventTests.quiet(before: 1_700_000_000_000)
    log.tell(.started, "One.")
    let ear = Ear()
    _ = log.listen(after: 1_600_000_000_007) { ear.hear($0) }
    #expect(ear.events.map(\.number) == [1_700_000_000_001])
  }

  /// From many threads at once: each listener hears all, in order.
  @Test func numbersRiseForEachListener() async {
    let log = EventTests.quiet()
    let ear = Ear()
    _ = log.listen(after: nil) { ear.hear($0) }
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<500 { log.tell(.muted, "") } } }
    }
    #expect(ear.events.map(\.number) == Array(1...4_000))
  }

  @Test func namesForProgramsAreOfOneKindAndStay() throws {
    let names = Event.Code.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    #expect(
      names == [
        "started", "ended", "paused", "resumed", "muted", "unmuted", "device_lost", "device_back",
        "device_forbidden", "device_busy", "connecting", "connected", "publishing", "delivered",
        "network_poor", "network_recovered", "connect_failed", "send_timed_out", "refused",
        "replaced", "ended_by_server", "reconnect_started", "reconnect_succeeded", "url_expiring",
        "url_expired", "frame_budget_missed", "encoder_failed", "still_unusable",
        "state_not_kept", "button_stuck", "button_released", "password_reset", "page_unavailable",
        "page_back",
      ])
    let event = Event(
      number: 1, time: "2026-01-31T12:00:00.000Z", code: .deviceLost, subject: "picture",
      cause: "missing", sentence: "No camera.", sums: nil)
    #expect(
      String(decoding: JSON.encode(event), as: UTF8.self)
        == #"{"cause":"missing","code":"device_lost","number":1,"sentence":"No camera.","#
        + #""subject":"picture","time":"2026-01-31T12:00:00.000Z"}"#)
  }
}

@Suite struct StoryTests {
  @Test func aSourceIsLostAndComesBack() {
    var story = SourceStory()
    func report(_ state: SourceReport.State, _ code: String) -> SourceReport {
      SourceReport(state: state, code: code, sentence: "")
    }
    #expect(story.take(report(.running, "running")) == nil)
    #expect(story.take(report(.trouble, "lost")) == .deviceLost)
    #expect(story.take(report(.trouble, "busy")) == .deviceBusy)
    #expect(story.take(report(.trouble, "forbidden")) == .deviceForbidden)
    #expect(story.take(report(.running, "running")) == .deviceBack)
    #expect(story.take(report(.running, "running")) == nil)
    #expect(story.take(report(.ended, "ended")) == nil)
  }

  private static func report(
    _ state: DestinationState, _ cause: DestinationCause? = nil
  ) -> DestinationReport {
    DestinationReport(state: state, cause: cause, sentence: "")
  }

  @Test func aDestinationIsPublishedLostAndPublishedAgain() {
    var story = DestinationStory()
    func take(_ state: DestinationState, _ cause: DestinationCause? = nil) -> [Event.Code] {
      story.take(StoryTests.report(state, cause)).map(\.code)
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
    // By hand.
    #expect(take(.connecting) == [.connecting, .reconnectStarted])
    #expect(take(.connected) == [.connected])
    #expect(take(.publishing) == [.publishing, .reconnectSucceeded])
    #expect(take(.stopped) == [])
  }

  @Test func anEncoderThatGivesNothingIsNoNetwork() {
    var story = DestinationStory()
    _ = story.take(StoryTests.report(.delivering))
    #expect(
      story.take(StoryTests.report(.publishing, .nothingToSend)).map(\.code) == [.encoderFailed])
    #expect(story.take(StoryTests.report(.delivering)).map(\.code) == [.delivered])
  }

  @Test func refusalsAreToldApart() {
    #expect(DestinationStory.code(of: .refused(.streamInUse), isOnAir: true) == .replaced)
    // It may be this box's own connection of before.
    #expect(DestinationStory.code(of: .refused(.streamInUse), isOnAir: false) == .refused)
    #expect(DestinationStory.code(of: .refused(.notAllowed), isOnAir: true) == .refused)
    #expect(DestinationStory.code(of: .closedByServer(.send), isOnAir: true) == .endedByServer)
    #expect(DestinationStory.code(of: .serverMisbehaved, isOnAir: true) == .endedByServer)
    #expect(
      DestinationStory.code(of: .closedByServer(.handshake), isOnAir: false) == .connectFailed)
  }
}
