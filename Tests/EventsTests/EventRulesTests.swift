// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Capture
import Testing

@testable import Events
@testable import Publish

@Suite struct EventRulesTests {
  @Test func aSourceIsLostAndComesBack() {
    var rules = SourceEvents()
    func report(_ state: SourceReport.State, _ code: String) -> SourceReport {
      SourceReport(state: state, code: code, sentence: "")
    }
    #expect(rules.handle(report(.running, "running")) == nil)
    #expect(rules.handle(report(.trouble, "lost")) == .deviceLost)
    #expect(rules.handle(report(.trouble, "busy")) == .deviceBusy)
    #expect(rules.handle(report(.trouble, "forbidden")) == .deviceForbidden)
    #expect(rules.handle(report(.running, "running")) == .deviceBack)
    #expect(rules.handle(report(.running, "running")) == nil)
    #expect(rules.handle(report(.ended, "ended")) == nil)
  }

  @Test func aFileThatPlaysOnIsNotLost() {
    var rules = SourceEvents()
    func report(_ state: SourceReport.State, _ code: String) -> SourceReport {
      SourceReport(state: state, code: code, sentence: "")
    }
    #expect(rules.handle(report(.running, "running")) == nil)
    #expect(rules.handle(report(.outdated, "gone")) == .fileOutdated)
    #expect(rules.handle(report(.outdated, "not_media")) == .fileOutdated)
    #expect(rules.handle(report(.running, "running")) == .fileCurrent)
    #expect(rules.handle(report(.running, "running")) == nil)
    #expect(rules.handle(report(.outdated, "gone")) == .fileOutdated)
    #expect(rules.handle(report(.trouble, "missing")) == .deviceLost)
    #expect(rules.handle(report(.running, "running")) == .deviceBack)
    #expect(rules.handle(report(.running, "running")) == nil)
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
    DestinationReport(state: state, cause: cause, target: .rtmp(EventRulesTests.target))
  }

  @Test func aRelayThatGetsNothingHasFailed() {
    var rules = RelayEvents()
    func take(_ state: DestinationState, _ cause: DestinationCause? = nil) -> Event.Code? {
      rules.handle(EventRulesTests.report(state, cause))
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
      rules.handle(EventRulesTests.report(state, cause)).map(\.code)
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
    #expect(take(.connecting) == [.reconnectStarted, .connecting])
    #expect(take(.connected) == [.connected])
    #expect(take(.publishing) == [.publishing, .reconnectSucceeded])
    #expect(take(.stopped) == [])
  }

  @Test func aConnectionThatIsAskedForIsNoFailure() {
    var rules = DestinationEvents()
    func sentence(_ state: DestinationState, _ cause: DestinationCause? = nil) -> String? {
      rules.handle(EventRulesTests.report(state, cause)).first { $0.code == .reconnectStarted }?
        .sentence(of: "live.example.org")
    }
    _ = sentence(.delivering)
    #expect(sentence(.connecting) == "A new connection to live.example.org is being made.")
    _ = sentence(.delivering)
    #expect(
      sentence(.waiting, .endedByServer) == "Connecting to live.example.org again, until it works.")
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
      return rules.handle(report).map(\.elapsedNanos)
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
      _ = rules.handle(EventRulesTests.report(.delivering))
      #expect(
        rules.handle(
          EventRulesTests.report(.delivering, .linkTooSlow), isLinkFollowed: isFollowed
        ).map(\.code)
          == (isFollowed ? [] : [.networkPoor]))
      #expect(
        rules.handle(EventRulesTests.report(.delivering), isLinkFollowed: isFollowed).map(\.code)
          == (isFollowed ? [.delivered] : [.delivered, .networkRecovered]))
    }
  }

  @Test func aStalledEncoderIsNotReportedAsASlowLink() {
    var rules = DestinationEvents()
    _ = rules.handle(EventRulesTests.report(.delivering))
    #expect(
      rules.handle(EventRulesTests.report(.publishing, .nothingToSend)).map(\.code) == [
        .encoderFailed
      ])
    #expect(rules.handle(EventRulesTests.report(.delivering)).map(\.code) == [.delivered])
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
