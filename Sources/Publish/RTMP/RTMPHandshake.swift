// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGnuTLS
internal import CRTMP
internal import Glibc
internal import Mux

// The steps between the TCP connection and the "connect" command: the TLS handshake for rtmps://, then RTMP's own
// handshake.
//
// librtmp could do this (RTMP_Connect1). But librtmp blocks while it reads, hides the bytes that it has read, and
// treats a TLS record without payload, such as a session ticket, as the end of the connection.
extension RTMPSession {
  /// Makes the TLS handshake, if the target's transport is TLS.
  func secure() throws(PublishError) {
    guard case .tls(let file) = target.transport else { return }
    let deadline = clock.now + deadlines.tls
    control.arm(.tls, until: deadline)
    let tls = try TLSSession(host: target.host, socket: descriptor, roots: try .load(file))
    self.tls = tls
    // From now on librtmp writes through this session. When librtmp frees the session, it sets `sb_ssl` to nil.
    unsafe rtmp.pointee.m_sb.sb_ssl = unsafe UnsafeMutableRawPointer(tls.pointer)
    while true {
      switch tls.advance() {
      case .done: return
      case .ended: throw failure(.tls)
      case .failed(let cause, let said):
        if control.expired != nil || stopping() { throw failure(.tls) }
        // The next attempt loads the authorities' file anew. For any other cause that would not help.
        if cause == .certificateUntrusted { TLSRoots.forget(file) }
        throw .failed(cause, said: said)
      case .wantsInput: try waitForInput(.tls, until: deadline)
      }
    }
  }

  /// Makes RTMP's handshake (RTMP specification 1.0, section 5.2), then sends "connect" (7.2.1.1).
  func handshake() throws(PublishError) {
    let deadline = clock.now + deadlines.handshake
    control.arm(.handshake, until: deadline)
    // C0 is the version; C1 is a time of 0, four zeros and random bytes.
    var hello = [UInt8](repeating: 0, count: 1 + RTMPSession.blockBytes)
    hello[0] = RTMPSession.version
    for index in 9..<hello.count { hello[index] = .random(in: 0...255) }
    try writeRaw(hello)
    // Read S0 and S1. S1 is sent back as C2.
    let answer = try read(hello.count, until: deadline) { start in
      if start[0] == RTMPSession.version { return nil }
      // A TLS alert: the server expects TLS.
      return start.count > 1 && start[0] == 0x15 && start[1] == 3 ? .tlsExpected : .handshakeFailed
    }
    try writeRaw(Array(answer.dropFirst()))
    // S2 should be a copy of C1, but not every server sends one.
    _ = try read(RTMPSession.blockBytes, until: deadline) { _ in nil }

    let properties: [AMF0.Property] = [
      .init("app", .string(target.sentApp)),
      .init("type", .string("nonprivate")),
      // Some services accept only encoders whose name begins like that of Adobe's own.
      .init("flashVer", .string("FMLE/3.0 (compatible; OnAir)")),
      .init("tcUrl", .string(target.sentURL)),
    ]
    try command("connect", [.object(properties)])
  }

  /// The version of RTMP, in C0 and S0.
  private static let version: UInt8 = 3
  /// Bytes of each of C1, C2, S1 and S2.
  private static let blockBytes = 1_536

  /// Writes bytes of the handshake, which have no chunk header. Throws unless all are written.
  private func writeRaw(_ bytes: [UInt8]) throws(PublishError) {
    errno = 0  // see `write`
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe RTMPSockBuf_Send(
        &rtmp.pointee.m_sb, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count))
    }
    guard sent != bytes.count else { return }
    throw failure(.handshake, errno)
  }

  /// Waits for `count` bytes of input and consumes them.
  /// - Parameter objection: called with the bytes that have arrived so far, at least one. Returns what is wrong with
  ///   them; `nil` if nothing is.
  private func read(
    _ count: Int, until deadline: MediaTime, objection: ([UInt8]) -> DestinationCause?
  ) throws(PublishError) -> [UInt8] {
    while true {
      let size = unsafe Int(rtmp.pointee.m_sb.sb_size)
      if size > 0, let start = unsafe rtmp.pointee.m_sb.sb_start {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: min(size, count)))
        if let cause = objection(bytes) { throw .failed(cause) }
        if size >= count {
          unsafe rtmp.pointee.m_sb.sb_start = unsafe start + count
          unsafe rtmp.pointee.m_sb.sb_size -= Int32(count)
          unsafe rtmp.pointee.m_nBytesIn += Int32(count)
          return bytes
        }
      }
      if try fill(.handshake) { continue }
      try waitForInput(.handshake, until: deadline)
    }
  }

  /// Waits until the socket is readable or closed by the server. Throws at `deadline`, and when the program stops.
  func waitForInput(_ step: RTMPStep, until deadline: MediaTime) throws(PublishError) {
    while true {
      let events = worker.wait(
        until: deadline, for: descriptor, events: [.readable, .peerClosed])
      if stopping() { throw .stopped }
      if !events.isEmpty { return }
      if clock.now >= deadline { throw .failed(.timedOut(step)) }
    }
  }
}
