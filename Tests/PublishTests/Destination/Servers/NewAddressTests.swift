// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Synchronization
import Testing

@testable import Publish

/// Another server, and another address of this machine.
@Suite struct NewAddressTests {
  @Test func theSecondServerIsTriedAfterThreeFailures() throws {
    let gone = try FakeServer { _ in }
    gone.end()
    let server = try FakeServer.reading()
    defer { server.end() }
    let rig = try Rig(port: gone.port, backupPort: server.port)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    #expect(rig.destination.counters.failures == 3)
    #expect(rig.destination.target.port == server.port)
    #expect(rig.stop())
  }

  @Test func aNewAddressCutsTheConnection() throws {
    let left = Found<Bool>()
    let first = try FakeServer { peer in
      try peer.accept()
      peer.readToEnd()
      left.set(true)
    }
    defer { first.end() }
    let second = try FakeServer.reading()
    defer { second.end() }
    let rig = try Rig(port: first.port)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: second.port, app: "live", streamKey: "another"))
    #expect(
      Rig.wait {
        rig.destination.counters.reconnects == 1 && rig.destination.counters.state == .delivering
      })
    #expect(left.wait() == true)
    #expect(rig.destination.target.port == second.port)
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.reported.last?.target.port == second.port)
    #expect(rig.stop())
  }

  @Test func aNewAddressEndsTheWaitBeforeTheNextAttempt() throws {
    let gone = try FakeServer { _ in }
    gone.end()
    let server = try FakeServer.reading()
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.retryPause = .seconds(60)
    let rig = try Rig(port: gone.port, deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForCause() != nil)
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: Rig.key))
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
  }

  @Test func aNewAddressEndsAnAttemptToConnect() throws {
    let hole = try #require(BadServer.all.first { $0.name == "black hole" }).run()
    defer { hole.end() }
    let server = try FakeServer.reading()
    defer { server.end() }
    var deadlines = Rig.deadlines
    deadlines.connect = .seconds(60)
    let rig = try Rig(port: hole.port, deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(Rig.wait { rig.reported.contains { $0.state == .connecting } })
    rig.destination.publish(
      to: try RTMPTarget(host: "127.0.0.1", port: server.port, app: "live", streamKey: Rig.key))
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
  }
}
