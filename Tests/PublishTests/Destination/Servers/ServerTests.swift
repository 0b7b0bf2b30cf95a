// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Testing

@testable import Publish

/// Cases that are not in the table of servers (`EveryServerTests`).
@Suite struct ServerTests {
  /// Runs against a script until the first failure is reported.
  private func cause(
    deadlines: RTMPDeadlines = Rig.deadlines, _ script: (@Sendable (Peer) throws -> Void)?
  ) throws -> DestinationReport? {
    let server = try FakeServer(script: script)
    defer { server.end() }
    let rig = try Rig(port: server.port, deadlines: deadlines)
    rig.destination.start()
    let report = rig.waitForCause()
    #expect(rig.stop())
    #expect(rig.destination.counters.state == .stopped)
    for report in rig.reported { #expect(!report.said.contains(Rig.key)) }
    return report
  }

  @Test func nothingListens() throws {
    let port = try FakeServer.freePort()
    let rig = try Rig(port: port)
    rig.destination.start()
    let report = rig.waitForCause()
    #expect(report?.cause == .connectionRefused)
    #expect(report?.state == .waiting)
    #expect(report?.target.port == port)
    // A report for a change, not for each attempt.
    #expect(Rig.wait { rig.destination.counters.failures >= 4 })
    #expect(rig.reported.map(\.state) == [.connecting, .waiting])
    // It publishes when the cause is gone.
    #expect(rig.stop())
  }

  @Test func closeIsNoticedWithoutSending() throws {
    let report = try cause(deadlines: RTMPDeadlines()) { peer in
      try peer.accept()
      pause(milliseconds: 100)
    }
    #expect(report?.cause == .closedByServer(.send))
  }

  @Test func theServersMessageIsReported() throws {
    let busy = try cause { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Publish.BadName", "\(Rig.key) is\nbusy")
      peer.readToEnd()
    }
    #expect(busy?.cause == .refused(.streamInUse))
    #expect(busy?.said == "… is busy")
  }

  @Test func randomBytes() throws {
    for seed: UInt64 in 0..<12 {
      let report = try cause { peer in
        var noise = Noise(seed: seed)
        if seed % 3 > 0 { try peer.greet() }
        if seed % 3 > 1 { try peer.answer(upTo: "publish") }
        try peer.write(noise.bytes(20_000))
        peer.readToEnd()
      }
      #expect(report?.cause != nil)
    }
  }
}
