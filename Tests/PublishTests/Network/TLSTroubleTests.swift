// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CGnuTLS
import FakeServer
import Glibc
import Testing

@testable import Publish

/// Servers that violate TLS, and broken connections.
extension TLSTests {
  // MARK: Broken connections

  @Test func incompleteRecordsDoNotBlockTheStream() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      while true {
        // Pings, many more than the relay passes on.
        try peer.send(type: 4, channel: 2, [0, 6, 0, 0, 0, 1])
        _ = try peer.message()
      }
    }
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    // The relay passes on the first 8,000 bytes at once, which include the handshakes, and then a byte a second.
    let relay = try Relay(before: front.port("good"), dribble: .seconds(1))
    defer { relay.end() }
    let rig = try rig(relay.port, authorities: front.file("ca"))
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    // A ping needs half a minute.
    let before = rig.destination.counters.bytesSent
    #expect(Rig.wait { rig.destination.counters.bytesSent >= before + 350_000 })
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.stop())
  }

  /// A write fails in the middle of a record. librtmp then closes the connection and frees the TLS session by itself.
  @Test func aStalledConnectionTimesOut() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    let relay = try Relay(before: front.port("good"), stall: 100_000)
    defer { relay.end() }
    let clock = VirtualClock()
    let rig = try rig(relay.port, authorities: front.file("ca"), clock: clock.clock)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let big = [UInt8](repeating: 1, count: 400_000)
    #expect(
      Rig.wait {
        clock.advance(by: .milliseconds(20))
        Piece(kind: .keyframe, time: clock.now, bytes: big).lent { rig.destination.offer($0) }
        return rig.reported.contains { $0.cause == .timedOut(.send) }
      })
    #expect(rig.stop())
  }

  @Test func reconnectsAfterTheServerCloses() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      for _ in 0..<20 { _ = try peer.message() }
    }
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    let rig = try rig(front.port("good"), authorities: front.file("ca"))
    rig.destination.start()
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.reconnects >= 3 })
    #expect(rig.waitForCause()?.cause == .closedByServer(.send))
    #expect(rig.stop())
  }

  /// Records without payload count against the inbound budget as well.
  @Test func endlessSessionTickets() throws {
    let front = try TLSFront(before: 9, ["good"])
    defer { front.end() }
    let (certificate, key) = (front.file("good"), front.key("good"))
    let server = try FakeServer { peer in
      var credentials: gnutls_certificate_credentials_t?
      var session: gnutls_session_t?
      var tickets = unsafe gnutls_datum_t()
      unsafe gnutls_certificate_allocate_credentials(&credentials)
      unsafe gnutls_certificate_set_x509_key_file(
        credentials, certificate, key, GNUTLS_X509_FMT_PEM)
      unsafe gnutls_init(&session, UInt32(GNUTLS_SERVER.rawValue))
      unsafe gnutls_set_default_priority(session)
      unsafe gnutls_credentials_set(
        session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
      unsafe gnutls_session_ticket_key_generate(&tickets)
      unsafe gnutls_session_ticket_enable_server(session, &tickets)
      unsafe gnutls_transport_set_int2(session, peer.socket, peer.socket)
      if unsafe gnutls_handshake(session) == 0 {
        while unsafe gnutls_session_ticket_send(session, 1, 0) >= 0 {}
      }
      unsafe gnutls_deinit(session)
      unsafe gnutls_certificate_free_credentials(credentials)
      unsafe free(tickets.data)
    }
    defer { server.end() }
    let rig = try rig(server.port, authorities: front.file("ca"))
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .serverMisbehaved)
    #expect(rig.stop())
  }

  // MARK: Servers that do not speak TLS

  /// - Parameter waits: whether the handshake has to time out.
  private func cause(
    transport: RTMPTarget.Transport = .tls(authorities: ""), waits: Bool = false,
    _ script: @escaping @Sendable (Peer) throws -> Void
  ) throws -> DestinationReport? {
    let server = try FakeServer(script: script)
    defer { server.end() }
    let clock = VirtualClock()
    let rig = try Rig(port: server.port, transport: transport, clock: clock.clock)
    rig.destination.start()
    if waits {
      #expect(Rig.wait { rig.destination.control.state.withLock { $0.step } == .tls })
      clock.advance(by: Rig.deadlines.tls)
    }
    let report = rig.waitForCause()
    #expect(rig.stop())
    return report
  }

  @Test func otherServers() throws {
    #expect(try cause(waits: true) { $0.readToEnd() }?.cause == .timedOut(.tls))
    #expect(try cause { _ in }?.cause == .closedByServer(.tls))
    #expect(try cause { _ = try $0.read(100) }?.cause == .closedByServer(.tls))
    // An RTMP server without TLS.
    let plain = try cause { peer in
      try peer.write([3] + [UInt8](repeating: 0, count: 3_072))
      peer.readToEnd()
    }
    #expect(plain?.cause == .notTLS)
    #expect(
      try cause { peer in
        try peer.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        peer.readToEnd()
      }?.cause == .notTLS)
    // An alert: no common version.
    let version = try cause { peer in
      try peer.write([0x15, 3, 3, 0, 2, 2, 70])
      peer.readToEnd()
    }
    #expect(version?.cause == .tlsFailed)
    #expect(version?.said.contains("version") == true)
    // A record longer than TLS allows, and an incomplete one.
    #expect(
      try cause { peer in
        try peer.write([0x16, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 70_000))
        peer.readToEnd()
      }?.cause == .tlsFailed)
    #expect(
      try cause(waits: true) { peer in
        for byte in [0x16, 3, 3, 0x10] + [UInt8](repeating: 7, count: 100) {
          try peer.write([byte])
          pause(milliseconds: 50)
        }
      }?.cause == .timedOut(.tls))
  }

  @Test func randomBytes() throws {
    for seed: UInt64 in 0..<8 {
      let report = try cause { peer in
        var noise = Noise(seed: seed)
        try peer.write([0x16, 3, 3] + noise.bytes(20_000))
        peer.readToEnd()
      }
      #expect(report?.cause != nil)
    }
  }

  @Test func plainToATLSServer() throws {
    let report = try cause(transport: .plain) { peer in
      try peer.write([0x15, 3, 1, 0, 2, 2, 70])
      peer.readToEnd()
    }
    #expect(report?.cause == .tlsExpected)
    // OpenSSL closes without an alert.
    let front = try TLSFront(before: 9, ["good"])
    defer { front.end() }
    let rig = try Rig(port: front.port("good"), deadlines: TLSTests.deadlines)
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .closedByServer(.handshake))
    #expect(rig.stop())
  }

  @Test func stopEndsTheHandshake() throws {
    let server = try FakeServer { $0.readToEnd() }
    defer { server.end() }
    // On a virtual clock the handshake does not time out.
    let rig = try rig(server.port, authorities: "", clock: VirtualClock().clock)
    rig.destination.start()
    #expect(Rig.wait { server.connections == 1 })
    #expect(rig.stop())
  }
}
