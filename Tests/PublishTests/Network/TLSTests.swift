// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CGnuTLS
import FakeServer
import Foundation
import Mux
import Testing

@testable import Publish

/// RTMPS against nginx, which uses OpenSSL, and against servers that do not speak TLS.
@Suite struct TLSTests {
  /// The program's own, but with short retry pauses.
  static var deadlines: RTMPDeadlines {
    var deadlines = RTMPDeadlines()
    deadlines.retryPause = .milliseconds(200)
    return deadlines
  }

  func rig(
    _ port: Int, host: String = "localhost", authorities: String, key: String = Rig.key,
    clock: MediaClock = .system
  ) throws -> Rig {
    try Rig(
      port: port, host: host, transport: .tls(authorities: authorities), key: key,
      deadlines: TLSTests.deadlines, clock: clock)
  }

  // MARK: Certificates

  private static let certificates = [
    "good", "name-only", "expired", "future", "foreign", "self-signed", "other", "client", "weak",
    "long",
  ]

  @Test func certificates() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let front = try TLSFront(before: server.port, TLSTests.certificates)
    defer { front.end() }
    // Behind the servers whose certificates have to be rejected: it must never get a connection.
    let never = try FakeServer { _ in }
    defer { never.end() }
    let refused = try TLSFront(before: never.port, TLSTests.certificates)
    defer { refused.end() }
    let cases: [(name: String, host: String, roots: String, cause: DestinationCause?)] = [
      ("good", "localhost", "ca", nil), ("good", "127.0.0.1", "ca", nil),
      ("good", "::1", "ca", nil),
      ("self-signed", "localhost", "self-signed", nil),
      ("name-only", "localhost", "ca", nil), ("name-only", "127.0.0.1", "ca", .certificateForeign),
      ("expired", "localhost", "ca", .certificateExpired),
      ("future", "localhost", "ca", .certificateNotYetValid),
      ("foreign", "localhost", "ca", .certificateForeign),
      ("self-signed", "localhost", "ca", .certificateUntrusted),
      ("other", "localhost", "ca", .certificateUntrusted),
      // The test's authority is not one of the system's.
      ("good", "localhost", "", .certificateUntrusted),
      ("client", "localhost", "ca", .certificateUnfit),
      ("weak", "localhost", "ca", .certificateUnfit),
      ("long", "localhost", "ca", .certificateUnfit),
    ]
    let rigs = try cases.map { one in
      let front = one.cause == nil ? front : refused
      return try rig(
        front.port(one.name), host: one.host,
        authorities: one.roots.isEmpty ? "" : front.file(one.roots))
    }
    for rig in rigs { rig.destination.start() }
    for (one, rig) in zip(cases, rigs) {
      let title = "\(one)"
      if one.cause == nil {
        #expect(rig.waitForPublishing(), "\(title): \(rig.reported)")
      } else {
        let report = rig.waitForCause()
        #expect(report?.cause == one.cause, "\(title)")
        #expect(report?.target.host == one.host, "\(title)")
      }
    }
    #expect(never.connections == 0)
    for rig in rigs { #expect(rig.stop()) }
  }

  /// A certificate file that is repaired while the destination runs.
  @Test func rootsAreReadAgainAfterARefusal() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    let file = front.file("mine")
    let missing = try rig(front.port("good"), authorities: file)
    missing.destination.start()
    #expect(missing.waitForCause()?.cause == .rootsMissing)
    func staysMissing() {
      let failures = missing.destination.counters.failures
      #expect(Rig.wait { missing.destination.counters.failures > failures + 1 })
      #expect(missing.reported.last?.cause == .rootsMissing)
    }
    try Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    staysMissing()
    // Neither a huge file nor a pipe may block or exhaust the memory.
    #expect(unsafe truncate(file, 1 << 40) == 0)
    staysMissing()
    try FileManager.default.removeItem(atPath: file)
    #expect(unsafe mkfifo(file, 0o600) == 0)
    staysMissing()
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: front.file("other-ca"), toPath: file)
    #expect(Rig.wait { missing.reported.last?.cause == .certificateUntrusted })
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: front.file("ca"), toPath: file)
    #expect(missing.waitForPublishing())
    #expect(missing.stop())
  }

  /// GnuTLS's flags, alone and together with those that follow from them.
  @Test func everyFaultHasACause() {
    func cause(_ flags: gnutls_certificate_status_t...) -> DestinationCause {
      DestinationCause(
        certificateStatus: flags.reduce(GNUTLS_CERT_INVALID.rawValue) { $0 | $1.rawValue })
    }
    #expect(cause(GNUTLS_CERT_REVOKED, GNUTLS_CERT_UNEXPECTED_OWNER) == .certificateRevoked)
    #expect(
      cause(GNUTLS_CERT_NOT_ACTIVATED, GNUTLS_CERT_SIGNER_NOT_FOUND) == .certificateNotYetValid)
    #expect(cause(GNUTLS_CERT_EXPIRED) == .certificateExpired)
    #expect(cause(GNUTLS_CERT_SIGNER_NOT_CA) == .certificateUntrusted)
    #expect(cause(GNUTLS_CERT_UNEXPECTED_OWNER) == .certificateForeign)
    #expect(cause(GNUTLS_CERT_INSECURE_ALGORITHM) == .certificateUnfit)
    #expect(cause() == .certificateUnfit)
  }

  /// Whoever gets hold of a server's key later must not be able to read what was sent with it before.
  @Test func aKeyExchangeWithoutForwardSecrecyIsRefused() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    for (ciphers, isGood) in [("ECDHE-RSA-AES128-GCM-SHA256", true), ("AES128-GCM-SHA256", false)] {
      let front = try TLSFront(
        before: server.port, ["rsa"], versions: "TLSv1.2", ciphers: ciphers)
      defer { front.end() }
      let rig = try rig(front.port("rsa"), authorities: front.file("ca"))
      rig.destination.start()
      if isGood {
        #expect(rig.waitForPublishing(), "\(rig.reported)")
      } else {
        #expect(rig.waitForCause()?.cause == .tlsFailed)
      }
      #expect(rig.stop())
    }
  }

  // MARK: A whole stream

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func everyByteAndTimeArrives(_ version: String) throws {
    let nginx = try Nginx()
    defer { nginx.end() }
    let front = try TLSFront(before: nginx.port, ["good"], versions: version)
    defer { front.end() }
    let rig = try rig(
      front.port("good"), authorities: front.file("ca"), key: "stream",
      clock: VirtualClock(start: .now()).clock)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let pieces = Sample.stream(seconds: 4, from: .now())
    #expect(rig.offer(pieces))
    #expect(rig.stop(goodbye: true))
    #expect(Rig.wait { nginx.log.contains("deleteStream") })
    let recorded = try nginx.recorded("stream")
    let video = recorded.filter { $0.type == 9 }.dropFirst().map(\.body)
    let audio = recorded.filter { $0.type == 8 && $0.body[1] != 0 }.map(\.body)
    #expect(video == pieces.filter { $0.kind != .audio }.map(\.body))
    #expect(audio == pieces.filter { $0.kind == .audio }.map(\.body))
    #expect(rig.destination.counters.failures == 0)
  }

  /// The server sees an orderly end after a good-bye, and a reset otherwise.
  @Test(arguments: [true, false])
  func theEnd(goodbye: Bool) throws {
    let commands = Found<[String]>()
    let server = try FakeServer { peer in
      try peer.accept()
      var said: [String] = []
      while let message = try? peer.message() {
        if message.type == 0x14, let name = AMF0Reader.values(message.body[...]).first?.string {
          said.append(name)
        }
      }
      commands.set(said)
    }
    defer { server.end() }
    let front = try TLSFront(before: server.port, ["good"])
    defer { front.end() }
    let relay = try Relay(before: front.port("good"))
    defer { relay.end() }
    let rig = try rig(relay.port, authorities: front.file("ca"))
    rig.destination.start()
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.bytesSent > 80_000 })
    #expect(rig.stop(goodbye: goodbye))
    #expect(commands.wait() == (goodbye ? ["FCUnpublish", "deleteStream"] : []))
    #expect(Rig.wait { relay.resets == [!goodbye] })
  }
}
