// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds out which packets have been delivered to the server.
///
/// There are two sources of information. TCP tells which bytes have arrived at the server's machine; the server, or a
/// proxy in front of it, may not have read them yet. RTMP acknowledgements tell which bytes the server has read; the
/// server sends one after each further step, a number of bytes. Bytes that TCP has acknowledged count as delivered if
/// they are ahead of the last RTMP acknowledgement by at most one and a half steps. For a server that never sends RTMP
/// acknowledgements, TCP alone counts. A server that stops sending RTMP acknowledgements counts as frozen, and so does
/// a server that sent them on an earlier connection but sends none on this one.
struct DeliveryMeter {
  /// Where a message in flight ends in the RTMP stream and in the TCP stream. If several messages share a mark, it
  /// describes the last of them.
  private struct Mark {
    /// When the message's packet was captured; `nil` for messages whose delivery is not tracked.
    var capturedAt: MediaTime?
    var offeredAt: MediaTime
    /// Position, in bytes, of the message's end in the RTMP stream.
    var rtmpEnd: UInt64
    /// Position, in bytes, of the message's end in the TCP stream, which includes TLS's overhead; `nil` until the next
    /// call of `noteTCP`.
    var tcpEnd: UInt64?
  }

  /// How many messages in flight are tracked one by one: those of 9.5 s, at 60 frames and 47 audio packets a second. If
  /// there are more, several messages share one mark.
  static let maxMarks = 1_024
  /// Bytes of the RTMP handshake that OnAir sends: C0, C1 and C2.
  static let handshakeBytes: UInt64 = 3_073
  /// The bytes after which a server that is expected to acknowledge must have sent its first acknowledgement.
  static let firstDueBytes = UInt64(AcknowledgementWindow.firstBytes) * 3
  /// The marks of the messages that have been sent. Those before the index `head` have been delivered.
  private var marks: [Mark] = []
  /// The index in `marks` of the oldest message that is not delivered yet.
  private var head = 0
  /// Bytes of RTMP handed to the kernel, including the handshake but not the commands at the start.
  private(set) var sent = DeliveryMeter.handshakeBytes
  /// How many of the `sent` bytes are headers of messages and chunks, or control messages.
  private var headers: UInt64 = 0
  /// How many of the `sent` bytes have arrived at the server's machine, rounded down to whole messages.
  private var arrived: UInt64 = 0
  /// Whether the server sent RTMP acknowledgements as requested on an earlier connection, so that it should send them
  /// on this one, too.
  private let isExpectedToAcknowledge: Bool
  /// Finds out from the server's RTMP acknowledgements how many bytes the server has read.
  private(set) var acknowledgements = AcknowledgementMeter()
  /// Whether any packet was sent whose delivery is not confirmed yet.
  var isAwaitingDelivery: Bool { marks[head...].contains { $0.capturedAt != nil } }
  /// Capture time of the newest frame that was delivered (of an audio packet while there are no frames); `nil`
  /// before the first.
  private(set) var deliveredUpTo: MediaTime?

  init(isExpectedToAcknowledge: Bool = false) {
    self.isExpectedToAcknowledge = isExpectedToAcknowledge
    marks.reserveCapacity(DeliveryMeter.maxMarks)
  }

  /// Notes that a message has been handed to the kernel.
  /// - Parameters:
  ///   - headerBytes: the exact number of bytes of all chunk headers of the message; small errors would add up.
  ///   - capturedAt: when the message's packet was captured; `nil` for messages whose delivery is not tracked.
  ///   - offeredAt: when the message's packet was queued.
  mutating func sent(
    bodyBytes: Int, headerBytes: Int, capturedAt: MediaTime?, offeredAt: MediaTime
  ) {
    sent += UInt64(bodyBytes + headerBytes)
    headers += UInt64(headerBytes)
    let mark = Mark(
      capturedAt: capturedAt, offeredAt: offeredAt, rtmpEnd: sent, tcpEnd: nil)
    if marks.count == DeliveryMeter.maxMarks, head == 0 {
      marks[marks.count - 1] = mark
    } else {
      if marks.count == DeliveryMeter.maxMarks { compact() }
      marks.append(mark)
    }
  }

  /// Notes that a control message of this many bytes, including its header, has been handed to the kernel.
  mutating func sentControl(bytes: Int) {
    sent += UInt64(bytes)
    headers += UInt64(bytes)
  }

  /// Whether the next connection to this server may rely on acknowledgements: the server sends them about as often as
  /// requested. A server that sent acknowledgements on the last connection but none on this one is not relied on again.
  var mayExpectAcknowledgements: Bool {
    acknowledgements.isRegular
      ? acknowledgements.stepBytes <= UInt64(AcknowledgementWindow.maxBytes) * 2
      : isExpectedToAcknowledge && sent <= DeliveryMeter.handshakeBytes + Self.firstDueBytes
  }

  /// Processes the state of the TCP connection.
  /// - Parameters:
  ///   - acknowledged: bytes that the server's machine has acknowledged.
  ///   - queued: bytes in this machine's send buffer, which are unsent or not acknowledged.
  mutating func noteTCP(acknowledged: UInt64, queued: UInt64) {
    var index = marks.count
    while index > head, marks[index - 1].tcpEnd == nil {
      index -= 1
      marks[index].tcpEnd = acknowledged + queued
    }
    while head < marks.count, let end = marks[head].tcpEnd, end <= acknowledged {
      guard marks[head].rtmpEnd <= deliveryLimit else { break }
      deliver(marks[head])
      head += 1
    }
    arrived = marks[head...].last { ($0.tcpEnd ?? .max) <= acknowledged }?.rtmpEnd ?? arrived
    if head == marks.count { compact() }
  }

  /// When the oldest message in flight was queued; `nil` when none is in flight.
  /// - Parameter acknowledged: bytes that the server's machine has acknowledged (TCP) on this connection.
  func oldestInFlight(acknowledged: UInt64) -> MediaTime? {
    marks[head...].first { ($0.tcpEnd ?? .max) > acknowledged }?.offeredAt
  }

  /// Processes an RTMP acknowledgement of the server. Call `noteTCP` first.
  mutating func acknowledge(_ value: UInt32) {
    acknowledgements.process(value, sent: sent, arrived: arrived, headers: headers)
  }

  /// The position in the RTMP stream up to which an acknowledgement by TCP counts as delivery.
  private var deliveryLimit: UInt64 {
    guard acknowledgements.isRegular else {
      return isExpectedToAcknowledge
        ? max(acknowledgements.confirmed, DeliveryMeter.handshakeBytes) + Self.firstDueBytes
        : .max
    }
    return acknowledgements.confirmed + acknowledgements.stepBytes * 3 / 2
  }

  /// Notes that the message of a mark has been delivered.
  private mutating func deliver(_ mark: Mark) {
    arrived = max(arrived, mark.rtmpEnd)
    guard let capturedAt = mark.capturedAt else { return }
    // Audio that was captured before a frame may be sent after it.
    deliveredUpTo = max(capturedAt, deliveredUpTo ?? capturedAt)
  }

  /// Removes the marks of delivered messages.
  private mutating func compact() {
    marks.removeFirst(head)
    head = 0
  }
}
