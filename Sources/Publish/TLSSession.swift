// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Glibc

/// TLS from this side of a connection to an RTMPS server: 1.2 or newer, with the server's name in the
/// greeting (SNI, RFC 6066) and its certificate checked before anything else is said.
///
/// librtmp can begin a session by itself, but then checks nothing and names nobody. So it gets one
/// that is already open, and writes by it. It never reads by it: RTMPSockBuf_Fill takes each negative
/// result but -1 for a count of bytes.
@safe final class TLSSession {
  /// What an attempt to go on with the handshake came to.
  enum Step {
    case done
    /// Wait until the server has sent more.
    case wantsInput
    /// In words of GnuTLS, none of them the server's.
    case failed(DestinationCause, said: String)
    /// The server, or something on the way, ended the connection.
    case ended
  }

  /// What an attempt to read came to.
  enum Input {
    case bytes(Int)
    /// Nothing now, or only what TLS itself is concerned with.
    case nothing
    /// In words of GnuTLS, none of them the server's.
    case failed(said: String)
    case ended
  }

  /// The session, for librtmp; it frees it whenever it closes a connection.
  let pointer: gnutls_session_t
  private let transport: UnsafeMutablePointer<onair_tls_transport>
  private let name: UnsafeMutablePointer<CChar>
  private let roots: TLSRoots
  private var isFreed = false
  /// Messages of TLS itself: warnings, tickets, new keys. A sane server sends a few in a day.
  private var interruptions = 0
  private static let mostInterruptions = 1_000

  /// - Parameters:
  ///   - host: the name or address that the server's certificate has to be for.
  ///   - socket: stays the caller's.
  init(host: String, socket: Int32, roots: TLSRoots) throws(PublishEnd) {
    guard let name = unsafe strdup(host) else { preconditionFailure("out of memory") }
    let transport = UnsafeMutablePointer<onair_tls_transport>.allocate(capacity: 1)
    unsafe transport.initialize(to: onair_tls_transport())
    unsafe transport.pointee.socket = socket
    var session: gnutls_session_t?
    var status = unsafe onair_tls_begin(&session, roots.credentials, transport, name)
    // An address is not a name (RFC 6066, section 3).
    if let made = unsafe session, status >= 0, !TLSSession.isAddress(host) {
      status = unsafe gnutls_server_name_set(made, GNUTLS_NAME_DNS, host, host.utf8.count)
      if status < 0 { unsafe gnutls_deinit(made) }
    }
    guard status >= 0, let session = unsafe session else {
      unsafe free(name)
      unsafe transport.deallocate()
      throw .failed(.tlsFailed, said: TLSSession.words(status))
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

  /// Says that librtmp has freed the session.
  func noteFreed() { isFreed = true }

  /// errno of the read or write that broke the connection; 0 while it is whole.
  var failure: Int32 { unsafe transport.pointee.failure }

  /// Goes on with the handshake as far as what has arrived allows. Blocks only to write, and for no
  /// longer than SO_SNDTIMEO.
  func advance() -> Step {
    while true {
      let status = unsafe gnutls_handshake(pointer)
      switch status {
      case GNUTLS_E_SUCCESS: return .done
      case GNUTLS_E_AGAIN: return failure == 0 ? .wantsInput : .ended
      case GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR, GNUTLS_E_CERTIFICATE_ERROR:
        return refusal()
      case GNUTLS_E_NO_CERTIFICATE_FOUND:
        return .failed(.tlsFailed, said: TLSSession.words(status))
      // A warning, say that the server does not know the name: its certificate will tell.
      case _ where gnutls_error_is_fatal(status) == 0:
        guard isPatient() else { return .failed(.serverMisbehaved, said: "") }
      case _ where isNotTLS: return .failed(.notTLS, said: "")
      case GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR, GNUTLS_E_PREMATURE_TERMINATION,
        GNUTLS_E_SESSION_EOF:
        return .ended
      case GNUTLS_E_FATAL_ALERT_RECEIVED: return .failed(.tlsFailed, said: alert)
      default: return .failed(.tlsFailed, said: TLSSession.words(status))
      }
    }
  }

  /// Reads what one record still has, or else the next one, as far as it has arrived. Never blocks.
  @unsafe func read(into space: UnsafeMutableRawPointer, _ room: Int) -> Input {
    let count = unsafe gnutls_record_recv(pointer, space, room)
    if count > 0 { return .bytes(count) }
    let status = Int32(count)
    switch status {
    case 0, GNUTLS_E_PULL_ERROR, GNUTLS_E_PREMATURE_TERMINATION: return .ended
    case GNUTLS_E_AGAIN: return failure == 0 ? .nothing : .ended
    case _ where gnutls_error_is_fatal(status) == 0 && !isPatient():
      return .failed(said: "too many warnings")
    case GNUTLS_E_REHANDSHAKE:
      // TLS 1.2: nothing could change but for the worse.
      _ = unsafe gnutls_alert_send(pointer, GNUTLS_AL_WARNING, GNUTLS_A_NO_RENEGOTIATION)
      return failure == 0 ? .nothing : .ended
    case _ where gnutls_error_is_fatal(status) == 0: return failure == 0 ? .nothing : .ended
    case GNUTLS_E_FATAL_ALERT_RECEIVED: return .failed(said: alert)
    default: return .failed(said: TLSSession.words(status))
    }
  }

  /// The bytes that have come since the last call, those of records that hold nothing among them.
  func takeReceived() -> Int {
    defer { unsafe transport.pointee.received = 0 }
    return unsafe transport.pointee.received
  }

  /// Counts one more interruption.
  private func isPatient() -> Bool {
    interruptions += 1
    return interruptions <= TLSSession.mostInterruptions
  }

  /// Whether there are bytes that poll(2) knows nothing of, since they have been read and decrypted.
  var hasPending: Bool { unsafe gnutls_record_check_pending(pointer) > 0 }

  /// Tells the server that nothing more comes (close_notify). Blocks for no longer than SO_SNDTIMEO.
  func endSending() { _ = unsafe gnutls_bye(pointer, GNUTLS_SHUT_WR) }

  /// Whether the first bytes were none of a TLS record (RFC 8446, section 5.1): an alert or a part of
  /// the handshake, of version 3.something.
  private var isNotTLS: Bool {
    let (first, count) = unsafe (transport.pointee.first, transport.pointee.first_count)
    return (count >= 1 && first.0 != 0x15 && first.0 != 0x16) || (count >= 2 && first.1 != 3)
  }

  private var alert: String {
    guard let name = unsafe gnutls_alert_get_name(gnutls_alert_get(pointer)) else { return "" }
    return unsafe String(cString: name)
  }

  /// Why the server's certificate was refused.
  private func refusal() -> Step {
    let status = unsafe gnutls_session_get_verify_cert_status(pointer)
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

  /// What GnuTLS calls one of its errors.
  static func words(_ status: Int32) -> String {
    guard let words = unsafe gnutls_strerror(status) else { return "" }
    return unsafe String(cString: words)
  }

  private static func isAddress(_ host: String) -> Bool {
    var space = in6_addr()
    return unsafe inet_pton(AF_INET, host, &space) == 1 || inet_pton(AF_INET6, host, &space) == 1
  }
}

extension DestinationCause {
  /// - Parameter status: of GnuTLS, with at least one bit set. Of several faults the one that the
  ///   others may follow from: with a clock that is wrong nothing is in force.
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
