// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Logging
import Testing

@testable import Appliance
@testable import Publish

@Suite struct EventTests {
  private static func quiet() -> EventLog {
    EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private static func first(_ count: Int, of stream: AsyncStream<Event>) async -> [Event] {
    var events: [Event] = []
    for await event in stream {
      events.append(event)
      if events.count == count { break }
    }
    return events
  }

  @Test func whoListensHearsWhatHappensFromThenOn() async {
    let log = EventTests.quiet()
    log.tell(.started, "One.")
    let stream = log.stream(after: nil)
    log.tell(.paused, "Two.")
    log.tell(.ended, sums: .init(seconds: 1, bytes: 2, frames: 3, gaps: 4), "Three.")
    let events = await EventTests.first(2, of: stream)
    #expect(events.map(\.number) == [2, 3])
    #expect(events.last?.sums?.gaps == 4)
    #expect(events.allSatisfy { $0.time.hasSuffix("Z") && $0.time.count == 24 })
  }

  @Test func whoComesBackHearsWhatWasMissed() async {
    let log = EventTests.quiet()
    for number in 1...300 { log.tell(.paused, "\(number)") }
    let missed = await EventTests.first(200, of: log.stream(after: 5))
    #expect(missed.first?.number == 101)
    #expect(missed.last?.number == 300)
    let last = log.stream(after: 299)
    #expect(await EventTests.first(1, of: last).map(\.number) == [300])
    // A number of an earlier run.
    let other = log.stream(after: 5_000)
    log.tell(.resumed, "new")
    #expect(await EventTests.first(1, of: other).map(\.number) == [301])
  }

  @Test func namesForProgramsAreOfOneKindAndStay() throws {
    let names = Event.Code.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
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
      story.take(StoryTests.report(state, cause))
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
    #expect(take(.delivering) == [.delivered, .publishing, .reconnectSucceeded])
    #expect(take(.waiting, .endedByServer) == [.endedByServer, .reconnectStarted])
    #expect(take(.delivering) == [.delivered, .publishing, .reconnectSucceeded])
    // By hand.
    #expect(take(.connecting) == [.connecting, .reconnectStarted])
    #expect(take(.connected) == [.connected])
    #expect(take(.publishing) == [.publishing, .reconnectSucceeded])
    #expect(take(.stopped) == [])
  }

  @Test func refusalsAreToldApart() {
    #expect(DestinationStory.code(of: .refused(.streamInUse)) == .replaced)
    #expect(DestinationStory.code(of: .refused(.notAllowed)) == .refused)
    #expect(DestinationStory.code(of: .closedByServer(.send)) == .endedByServer)
    #expect(DestinationStory.code(of: .closedByServer(.handshake)) == .connectFailed)
  }
}
