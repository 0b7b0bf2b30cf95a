// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CRTMP

// The orderly end of a broadcast.
extension RTMPSession {
  /// Tells the server that the broadcast is over, and waits until the server has closed the connection, but not beyond
  /// `deadline`.
  func sayGoodbye(by deadline: MediaTime) {
    guard stage == .live, descriptor >= 0 else { return }
    control.limitSends(to: max(.milliseconds(1), deadline - clock.now))
    control.arm(.goodbye, until: deadline)
    do throws(PublishError) {
      try command("FCUnpublish", [.null, .string(target.streamKey)])
      try command("deleteStream", [.null, .number(Double(streamID))])
      try awaitUnpublish(until: min(deadline, clock.now + deadlines.farewell))
      tls?.endSending()
      control.endSending()
      // close(2) with unread input sends a RST, which would overtake the bytes in flight. So read to the end.
      while descriptor >= 0, clock.now < deadline {
        let events = worker.wait(until: deadline, for: descriptor)
        if !events.isEmpty { try fill(.goodbye) }
        unsafe rtmp.pointee.m_sb.sb_size = 0
      }
    } catch {
      // The server has closed the connection, as it should.
    }
  }

  /// Waits until the server confirms the end of the stream. If OnAir closed the sending direction earlier, a TLS proxy
  /// on the path might discard bytes that it has not forwarded yet.
  private func awaitUnpublish(until deadline: MediaTime) throws(PublishError) {
    while descriptor >= 0, clock.now < deadline {
      while let message = try nextMessage(.goodbye) {
        if case .status(let status) = message, status.code == "NetStream.Unpublish.Success" {
          return
        }
      }
      if try fill(.goodbye) { continue }
      worker.wait(until: deadline, for: descriptor, events: [.readable, .peerClosed])
    }
  }
}
