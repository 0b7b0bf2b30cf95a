// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CGnuTLS
import FakeServer
import Glibc
import Media
import Testing

@testable import Publish

/// Servers that do not keep to TLS, and lines that do not carry it.
extension TLSTests {
  // MARK: Bad lines

  @Test func aDribblingServerDoesNotHoldTheStream() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      while true {
        // To be answered, and far more than comes through.
        try peer.send(type: 4, channel: 2, [0, 6, 0, 0, 0, 1])
        _ = try peer.message()
      }
    }
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    // The greetings are less than 8,000 bytes; the first pings come at once, the others in pieces.
    let relay = try Relay(before: front.port("good"), dribble: .seconds(1))
    defer { relay.end() }
    let rig = try rig(relay.port, authorities: front.file("ca"))
    rig.destination.start()
    rig.encode()
    #expect(rig.waitForPublishing())
    // A ping takes half a minute to come through.
    let before = rig.destination.counters.picturesSent
    #expect(Rig.wait(seconds: 8) { rig.destination.counters.picturesSent >= before + 45 })
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.stop())
  }

  /// A write that cannot go on, in the middle of a record: librtmp closes, and frees the session, by
  /// itself.
  @Test func aStalledServerIsLeftInTime() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    let relay = try Relay(before: front.port("good"), stall: 100_000)
    defer { relay.end() }
    var deadlines = TLSTests.deadlines
    deadlines.send = .milliseconds(800)
    let rig = try rig(relay.port, authorities: front.file("ca"), deadlines: deadlines)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let big = [UInt8](repeating: 1, count: 400_000)
    let start = MediaTime.now()
    let isLeft = Rig.wait(seconds: 8) {
      Piece(kind: .keyframe, time: .now(), bytes: big).lent { rig.destination.offer($0) }
      return rig.told.last?.state == .waiting
    }
    #expect(isLeft && rig.told.last?.cause == .timedOut(.send), "\(rig.told)")
    #expect(MediaTime.now() - start < .seconds(5))
    #expect(rig.stop())
  }

  @Test func aServerThatDiesIsComeBackTo() throws {
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
    #expect(Rig.wait(seconds: 10) { rig.destination.counters.reconnects >= 3 })
    #expect(rig.waitForCause()?.cause == .closedByServer(.send))
    #expect(rig.stop())
  }

  /// Records that hold nothing for RTMP count as what they take.
  @Test func ticketsWithoutEnd() throws {
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
    #expect(rig.waitForCause(seconds: 10)?.cause == .serverMisbehaved)
    #expect(rig.stop())
  }

  // MARK: What is no TLS

  private func cause(
    transport: RTMPTarget.Transport = .tls(authorities: ""),
    _ script: @escaping @Sendable (Peer) throws -> Void
  ) throws -> DestinationReport? {
    let server = try FakeServer(script: script)
    defer { server.end() }
    var deadlines = TLSTests.deadlines
    deadlines.tls = .milliseconds(800)
    let rig = try Rig(port: server.port, transport: transport, deadlines: deadlines)
    rig.destination.start()
    let report = rig.waitForCause()
    #expect(rig.stop())
    return report
  }

  @Test func otherServers() throws {
    #expect(try cause { $0.readToEnd() }?.cause == .timedOut(.tls))
    #expect(try cause { _ in }?.cause == .closedByServer(.tls))
    #expect(try cause { _ = try $0.read(100) }?.cause == .closedByServer(.tls))
    // An RTMP server that does not look at what it is sent.
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
    // Alerts: no common version; handshake failure.
    let version = try cause { peer in
      try peer.write([0x15, 3, 3, 0, 2, 2, 70])
      peer.readToEnd()
    }
    #expect(version?.cause == .tlsFailed)
    #expect(version?.said.contains("version") == true)
    // A record that promises more than there may be, and half a one.
    #expect(
      try cause { peer in
        try peer.write([0x16, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 70_000))
        peer.readToEnd()
      }?.cause == .tlsFailed)
    #expect(
      try cause { peer in
        for byte in [0x16, 3, 3, 0x10] + [UInt8](repeating: 7, count: 100) {
          try peer.write([byte])
          (MediaTime.now() + .milliseconds(50)).sleepUntil()
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
    // OpenSSL only closes.
    let front = try TLSFront(before: 9, ["good"])
    defer { front.end() }
    let rig = try Rig(port: front.port("good"), deadlines: TLSTests.deadlines)
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .closedByServer(.handshake))
    #expect(rig.stop())
  }

  @Test func stopsAtOnceInTheHandshake() throws {
    let server = try FakeServer { $0.readToEnd() }
    defer { server.end() }
    let rig = try rig(server.port, authorities: "", deadlines: RTMPDeadlines())
    rig.destination.start()
    #expect(Rig.wait { server.connections == 1 })
    let start = MediaTime.now()
    #expect(rig.stop())
    #expect(MediaTime.now() - start < .milliseconds(1_000))
  }
}
