// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Media
import Testing

@testable import Publish

/// What a destination counts.
@Suite struct DestinationFigureTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  @Test func outagesAddUp() {
    var outage = OutageTime(since: start)
    #expect(outage.total(start + 5) == 5)
    outage.begin(start + 7)
    #expect(outage.since == start)
    #expect(outage.end(start + 10) == 10)
    #expect(outage.since == nil && outage.total(start + 100) == 10)
    #expect(outage.end(start + 100) == 0)
    outage.begin(start + 200)
    #expect(outage.total(start + 203) == 13)
    #expect(outage.end(start + 204) == 4)
    #expect(outage.total(start + 999) == 14)
  }

  /// A server has worked only with the address and the key that it took the stream with.
  @Test func whatHasWorkedBelongsToAddressAndKey() throws {
    func target(_ app: String, _ key: String) throws -> RTMPTarget {
      try RTMPTarget(host: "h", app: app, streamKey: key)
    }
    var progress = Destination.Progress(
      target: try target("live", "one"), reportFilter: ReportFilter(RTMPDeadlines()),
      outage: OutageTime(since: start))
    progress.noteConnected(start)
    #expect(!progress.hasWorked, "it has only accepted the connection")
    progress.notePublished(start + 1)
    #expect(progress.hasWorked)
    for (app, key) in [("live", "two"), ("other", "one")] {
      progress.target = try target(app, key)
      #expect(!progress.hasWorked, "\(app) \(key)")
    }
    progress.target = try target("live", "one")
    #expect(progress.hasWorked)
  }

  /// The length of an outage is counted from when the server took no more data, as its trouble tells it.
  @Test func anOutageBeginsWhenTheServerTakesNothingAnyMore() {
    var progress = Destination.Progress(
      target: Sample.target, reportFilter: ReportFilter(RTMPDeadlines()),
      outage: OutageTime(since: start))
    progress.notePublished(start)
    func note(_ cause: DestinationCause?, _ state: DestinationState, at second: Int64) {
      progress.noteTrouble(state, cause, said: "", retryAt: nil, now: start + .seconds(second))
    }
    note(.linkTooSlow, .publishing, at: 10)
    #expect(progress.trouble?.since == start + .seconds(10))
    progress.noteTrouble(
      .publishing, .unconfirmed, said: "", retryAt: nil, stoppedAt: start + .seconds(17),
      now: start + .seconds(20))
    _ = progress.noteEnd(start + .seconds(50))
    note(.timedOut(.send), .waiting, at: 50)
    note(nil, .connecting, at: 52)
    #expect(progress.trouble?.since == start + .seconds(17))
    progress.notePublished(start + .seconds(92))
    #expect(progress.publishedAfter == .seconds(75))
    #expect(progress.outage.total(start + .seconds(99)) == .seconds(75), "the figure says the same")
    note(nil, .publishing, at: 92)
    #expect(progress.trouble == nil)
    // A complaint of before, which is not over yet, is no outage while the server takes the stream.
    note(.closedAfterStart, .waiting, at: 92)
    progress.notePublished(start + .seconds(100))
    _ = progress.noteEnd(start + .seconds(101))
    #expect(progress.outage.since == start + .seconds(100))
  }

  @Test func packetsAreCountedByKind() throws {
    var progress = Destination.Progress(
      target: Sample.target, reportFilter: ReportFilter(RTMPDeadlines()),
      outage: OutageTime(since: start))
    progress.noteConnected(start + .milliseconds(40))
    progress.notePublished(start + .milliseconds(60))
    #expect(progress.publishedAfter == .milliseconds(60))
    func packet(_ kind: PacketKind, at nanos: Int64) -> QueuedPacket {
      QueuedPacket(kind: kind, time: start + nanos)
    }
    progress.noteSent(
      packet(.keyframe, at: .milliseconds(70)), bytes: 500, hasVideo: true,
      now: start + .milliseconds(90))
    progress.noteSent(
      packet(.audio, at: .milliseconds(91)), bytes: 30, hasVideo: true,
      now: start + .milliseconds(90))
    progress.noteSent(
      packet(.frame, at: .milliseconds(100)), bytes: 200, hasVideo: true,
      now: start + .milliseconds(133))
    progress.noteDelivery(
      start + .milliseconds(70), isAwaited: true, now: start + .milliseconds(150))
    progress.noteDelivery(
      start + .milliseconds(70), isAwaited: true, now: start + .milliseconds(190))
    let counters = progress.counters
    #expect(counters.framesSent == 2)
    #expect(counters.videoBytesSent == 700 && counters.audioBytesSent == 30)
    #expect(counters.bytesSent == 730)
    #expect(counters.sentAfterNanos == .milliseconds(33))
    #expect(counters.acknowledgedAfterNanos == .milliseconds(80))
    #expect(progress.deliveredAfter == .milliseconds(150))
    #expect(counters.milestones.connectedAt == start + .milliseconds(40))
    #expect(counters.milestones.sentAt == start + .milliseconds(90))
    #expect(counters.milestones.deliveredAt == start + .milliseconds(150))

    // The connection breaks, and is made again three seconds later.
    #expect(progress.noteEnd(start + .seconds(10)) == .milliseconds(9_940))
    #expect(progress.counters.sentAfterNanos == nil)
    #expect(progress.counters.acknowledgedAfterNanos == nil)
    progress.noteConnected(start + .seconds(12))
    progress.notePublished(start + .seconds(13))
    #expect(progress.publishedAfter == .seconds(3) && progress.deliveredAfter == nil)
    progress.noteDelivery(
      start + .milliseconds(13_100), isAwaited: true, now: start + .milliseconds(13_500))
    #expect(progress.deliveredAfter == .milliseconds(3_500))
    #expect(progress.counters.connections == 2 && progress.counters.reconnects == 1)
    #expect(progress.counters.milestones == counters.milestones, "those of the start stay")
    #expect(progress.outage.total(start + .seconds(99)) == .milliseconds(3_060))
  }

  /// An audio-only stream has no frames: audio tells how long sending takes.
  @Test func withoutVideoAudioTellsTheDelay() {
    var progress = Destination.Progress(
      target: Sample.target, reportFilter: ReportFilter(RTMPDeadlines()),
      outage: OutageTime(since: start))
    // A block of audio that its source has stamped with its end.
    progress.noteSent(
      QueuedPacket(kind: .audio, time: start + 5), bytes: 30, hasVideo: false, now: start)
    #expect(progress.counters.sentAfterNanos == 0)
    #expect(progress.counters.milestones.sentAt == start)
  }

  /// A server that is not there: attempts fail in a row, until it takes the stream for a while.
  @Test func failuresInARowEndWithALastingPublish() throws {
    let clock = VirtualClock()
    let begun = clock.now
    let port = try FakeServer.freePort()
    let rig = try Rig(port: port, deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(100))
        return rig.destination.counters.failuresInRow >= 3
      })
    let failing = rig.destination.counters
    #expect(failing.outageSince == begun && failing.outageNanos > .seconds(2))
    #expect(failing.connections == 0 && failing.roundTripNanos == nil)
    #expect(failing.failingSince.map { $0 >= begun } ?? false)

    // Attempts at another address are counted anew, and their time, too.
    let changedAt = clock.now
    rig.destination.publish(
      to: try RTMPTarget(
        host: "127.0.0.1", port: FakeServer.freePort(), app: "live", streamKey: "key"))
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(100))
        let since = rig.destination.counters.failingSince
        return since.map { $0 >= changedAt } ?? false
      })

    let server = try FakeServer.reading()
    defer { server.end() }
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: "key"))
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        return rig.destination.counters.state.isOnAir
      })
    let taken = rig.destination.counters
    #expect(taken.failuresInRow == 0 && taken.connections == 1 && taken.outageSince == nil)
    #expect(taken.milestones.connectedAt != nil && taken.milestones.sentAt == nil)
    let report = try #require(rig.reported.last { $0.state == .publishing })
    #expect(report.publishedAfter == taken.outageNanos)
    clock.advance(by: .seconds(100))
    #expect(rig.destination.counters.outageNanos == taken.outageNanos)
    #expect(rig.stop())
  }

  @Test func theMaskedURLShowsNoKey() throws {
    func url(
      _ transport: RTMPTarget.Transport, _ host: String, _ port: Int?, _ app: String
    ) throws -> String {
      try RTMPTarget(transport: transport, host: host, port: port, app: app, streamKey: "s3cret")
        .maskedURL
    }
    #expect(try url(.plain, "live.example.org", nil, "app") == "rtmp://live.example.org/app/***")
    #expect(
      try url(.tls(authorities: ""), "::1", 8_443, "app/token?sign=s3cret")
        == "rtmps://[::1]:8443/app/***/***")
    #expect(try url(.plain, "h", nil, "app?sign=s3cret") == "rtmp://h/app/***")
  }
}
