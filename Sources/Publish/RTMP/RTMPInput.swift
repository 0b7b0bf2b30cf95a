// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
// The compiler may find MSG_DONTWAIT in CPosix instead of Glibc: both modules include <sys/socket.h>.
internal import CPosix
internal import CRTMP
internal import Glibc
internal import Mux

// Reads the server's messages, acknowledges their bytes, and asks the server to acknowledge the bytes of the stream.
extension RTMPSession {
  /// Reads and handles the messages that have arrived. To be called when the socket is readable.
  func handleInput() throws(PublishError) {
    control.arm(.send, until: clock.now + deadlines.send)
    repeat {
      try fill(.send)
      while let message = try nextMessage(.send) { try handle(message, .send) }
      // GnuTLS may still hold decrypted bytes of a record.
    } while tls?.hasPending == true
    control.disarm()
  }

  /// Updates `meter`, and asks the server for another acknowledgement window when the rate has changed.
  func measure() throws(PublishError) {
    let now = clock.now
    meter.look(descriptor, now: now)
    guard let bytes = window.follow(sent: meter.sentBytes, now: now) else { return }
    control.arm(.send, until: now + deadlines.send)
    try askForAcknowledgements(every: bytes)
    control.disarm()
  }

  /// Asks the server to acknowledge each time it has received this many bytes.
  func askForAcknowledgements(every bytes: UInt32) throws(PublishError) {
    try write(
      type: RTMP_PACKET_TYPE_SERVER_BW, channel: Channel.control, AMF0.bigEndian(bytes))
  }

  /// Reads once from the socket, or the TLS session, into librtmp's buffer. Never blocks.
  /// - Returns: whether anything was read.
  @discardableResult func fill(_ step: RTMPStep) throws(PublishError) -> Bool {
    var room = 0
    guard descriptor >= 0, let space = unsafe onair_rtmp_input_space(rtmp, &room) else {
      throw failure(step)
    }
    // A full buffer contains at least one complete chunk, since `gate` rejects messages longer than the buffer.
    guard room > 0 else { return false }
    let count: Int
    if let tls {
      let input = unsafe tls.read(into: space, room)
      try charge(tls.takeReceived())
      switch input {
      case .bytes(let some): count = some
      case .nothing: return false
      case .ended: throw failure(step)
      case .failed(let said):
        if control.expired != nil || stopping() { throw failure(step) }
        throw .failed(.tlsFailed, said: said)
      }
    } else {
      count = unsafe recv(descriptor, space, room, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { return false }
      if count <= 0 { throw failure(step, count < 0 ? errno : 0) }
      try charge(count)
    }
    unsafe rtmp.pointee.m_sb.sb_size += Int32(count)
    return true
  }

  /// Subtracts received bytes from the budget. Throws `serverMisbehaved` if the server has sent too many.
  private func charge(_ bytes: Int) throws(PublishError) {
    guard budget.spend(bytes: bytes, now: clock.now) else { throw .failed(.serverMisbehaved) }
  }

  /// Removes the next complete message from the buffer; `nil` if there is none. Never blocks.
  func nextMessage(_ step: RTMPStep) throws(PublishError) -> ServerMessage? {
    while true {
      let size = unsafe Int(rtmp.pointee.m_sb.sb_size)
      guard size > 0, let start = unsafe rtmp.pointee.m_sb.sb_start else { return nil }
      let verdict = unsafe UnsafeRawBufferPointer(start: start, count: size)
        .withMemoryRebound(to: UInt8.self) { bytes in
          unsafe gate.check(bytes.span, chunkSize: Int(rtmp.pointee.m_inChunkSize))
        }
      switch verdict {
      case .incomplete: return nil
      case .rejected: throw .failed(.serverMisbehaved)
      case .complete: break
      }
      var packet = unsafe RTMPPacket()
      guard unsafe RTMP_ReadPacket(rtmp, &packet) != 0 else { throw failure(step) }
      // The message is still incomplete: librtmp keeps the part that it has read.
      guard unsafe packet.m_nBytesRead == packet.m_nBodySize else { continue }
      defer { unsafe RTMPPacket_Free(&packet) }
      guard budget.spendMessage() else { throw .failed(.serverMisbehaved) }
      try acknowledge()
      let body = unsafe Array(
        UnsafeRawBufferPointer(start: packet.m_body, count: Int(packet.m_nBodySize)))
      return unsafe ServerMessage(type: packet.m_packetType, body: body)
    }
  }

  /// Acknowledges the received bytes once they exceed a tenth of the server's acknowledgement window (RTMP
  /// specification 1.0, section 5.4.3).
  ///
  /// librtmp could acknowledge by itself (`m_bSendCounter`), but it would do so in the middle of reading a chunk: if
  /// sending fails there, librtmp closes the connection and leaks the message that it has just allocated.
  private func acknowledge() throws(PublishError) {
    let received = unsafe rtmp.pointee.m_nBytesIn
    guard unsafe received &- rtmp.pointee.m_nBytesInSent > rtmp.pointee.m_nClientBW / 10 else {
      return
    }
    try write(
      type: RTMP_PACKET_TYPE_BYTES_READ_REPORT, channel: Channel.control,
      AMF0.bigEndian(UInt32(bitPattern: received)))
    unsafe rtmp.pointee.m_nBytesInSent = received
  }
}
