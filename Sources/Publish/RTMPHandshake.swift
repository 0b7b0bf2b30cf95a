// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import CRTMP
internal import Glibc
internal import Media

// From a TCP connection to the "connect" command: TLS where it is wanted, then RTMP's own handshake.
//
// librtmp could do it (RTMP_Connect1). But it blocks while it reads, keeps to itself what it read,
// and takes a TLS record without data, a session ticket say, for the end of the connection.
extension RTMPSession {
  /// The TLS handshake, if the target wants TLS.
  func secure() throws(PublishEnd) {
    guard case .tls(let file) = target.transport else { return }
    let deadline = MediaTime.now() + deadlines.tls
    control.arm(.tls, until: deadline)
    let tls = try TLSSession(host: target.host, socket: descriptor, roots: try .load(file))
    self.tls = tls
    // librtmp will write by it, and whoever finds it gone there knows that librtmp has freed it.
    unsafe rtmp.pointee.m_sb.sb_ssl = unsafe UnsafeMutableRawPointer(tls.pointer)
    while true {
      switch tls.advance() {
      case .done: return
      case .ended: throw failure(.tls)
      case .failed(let cause, let said):
        if control.expired != nil || stopping() { throw failure(.tls) }
        // The one fault that other roots may mend.
        if cause == .certificateUntrusted { TLSRoots.forget(file) }
        throw .failed(cause, said: said)
      case .wantsInput: try waitForInput(.tls, until: deadline)
      }
    }
  }

  /// RTMP's handshake (RTMP specification 1.0, section 5.2), then "connect" (7.2.1.1).
  func greet() throws(PublishEnd) {
    let deadline = MediaTime.now() + deadlines.handshake
    control.arm(.handshake, until: deadline)
    // C0, the version, and C1: a time of 0, four zeros, noise.
    var hello = [UInt8](repeating: 0, count: 1 + RTMPSession.helloBytes)
    hello[0] = RTMPSession.version
    for index in 9..<hello.count { hello[index] = .random(in: 0...255) }
    try writeRaw(hello)
    // S0 and S1; S1 goes back as C2.
    let answer = try read(hello.count, until: deadline) { start in
      if start[0] == RTMPSession.version { return nil }
      // An alert of TLS: it did not like our greeting either.
      return start.count > 1 && start[0] == 0x15 && start[1] == 3 ? .tlsExpected : .handshakeFailed
    }
    try writeRaw(Array(answer.dropFirst()))
    // S2, our C1; librtmp never minded what was in it, and not all servers keep to it.
    _ = try read(RTMPSession.helloBytes, until: deadline) { _ in nil }

    unsafe rtmp.pointee.m_numInvokes = 1
    let properties: [AMF0.Property] = [
      .init("app", .string(target.app)),
      .init("type", .string("nonprivate")),
      // Some services only take encoders that begin like Adobe's own.
      .init("flashVer", .string("FMLE/3.0 (compatible; OnAir)")),
      .init("tcUrl", .string(target.tcURL)),
    ]
    // librtmp keeps in mind what it was, so that it knows the answer.
    try write(
      type: RTMP_PACKET_TYPE_INVOKE, channel: Channel.command,
      AMF0.encode([.string("connect"), .number(1), .object(properties)]), expectsAnswer: true)
  }

  private static let version: UInt8 = 3
  /// Bytes of C1, C2, S1 and S2.
  private static let helloBytes = 1_536

  private func writeRaw(_ bytes: [UInt8]) throws(PublishEnd) {
    errno = 0  // see `write`
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe RTMPSockBuf_Send(
        &rtmp.pointee.m_sb, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count))
    }
    guard sent != bytes.count else { return }
    throw failure(.handshake, errno)
  }

  /// Takes so many bytes from the input, once they are there.
  /// - Parameter objection: to what there is so far, at least one byte.
  private func read(
    _ count: Int, until deadline: MediaTime, objection: ([UInt8]) -> DestinationCause?
  ) throws(PublishEnd) -> [UInt8] {
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

  /// Waits until the socket has something.
  func waitForInput(_ step: RTMPStep, until deadline: MediaTime) throws(PublishEnd) {
    while true {
      let events = wakeup.wait(until: deadline, socket: descriptor, for: [.readable, .ended])
      if stopping() { throw .stopped }
      if !events.isEmpty { return }
      if MediaTime.now() >= deadline { throw .failed(.timedOut(step)) }
    }
  }
}
