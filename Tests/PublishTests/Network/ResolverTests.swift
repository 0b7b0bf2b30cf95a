// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Synchronization
import Testing

@testable import Publish

@Suite struct ResolverTests {
  /// A name server that answers when the test lets it.
  private final class SlowServer: Sendable {
    let answer = Atomic<UInt8>(1)
    let isHeld = Atomic(false)

    func look(_ target: RTMPTarget) -> Resolver.Outcome {
      while isHeld.load(ordering: .relaxed) {
        (MediaTime.now() + .milliseconds(1)).sleepUntil()
      }
      return .found([
        SocketAddress(family: 2, bytes: [answer.load(ordering: .relaxed)])
      ])
    }
  }

  @Test func aLateAnswerIsUsedByTheNextAttempt() throws {
    let server = SlowServer()
    let resolver = Resolver(worker: Worker(name: "test")) { server.look($0) }
    let target = try RTMPTarget(host: "a.invalid", port: 1_935, app: "live", streamKey: "k")
    func ask() throws -> UInt8? {
      try resolver.addresses(of: target, until: .now() + .seconds(5)) { false }.first?.bytes.first
    }
    #expect(try ask() == 1)
    server.answer.store(2, ordering: .relaxed)
    server.isHeld.store(true, ordering: .relaxed)
    #expect(try ask() == 1, "the one that is known, rather than wait")
    server.isHeld.store(false, ordering: .relaxed)
    let deadline = MediaTime.now() + .seconds(600)
    while try ask() != 2, MediaTime.now() < deadline {}
    #expect(try ask() == 2)
  }

  /// An address that accepts the connection and then stays mute must not keep the others from being tried.
  @Test func attemptsStartWithDifferentAddresses() throws {
    let mute = try FakeServer { $0.readToEnd() }
    defer { mute.end() }
    let good = try FakeServer.reading()
    defer { good.end() }
    func address(_ port: Int) -> SocketAddress {
      SocketAddress(
        family: 2,
        bytes: [2, 0, UInt8(port >> 8), UInt8(port & 0xFF), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    }
    let addresses = [address(mute.port), address(good.port)]
    let worker = Worker(name: "test")
    let resolver = Resolver(worker: worker) { _ in .found(addresses) }
    let target = try RTMPTarget(host: "a.invalid", port: 1_935, app: "live", streamKey: "k")
    func open(_ firstAddress: Int, handshake: Int64 = .milliseconds(300)) -> Bool {
      var deadlines = RTMPDeadlines()
      deadlines.handshake = handshake
      let session = RTMPSession(
        target: target, deadlines: deadlines, control: ConnectionControl(),
        worker: worker
      ) { false }
      defer { session.close(reset: true) }
      do throws(PublishError) {
        try session.open(resolver, firstAddress: firstAddress)
        return true
      } catch {
        return false
      }
    }
    #expect(!open(0))
    #expect(open(1, handshake: .seconds(60)))
    #expect(!open(2))
    #expect(mute.connections == 2)
    #expect(good.connections == 1)
  }
}
