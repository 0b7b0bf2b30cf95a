// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Media
import Mux
import Testing

@testable import Publish

/// A destination's deadlines while it publishes, exact to the millisecond: real connections, but a virtual clock.
@Suite struct VirtualDestinationTests {
  private let clock = VirtualClock()

  private func publishing(to server: FakeServer) throws -> Rig {
    let rig = try Rig(port: server.port, deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    try #require(rig.waitForPublishing())
    return rig
  }

  private func offer(_ kind: PacketKind, to rig: Rig, bytes: Int = 100) {
    Piece(kind: kind, time: clock.now, bytes: [UInt8](repeating: 1, count: bytes)).lent {
      rig.destination.offer($0)
    }
  }

  /// Long enough for the supervisor to run several times.
  private func letSupervisorRun() { pause(milliseconds: 50) }

  /// The watchdog is fed only while it goes around.
  @Test func aThreadThatHangsIsNoticed() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let (begun, release) = (Signal(), Signal())
    let destination = Destination(
      name: "main",
      target: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: "key"),
      hasVideo: true, queueBytes: 100_000, encoder: "test", clock: clock.clock,
      accepted: {
        begun.signal()
        _ = release.wait(until: .distantFuture)
        // After 30 s the connection may count as lost: the next one does not hang.
        release.signal()
      }, listener: { _ in })
    destination.start()
    #expect(begun.wait(until: .now() + .seconds(60)))
    clock.advance(by: .seconds(30) - 1)
    #expect(destination.isAlive(clock.now))
    clock.advance(by: 1)
    #expect(!destination.isAlive(clock.now))
    release.signal()
    #expect(Rig.wait { destination.isAlive(clock.now) })
    #expect(destination.stop(goodbye: false, by: clock.now + .seconds(60)))
  }

  /// The status must not name a server that is no longer tried.
  @Test func aChangeOfTheServerEndsTheTroubleWithTheOldOne() throws {
    let silent = try FakeServer { $0.readToEnd() }
    defer { silent.end() }
    let rig = try Rig(port: FakeServer.freePort(), deadlines: RTMPDeadlines(), clock: clock.clock)
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .connectionRefused)
    #expect(rig.destination.trouble != nil)
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: silent.port, app: "live", streamKey: "key"))
    #expect(Rig.wait { silent.connections == 1 })
    #expect(rig.destination.trouble == nil)
    #expect(rig.stop())
  }

  @Test func withoutPacketsTheStreamIsDeliveredForThreeSeconds() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try publishing(to: server)
    letSupervisorRun()
    #expect(rig.destination.counters.deliveredUpTo == nil)
    let capturedAt = clock.now
    offer(.keyframe, to: rig)
    #expect(Rig.wait { rig.destination.counters.bytesSent > 100 })
    letSupervisorRun()
    // An idle thread looks for acknowledgements once a second.
    clock.advance(by: .seconds(1))
    #expect(Rig.wait { rig.destination.counters.state == .delivering })
    #expect(rig.destination.counters.deliveredUpTo == capturedAt)

    rig.pass(.seconds(2), on: clock)
    #expect(rig.destination.counters.state == .delivering)
    clock.advance(by: .milliseconds(1))
    #expect(Rig.wait { rig.reported.last?.cause == .nothingToSend })
    #expect(rig.destination.counters.state == .publishing)

    offer(.frame, to: rig)
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        return rig.reported.last?.state == .delivering
      })
    #expect(rig.reported.last?.cause == nil)
    #expect(rig.stop())
    #expect(
      rig.reported.map(\.state) == [
        .connecting, .connected, .publishing, .delivering, .publishing, .delivering, .stopped,
      ])
  }

  /// After 3 s the stream counts as unconfirmed, although the destination's own thread hangs in a write; after 4 s
  /// without any progress the path counts as dead.
  @Test func aServerThatReadsNothing() throws {
    let server = try FakeServer { peer in
      peer.limitReceiving(to: 8_192)
      try peer.accept()
      peer.freeze()
    }
    defer { server.end() }
    let rig = try publishing(to: server)
    let start = clock.now
    offer(.keyframe, to: rig)
    // Until the kernel accepts no more.
    #expect(
      Rig.wait {
        offer(.frame, to: rig, bytes: 8_000)
        return rig.destination.counters.queuedBytes > 100_000
      })
    // Little waits in the kernel, where it could not be dropped.
    #expect(rig.destination.counters.bytesSent < 100_000)

    rig.pass(.seconds(3), on: clock)
    #expect(!rig.reported.contains { $0.cause != nil })
    clock.advance(by: .milliseconds(1))
    #expect(Rig.wait { rig.reported.last?.cause == .unconfirmed })
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(10))
        return rig.reported.contains { $0.cause == .timedOut(.send) }
      })
    #expect(clock.now - start > .seconds(4))
    #expect(rig.stop())
  }

  /// The kernel of the server's machine goes on accepting bytes that the server does not read.
  @Test func aServerThatAcknowledgesAndThenFreezes() throws {
    let isFrozen = Found<Bool>()
    let server = try FakeServer { peer in
      try peer.accept()
      while peer.received.count < 300_000 {
        _ = try peer.message()
        try peer.send(type: 3, channel: 2, AMF0.bigEndian(UInt32(3_073 + peer.received.count)))
      }
      isFrozen.set(true)
      peer.freeze()
    }
    defer { server.end() }
    let rig = try publishing(to: server)
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.state == .delivering })
    #expect(isFrozen.wait() == true)
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        return rig.reported.contains { $0.cause == .unconfirmed }
      })
    #expect(rig.stop())
  }

  @Test func aLostConnectionIsRetriedAtOnceAndThenEveryTwoSeconds() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      while try peer.message().type != 9 {}
      _ = try peer.read(100)
    }
    let rig = try publishing(to: server)
    // A publish that lasted for two seconds before it was cut is retried without a pause.
    clock.advance(by: .seconds(40))
    server.end()
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.failures >= 2 })
    let failures = rig.destination.counters.failures
    letSupervisorRun()
    #expect(rig.destination.counters.failures == failures, "the clock stands still")
    clock.advance(by: .milliseconds(1_890))
    letSupervisorRun()
    #expect(rig.destination.counters.failures == failures, "2 s, and 5 % of chance")
    clock.advance(by: .milliseconds(210))
    #expect(Rig.wait { rig.destination.counters.failures == failures + 1 })
    #expect(rig.stop())
    #expect(rig.reported.compactMap(\.retry).first?.pauseNanos == 0)
  }
}

/// Times that are computed from `RTMPDeadlines`.
@Suite struct DeadlinesTests {
  @Test(
    arguments: [
      // Round trip, then the stall, in milliseconds.
      (0, 4_000), (1_999, 4_000), (2_500, 5_000), (3_500, 7_000), (60_000, 7_000),
    ] as [(Int64, Int64)])
  func stallGrowsWithTheRoundTrip(_ roundTrip: Int64, _ stall: Int64) {
    #expect(RTMPDeadlines().stall(roundTrip: .milliseconds(roundTrip)) == .milliseconds(stall))
  }

  /// First the good-bye ends, then the connection is cut, then the caller's deadline passes.
  @Test(
    arguments: [
      // Time until the deadline, whether a good-bye is said, end of the good-bye and cut; in milliseconds.
      (2_000, true, 1_000, 1_100), (1_000, true, 800, 900), (400, true, 300, 350),
      (0, true, 0, 0), (2_000, false, 1_000, 50), (100, false, 75, 25),
    ] as [(Int64, Bool, Int64, Int64)])
  func stopTimes(_ left: Int64, _ saysGoodbye: Bool, _ goodbye: Int64, _ cut: Int64) {
    let now = MediaTime(nanos: .seconds(100))
    let times = RTMPDeadlines().stopTimes(
      goodbye: saysGoodbye, now: now, by: now + .milliseconds(left))
    #expect(times.goodbye - now == .milliseconds(goodbye))
    #expect(times.cut - now == .milliseconds(cut))
  }

  /// Two short dials and a long one, in turn. Only a server that has never been reached gets more time.
  @Test func dials() {
    let deadlines = RTMPDeadlines()
    var patient = deadlines
    patient.connect = .seconds(16)
    func seconds(_ wasPublished: Bool) -> [Int64] {
      (0..<6).map {
        deadlines.dialNanos($0, wasPublished: wasPublished, patient: patient) / 1_000_000_000
      }
    }
    #expect(seconds(true) == [2, 2, 4, 2, 2, 4])
    #expect(seconds(false) == [4, 4, 16, 4, 4, 16])
  }
}
