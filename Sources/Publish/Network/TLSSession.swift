// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Glibc
internal import Posix

/// The client side of TLS 1.2 or newer: with SNI (RFC 6066), and with the server's certificate verified before
/// anything is sent.
///
/// librtmp can open a TLS session by itself, but then it verifies nothing and sends no SNI. So librtmp is given an open
/// session, through which it writes. librtmp never reads through the session: its RTMPSockBuf_Fill treats every
/// negative result but -1 as a number of bytes.
@safe final class TLSSession {
  /// The result of a step of the handshake.
  enum Step {
    case done
    /// The handshake needs more bytes from the server.
    case wantsInput
    /// The handshake has failed.
    /// - said: GnuTLS's text; it contains nothing that the server sent.
    case failed(DestinationCause, said: String)
    /// The server, or a device on the path, ended the connection.
    case ended
  }

  /// The result of a read.
  enum Input {
    case bytes(Int)
    /// No payload has arrived: nothing at all, or only TLS messages such as session tickets.
    case nothing
    /// The session has failed.
    /// - said: GnuTLS's text; it contains nothing that the server sent.
    case failed(said: String)
    case ended
  }

  /// GnuTLS's session, which is passed to librtmp. librtmp frees the session when it closes the connection.
  let pointer: gnutls_session_t
  /// The socket and the state of its input, for the functions through which GnuTLS reads and writes.
  private let transport: UnsafeMutablePointer<onair_tls_transport>
  /// The name that the server's certificate has to be valid for, as a C string that GnuTLS reads.
  private let name: UnsafeMutablePointer<CChar>
  /// The certificate authorities, kept alive for as long as GnuTLS uses them.
  private let roots: TLSRoots
  /// Whether librtmp has freed the session, so that `pointer` is not valid any more.
  private var isFreed = false
  /// The number of TLS messages without payload that were received: warnings, session tickets, key updates. A sane
  /// server sends a few in a day.
  private var controlMessages = 0
  /// The most TLS messages without payload that are accepted on one connection.
  private static let maxControlMessages = 1_000

  /// - Parameters:
  ///   - host: the name or address that the server's certificate has to be valid for.
  ///   - socket: the connection's descriptor, which the caller still has to close.
  init(host: String, socket: Int32, roots: TLSRoots) throws(PublishError) {
    guard let name = unsafe strdup(host) else { preconditionFailure("out of memory") }
    let transport = UnsafeMutablePointer<onair_tls_transport>.allocate(capacity: 1)
    unsafe transport.initialize(to: onair_tls_transport())
    unsafe transport.pointee.socket = socket
    var session: gnutls_session_t?
    var status = unsafe onair_tls_begin(&session, roots.credentials, transport, name)
    // IP addresses are not allowed in SNI (RFC 6066, section 3).
    if let created = unsafe session, status >= 0, IPAddress.bytes(host) == nil {
      status = unsafe gnutls_server_name_set(created, GNUTLS_NAME_DNS, host, host.utf8.count)
      if status < 0 { unsafe gnutls_deinit(created) }
    }
    guard status >= 0, let session = unsafe session else {
      unsafe free(name)
      unsafe transport.deallocate()
      throw .failed(.tlsFailed, said: TLSSession.errorText(status))
    }
    unsafe self.pointer = unsafe session
    unsafe self.transport = unsafe transport
    unsafe self.name = unsafe name
    self.roots = roots
  }

  deinit {
    if !isFreed { unsafe gnutls_deinit(pointer) }
    unsafe transport.deallocate()
    unsafe free(name)
  }

  /// To be called when librtmp has freed the session.
  func noteFreed() { isFreed = true }

  /// The errno of the read or write that broke the connection; 0 while the connection works.
  var failure: Int32 { unsafe transport.pointee.failure }

  /// Continues the handshake with the bytes that have arrived. Blocks only while it writes, for SO_SNDTIMEO at most.
  func advance() -> Step {
    while true {
      let status = unsafe gnutls_handshake(pointer)
      switch status {
      case GNUTLS_E_SUCCESS: return .done
      case GNUTLS_E_AGAIN: return failure == 0 ? .wantsInput : .ended
      case GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR, GNUTLS_E_CERTIFICATE_ERROR:
        return refusal(status)
      case GNUTLS_E_NO_CERTIFICATE_FOUND:
        return .failed(.tlsFailed, said: TLSSession.errorText(status))
      // The server has sent a warning, for example that it does not know the name. A warning does not end the
      // handshake.
      case _ where gnutls_error_is_fatal(status) == 0:
        guard countControlMessage() else { return .failed(.serverMisbehaved, said: "") }
      case _ where isNotTLS: return .failed(.notTLS, said: "")
      case GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR, GNUTLS_E_PREMATURE_TERMINATION,
        GNUTLS_E_SESSION_EOF:
        return .ended
      case GNUTLS_E_FATAL_ALERT_RECEIVED: return .failed(.tlsFailed, said: alert)
      default: return .failed(.tlsFailed, said: TLSSession.errorText(status))
      }
    }
  }

  /// Reads up to `room` bytes of the current record, or of the next record if that has arrived. Never blocks.
  @unsafe func read(into space: UnsafeMutableRawPointer, _ room: Int) -> Input {
    let count = unsafe gnutls_record_recv(pointer, space, room)
    if count > 0 { return .bytes(count) }
    let status = Int32(count)
    switch status {
    case 0, GNUTLS_E_PULL_ERROR, GNUTLS_E_PREMATURE_TERMINATION: return .ended
    case GNUTLS_E_AGAIN: return failure == 0 ? .nothing : .ended
    case _ where gnutls_error_is_fatal(status) == 0 && !countControlMessage():
      return .failed(said: "too many warnings")
    case GNUTLS_E_REHANDSHAKE:
      // TLS 1.2: refuse to renegotiate.
      _ = unsafe gnutls_alert_send(pointer, GNUTLS_AL_WARNING, GNUTLS_A_NO_RENEGOTIATION)
      return failure == 0 ? .nothing : .ended
    case _ where gnutls_error_is_fatal(status) == 0: return failure == 0 ? .nothing : .ended
    case GNUTLS_E_FATAL_ALERT_RECEIVED: return .failed(said: alert)
    default: return .failed(said: TLSSession.errorText(status))
    }
  }

  /// The number of bytes received from the socket since the last call, including those of records without payload.
  func takeReceived() -> Int {
    defer { unsafe transport.pointee.received = 0 }
    return unsafe transport.pointee.received
  }

  /// Counts a TLS message without payload: a warning, a session ticket or a key update.
  /// - Returns: `false` if there were too many.
  private func countControlMessage() -> Bool {
    controlMessages += 1
    return controlMessages <= TLSSession.maxControlMessages
  }

  /// Whether there are decrypted bytes to read, which poll(2) does not see.
  var hasPending: Bool { unsafe gnutls_record_check_pending(pointer) > 0 }

  /// Closes the sending direction (close_notify). Blocks for SO_SNDTIMEO at most.
  func endSending() { _ = unsafe gnutls_bye(pointer, GNUTLS_SHUT_WR) }

  /// Whether the server's first bytes cannot be the beginning of a TLS record with an alert or a handshake message of
  /// version 3.x (RFC 8446, section 5.1).
  private var isNotTLS: Bool {
    let (first, count) = unsafe (transport.pointee.first, transport.pointee.first_count)
    return (count >= 1 && first.0 != 0x15 && first.0 != 0x16) || (count >= 2 && first.1 != 3)
  }

  /// GnuTLS's name for the alert that the server has sent; "" if there is no name.
  private var alert: String {
    guard let name = unsafe gnutls_alert_get_name(gnutls_alert_get(pointer)) else { return "" }
    return unsafe String(cString: name)
  }

  /// The result of the handshake when the server's certificate was rejected.
  /// - Parameter fault: GnuTLS's error number from the handshake.
  private func refusal(_ fault: Int32) -> Step {
    let status = unsafe gnutls_session_get_verify_cert_status(pointer)
    // GnuTLS has not checked the certificate, for example because its chain is too long.
    if status == .max { return .failed(.certificateUnfit, said: TLSSession.errorText(fault)) }
    var text = unsafe gnutls_datum_t()
    var said = ""
    if unsafe gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) >= 0,
      let data = unsafe text.data
    {
      said = unsafe String(cString: data)
      unsafe free(data)
    }
    let cause = DestinationCause(certificateStatus: status)
    return .failed(cause, said: cause == .certificateUnfit ? said : "")
  }

  /// GnuTLS's text for one of its errors.
  static func errorText(_ status: Int32) -> String {
    guard let text = unsafe gnutls_strerror(status) else { return "" }
    return unsafe String(cString: text)
  }
}

extension DestinationCause {
  /// The cause for the failed verification of a certificate.
  /// - Parameter status: GnuTLS's verification status, with at least one bit set. Of several faults the one that may
  ///   have caused the others is chosen: with a wrong clock every certificate is out of date.
  init(certificateStatus status: UInt32) {
    func has(_ flag: gnutls_certificate_status_t) -> Bool { status & flag.rawValue != 0 }
    self =
      if has(GNUTLS_CERT_REVOKED) {
        .certificateRevoked
      } else if has(GNUTLS_CERT_NOT_ACTIVATED) {
        .certificateNotYetValid
      } else if has(GNUTLS_CERT_EXPIRED) {
        .certificateExpired
      } else if has(GNUTLS_CERT_SIGNER_NOT_FOUND) || has(GNUTLS_CERT_SIGNER_NOT_CA) {
        .certificateUntrusted
      } else if has(GNUTLS_CERT_UNEXPECTED_OWNER) {
        .certificateForeign
      } else {
        .certificateUnfit
      }
  }
}
