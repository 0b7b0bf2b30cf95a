// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CGnuTLS
import Foundation
import TestSupport
import Testing

@testable import Capture

/// Music from https addresses, with good and bad certificates.
@Suite(.serialized) struct MusicTLSTests {
  private static let rules = AddressRules(
    own: { [] }, verdict: { $0 == [127, 0, 0, 1] ? .global : nil })

  /// The certificates of Tests/certificates.
  private struct Certificates {
    let folder: String

    init() throws {
      folder = stateDirectory()
      let maker = Process()
      maker.executableURL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("certificates")
      maker.arguments = [folder]
      try maker.run()
      maker.waitUntilExit()
      try #require(maker.terminationStatus == 0, "apt-get install gnutls-bin")
    }

    /// The path of a certificate; that of its key ends in "key" instead of "pem".
    func file(_ name: String) -> String { "\(folder)/\(name).pem" }

    /// A server with this certificate, and a song of a second.
    func server(_ name: String) throws -> MusicServer {
      let (certificate, key) = (file(name), "\(folder)/\(name).key")
      let song = TestSound.file(seconds: 1)
      return try MusicServer(
        host: "127.0.0.1",
        wire: { socket in
          guard let session = TLSSession(socket, certificate: certificate, key: key) else {
            return nil
          }
          return MusicServer.Wire(send: session.send, receive: session.receive)
        }, { $0.answer(song) })
    }
  }

  private func bench(roots: String) -> MusicBench {
    MusicBench(MusicNet(rules: MusicTLSTests.rules, rootsFile: roots), isOnNetwork: true)
  }

  /// A certificate has to be good before anything is asked of the server. What is wrong with it is told.
  @Test func certificatesAreVerified() throws {
    let certificates = try Certificates()
    for (name, host, roots, fault) in [
      ("good", "localhost", "ca", nil), ("good", "127.0.0.1", "ca", nil),
      ("name-only", "localhost", "ca", nil), ("self-signed", "localhost", "self-signed", nil),
      ("name-only", "127.0.0.1", "ca", "name"), ("foreign", "localhost", "ca", "name"),
      ("expired", "localhost", "ca", "expired"), ("future", "localhost", "ca", "not yet"),
      ("other", "localhost", "ca", "trusted"), ("self-signed", "localhost", "ca", "trusted"),
      ("client", "localhost", "ca", "purpose"), ("weak", "localhost", "ca", ""),
      // The test's authority is not one of the system's.
      ("good", "localhost", "", ""),
    ] as [(String, String, String, String?)] {
      let server = try certificates.server(name)
      defer { server.stop() }
      let bench = bench(roots: roots.isEmpty ? "" : certificates.file(roots))
      bench.open()
      bench.play(.address(try #require(MusicAddress("https://\(host):\(server.port)/song.wav"))))
      bench.run(seconds: 30) {
        bench.reports.contains { if case .started = $0 { false } else { true } }
      }
      let title = "\(name) \(host) \(roots): \(bench.reports)"
      guard let fault else {
        #expect(bench.reports.last == .completed(name: "it"), "\(title)")
        #expect(server.connections("/song.wav") == 1 && bench.soundSeconds > 0.8, "\(title)")
        continue
      }
      guard case .interrupted(let trouble)? = bench.reports.first,
        case .certificate(_, let said) = trouble
      else {
        #expect(Bool(false), "\(title)")
        continue
      }
      #expect(said.contains(fault) || fault.isEmpty, "\(title)")
      #expect(trouble.sentence.contains("The certificate of https://\(host)"), "\(title)")
      #expect(server.connections("/song.wav") == 0 && bench.soundSeconds == 0, "\(title)")
    }
  }

  /// Servers that do not speak TLS at all: one that is silent, and one of plain HTTP.
  @Test func aServerWithoutTLSIsTold() throws {
    let answer = "HTTP/1.1 400 Bad Request\r\n\r\n"
    let plain = try MusicServer(
      host: "127.0.0.1",
      wire: { socket in
        _ = MusicServer.Wire.plain(socket)?.send(Array(answer.utf8)[...])
        return nil
      }, { _ in })
    defer { plain.stop() }
    let silent = try MusicServer(host: "127.0.0.1") { $0.hold() }
    defer { silent.stop() }
    for (server, code) in [(plain, "no_connection"), (silent, "timed_out")] {
      let bench = bench(roots: "")
      bench.open()
      bench.play(.address(try #require(MusicAddress("https://127.0.0.1:\(server.port)/"))))
      bench.run(seconds: 30) { !bench.reports.isEmpty }
      guard case .interrupted(let trouble)? = bench.reports.first else {
        #expect(Bool(false), "\(code): \(bench.reports)")
        continue
      }
      #expect(trouble.code == code)
    }
  }
}

/// The server's side of TLS on a socket.
@safe private final class TLSSession: @unchecked Sendable {
  private let session: gnutls_session_t
  private let credentials: gnutls_certificate_credentials_t

  /// Does the handshake.
  /// - Returns: `nil` if the client refuses.
  init?(_ socket: Int32, certificate: String, key: String) {
    var credentials: gnutls_certificate_credentials_t?
    var session: gnutls_session_t?
    unsafe gnutls_certificate_allocate_credentials(&credentials)
    unsafe gnutls_certificate_set_x509_key_file(credentials, certificate, key, GNUTLS_X509_FMT_PEM)
    unsafe gnutls_init(&session, UInt32(GNUTLS_SERVER.rawValue | GNUTLS_NO_SIGNAL.rawValue))
    guard let session = unsafe session, let credentials = unsafe credentials else { return nil }
    unsafe gnutls_set_default_priority(session)
    unsafe gnutls_credentials_set(
      session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    unsafe gnutls_transport_set_int2(session, socket, socket)
    unsafe self.session = unsafe session
    unsafe self.credentials = unsafe credentials
    var status: Int32
    repeat {
      status = unsafe gnutls_handshake(session)
    } while status < 0 && gnutls_error_is_fatal(status) == 0
    guard status >= 0 else { return nil }
  }

  deinit {
    unsafe gnutls_deinit(session)
    unsafe gnutls_certificate_free_credentials(credentials)
  }

  func send(_ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes {
      unsafe gnutls_record_send(session, $0.baseAddress, $0.count)
    }
  }

  func receive() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe gnutls_record_recv(session, &byte, 1) == 1 ? byte : nil
  }
}
