// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
public import Media
internal import Synchronization

/// How things are on the way to a server at one moment. Sums count from when the connection was made.
public struct LinkFigures: Sendable, Equatable {
  /// Counts the connections.
  public var connection: UInt64 = 0
  /// Bytes that the server's machine has, RTMP's and TLS's own among them.
  public var arrivedBytes: UInt64 = 0
  /// Bytes that wait in the program's queue, and in the kernel or beyond.
  public var queuedBytes = 0
  public var onTheWayBytes = 0
  /// When the oldest that has not arrived was queued; `nil` when all has.
  public var oldestOfferedAt: MediaTime?
  /// Nanoseconds for a byte and its acknowledgement, by now, and by the path alone (`PathRoundTrip`).
  public var roundTripNanos: Int64 = 0
  public var leastRoundTripNanos: Int64 = 0
  /// Nanoseconds with something to send, and those of them in which the other side took nothing.
  public var busyNanos: Int64 = 0
  public var heldBackNanos: Int64 = 0
  /// When TCP last made any progress.
  public var progressAt = MediaTime.distantPast

  /// Of no connection.
  public init() {}
}

/// Measures a connection: for the thread that sends, and for the one that supervises while that one is held up.
final class LinkMeter: Sendable {
  private struct State {
    var delivery = DeliveryMeter()
    var figures = LinkFigures()
    var path = PathRoundTrip()
  }

  private let state = Mutex(State())

  /// A new connection begins.
  func begin(now: MediaTime = .now()) {
    state.withLock { state in
      let connection = state.figures.connection + 1
      state = State()
      state.figures.connection = connection
      state.figures.progressAt = now
    }
  }

  /// A message has been handed to the kernel, and its headers.
  func sent(_ message: QueuedMessage, headerBytes: Int) {
    state.withLock { state in
      state.delivery.sent(
        bodyBytes: message.bodyBytes, headerBytes: headerBytes,
        capturedAt: message.counts ? message.capturedAt : nil, offeredAt: message.offeredAt)
    }
  }

  /// Bytes of RTMP that count as sent.
  var sentBytes: UInt64 { state.withLock { $0.delivery.sent } }

  /// The server has acknowledged. Look at TCP first.
  func acknowledge(_ value: UInt32) { state.withLock { $0.delivery.acknowledge(value) } }

  /// Asks TCP how far it is.
  func look(_ descriptor: Int32, now: MediaTime = .now()) {
    state.withLock { state in
      var progress = onair_tcp_progress()
      guard unsafe onair_tcp_look(descriptor, &progress) == 0 else { return }
      let acknowledged = progress.acknowledged
      let queued = progress.queued
      state.delivery.look(acknowledged: acknowledged, queued: queued)
      let hasArrived = acknowledged != state.figures.arrivedBytes
      // With nothing to do there is nothing to make.
      if hasArrived || queued == 0 { state.figures.progressAt = now }
      state.figures.arrivedBytes = acknowledged
      state.figures.onTheWayBytes = Int(queued)
      state.figures.roundTripNanos = Int64(progress.round_trip) * 1_000
      state.path.note(
        state.figures.roundTripNanos, onTheWayBytes: Int(queued), hasArrived: hasArrived, now: now)
      state.figures.leastRoundTripNanos = state.path.nanos
      state.figures.busyNanos = Int64(progress.busy) * 1_000
      state.figures.heldBackNanos = Int64(progress.held_back) * 1_000
      state.figures.oldestOfferedAt = state.delivery.oldestOnTheWay(acknowledged: acknowledged)
    }
  }

  /// What the server is known to have, and whether anything that was sent is not known to be there.
  var delivery: (newest: Delivery?, isUnderWay: Bool) {
    state.withLock { ($0.delivery.delivery, $0.delivery.isUnderWay) }
  }

  var figures: LinkFigures { state.withLock { $0.figures } }
}
