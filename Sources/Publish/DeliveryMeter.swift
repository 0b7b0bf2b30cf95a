// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What the server is known to have.
public struct Delivery: Sendable, Equatable {
  /// Who says so.
  public enum Witness: String, Sendable, CaseIterable {
    /// The kernel of the server's machine: TCP has acknowledged the bytes. The server, or a proxy before it,
    /// may not have read them yet.
    case transport
    /// The server itself, by RTMP acknowledgements, and TCP.
    case server
  }

  /// When the newest picture that the server has was captured; the newest sound, if there are no pictures.
  public var capturedAt: MediaTime
  public var witness: Witness
}

/// Tells what the server has from what was merely sent.
///
/// Two witnesses: TCP says which bytes the server's machine has; the server's own acknowledgements say
/// which it has read, in steps. While it acknowledges as it used to, what TCP says is believed; when it
/// falls further back than its steps explain, what it says itself. A server that never acknowledges is never waited
/// for; one that stops is not told from one that froze.
struct DeliveryMeter {
  private struct Mark {
    /// `nil` for what does not count.
    var capturedAt: MediaTime?
    var offeredAt: MediaTime
    /// Bytes of RTMP up to the end of the message.
    var rtmpEnd: UInt64
    /// Bytes in TCP's stream up to there, which TLS makes other ones; `nil` until looked at.
    var tcpEnd: UInt64?
  }

  /// Messages that may be under way at once: 9.5 s of 60 pictures and 47 sounds a second. Beyond that
  /// several share a mark.
  static let mostMarks = 1_024
  /// Bytes of a handshake: C0, C1 and C2.
  static let handshakeBytes: UInt64 = 3_073
  private var marks: [Mark] = []
  private var head = 0
  /// Bytes of RTMP handed to the kernel, but for the commands' at the start, and those of them that are headers.
  private(set) var sent = DeliveryMeter.handshakeBytes
  private var headers: UInt64 = 0
  private var arrived: UInt64 = 0
  private(set) var acknowledgements = AcknowledgementMeter()
  /// Whether anything that was sent is not known to be delivered.
  var isUnderWay: Bool { marks[head...].contains { $0.capturedAt != nil } }
  /// The newest that the server has; `nil` before anything has come there.
  private(set) var delivery: Delivery?

  init() { marks.reserveCapacity(DeliveryMeter.mostMarks) }

  /// A message has been handed to the kernel.
  /// - Parameters:
  ///   - headerBytes: exactly: what is wrong by little in each message adds up.
  ///   - capturedAt: `nil` for what does not count.
  ///   - offeredAt: when it was queued.
  mutating func sent(
    bodyBytes: Int, headerBytes: Int, capturedAt: MediaTime?, offeredAt: MediaTime
  ) {
    sent += UInt64(bodyBytes + headerBytes)
    headers += UInt64(headerBytes)
    let mark = Mark(
      capturedAt: capturedAt, offeredAt: offeredAt, rtmpEnd: sent, tcpEnd: nil)
    if marks.count == DeliveryMeter.mostMarks, head == 0 {
      marks[marks.count - 1] = mark
    } else {
      if marks.count == DeliveryMeter.mostMarks { compact() }
      marks.append(mark)
    }
  }

  /// TCP has been asked how far it is.
  /// - Parameters:
  ///   - acknowledged: bytes that the other side's kernel has.
  ///   - queued: bytes handed to this side's kernel beyond those.
  mutating func look(acknowledged: UInt64, queued: UInt64) {
    var index = marks.count
    while index > head, marks[index - 1].tcpEnd == nil {
      index -= 1
      marks[index].tcpEnd = acknowledged + queued
    }
    while head < marks.count, let end = marks[head].tcpEnd, end <= acknowledged {
      guard marks[head].rtmpEnd <= limit else { break }
      deliver(marks[head])
      head += 1
    }
    arrived = marks[head...].last { ($0.tcpEnd ?? .max) <= acknowledged }?.rtmpEnd ?? arrived
    if head == marks.count { compact() }
  }

  /// When the oldest message was queued that TCP does not know to have arrived; `nil` when there is none.
  func oldestOnTheWay(acknowledged: UInt64) -> MediaTime? {
    marks[head...].first { ($0.tcpEnd ?? .max) > acknowledged }?.offeredAt
  }

  /// The server has acknowledged. Look at TCP first.
  mutating func acknowledge(_ value: UInt32) {
    acknowledgements.take(value, sent: sent, arrived: arrived, headers: headers)
  }

  /// How far the transport is believed.
  private var limit: UInt64 {
    guard acknowledgements.isHabit else { return .max }
    return acknowledgements.confirmed + acknowledgements.step * 3 / 2
  }

  private mutating func deliver(_ mark: Mark) {
    arrived = max(arrived, mark.rtmpEnd)
    guard let capturedAt = mark.capturedAt else { return }
    delivery = Delivery(
      capturedAt: capturedAt, witness: acknowledgements.isHabit ? .server : .transport)
  }

  private mutating func compact() {
    marks.removeFirst(head)
    head = 0
  }
}
