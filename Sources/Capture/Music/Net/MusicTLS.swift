// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGnuTLS
internal import Glibc
internal import Posix
internal import Synchronization

/// The client side of TLS for music from https addresses. The server's certificate is verified against the system's
/// authorities before anything is sent. Used by one thread.
@safe final class MusicTLS {
  enum Input {
    case bytes(Int)
    case nothing
    case ended
  }

  /// The certificate authorities, which take 4 MB and 20 ms to load: once for all stations.
  @safe private struct Roots: @unchecked Sendable {
    let credentials: gnutls_certificate_credentials_t
  }
  private static let roots = Mutex<[String: Roots]>([:])

  private let session: gnutls_session_t
  private let transport: UnsafeMutablePointer<onair_tls_transport>
  private let name: UnsafeMutablePointer<CChar>

  /// Prepares the session of a connection; `shakeHands` begins it.
  /// - Parameters:
  ///   - socket: the descriptor of the connection, which the caller closes.
  ///   - rootsFile: a PEM file with authorities; "" for the system's.
  init(_ address: MusicAddress, socket: Int32, rootsFile: String = "") throws(MusicTrouble) {
    guard let roots = MusicTLS.load(rootsFile) else {
      throw .certificate(of: "\(address)", said: "the box has no list of authorities")
    }
    guard let name = unsafe strdup(address.host) else { preconditionFailure("out of memory") }
    let transport = UnsafeMutablePointer<onair_tls_transport>.allocate(capacity: 1)
    unsafe transport.initialize(to: onair_tls_transport())
    unsafe transport.pointee.socket = socket
    var session: gnutls_session_t?
    var status = unsafe onair_tls_begin(&session, roots.credentials, transport, name)
    // Literal addresses are not allowed in SNI (RFC 6066, section 3).
    if let made = unsafe session, status >= 0, IPAddress.bytes(address.host) == nil {
      status = unsafe gnutls_server_name_set(
        made, GNUTLS_NAME_DNS, address.host, address.host.utf8.count)
      if status < 0 { unsafe gnutls_deinit(made) }
    }
    guard status >= 0, let session = unsafe session else {
      unsafe free(name)
      unsafe transport.deallocate()
      throw .noConnection(of: "\(address)")
    }
    unsafe self.session = unsafe session
    unsafe self.transport = unsafe transport
    unsafe self.name = unsafe name
  }

  deinit {
    unsafe gnutls_deinit(session)
    unsafe transport.deallocate()
    unsafe free(name)
  }

  private static func load(_ file: String) -> Roots? {
    roots.withLock { loaded in
      if let roots = loaded[file] { return roots }
      var count: Int32 = 0
      let pem = file.isEmpty ? nil : try? File.read(file, limit: 1 << 20).bytes
      guard file.isEmpty || pem != nil,
        let credentials = unsafe onair_tls_roots(pem, pem?.count ?? 0, &count)
      else { return nil }
      let roots = unsafe Roots(credentials: credentials)
      loaded[file] = roots
      return roots
    }
  }

  /// Does the handshake, and verifies the certificate.
  func shakeHands(
    _ address: MusicAddress, _ worker: Worker, by deadline: MediaTime, seconds: Int
  ) throws(MusicTrouble) {
    while true {
      let status = unsafe gnutls_handshake(session)
      if status == GNUTLS_E_SUCCESS { return }
      if status == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR || status == GNUTLS_E_CERTIFICATE_ERROR {
        throw .certificate(of: "\(address)", said: certificateFault)
      }
      let isWaiting = unsafe status == GNUTLS_E_AGAIN && transport.pointee.failure == 0
      guard isWaiting || gnutls_error_is_fatal(status) == 0 else {
        throw .noConnection(of: "\(address)")
      }
      guard worker.clock.now < deadline else {
        throw .timedOut(of: "\(address)", seconds: seconds)
      }
      if isWaiting { worker.wait(until: deadline, for: unsafe transport.pointee.socket) }
      if worker.isStopping { throw .interrupted }
    }
  }

  private var certificateFault: String {
    let status = unsafe gnutls_session_get_verify_cert_status(session)
    var text = unsafe gnutls_datum_t()
    guard status != .max,
      unsafe gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) >= 0,
      let data = unsafe text.data
    else { return "" }
    defer { unsafe free(data) }
    let said = unsafe String(cString: data).onOneLine
    return said.last == " " ? String(said.dropLast()) : said
  }

  /// Reads bytes that have arrived. Never blocks.
  @unsafe func read(into space: UnsafeMutableRawPointer, _ room: Int) -> Input {
    let count = unsafe gnutls_record_recv(session, space, room)
    if count > 0 { return .bytes(count) }
    guard count < 0, gnutls_error_is_fatal(Int32(count)) == 0,
      unsafe transport.pointee.failure == 0
    else { return .ended }
    return .nothing
  }

  /// Whether there are decrypted bytes to read, which poll(2) does not see.
  var hasPending: Bool { unsafe gnutls_record_check_pending(session) > 0 }

  /// - Returns: `false` if the connection has failed.
  func write(_ bytes: [UInt8]) -> Bool {
    unsafe gnutls_record_send(session, bytes, bytes.count) == bytes.count
  }
}
