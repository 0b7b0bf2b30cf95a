// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CPosix
internal import Synchronization

/// The state of the connection and the path to the server at one moment. Totals count from the connection's start.
public struct LinkFigures: Sendable, Equatable {
  /// The number of the connection, which rises by one with each connection of the destination.
  public var connection: UInt64 = 0
  /// Bytes that the server's machine has acknowledged (TCP), including the overhead of TLS and RTMP.
  public var arrivedBytes: UInt64 = 0
  /// Payload bytes that wait in the destination's queue.
  public var queuedBytes = 0
  /// Bytes that were handed to the kernel and that TCP has not acknowledged, whether they have been sent yet or not.
  public var inFlightBytes = 0
  /// When the oldest message that has not arrived completely was queued; `nil` when all have arrived.
  public var oldestOfferedAt: MediaTime?
  /// TCP's smoothed round-trip time in nanoseconds; 0 before the first measurement.
  public var roundTripNanos: Int64 = 0
  /// The path's round-trip time without queueing delay, in nanoseconds (`PathRoundTrip`).
  public var leastRoundTripNanos: Int64 = 0
  /// How long TCP has had data to send, in nanoseconds.
  public var busyNanos: Int64 = 0
  /// The part of `busyNanos` during which the server's receive window was full.
  public var heldBackNanos: Int64 = 0
  /// When TCP last acknowledged bytes, or last had nothing to send.
  public var progressAt = MediaTime.distantPast

  public init() {}
}

/// Measures a connection: its TCP state, and which packets have been delivered. Used by the sending thread and by the
/// supervising thread, which goes on measuring while a write blocks the sending thread.
final class LinkMeter: Sendable {
  /// The measurements of the present connection.
  private struct State {
    /// The server of this connection.
    var server: RTMPTarget?
    var delivery = DeliveryMeter()
    var figures = LinkFigures()
    var path = PathRoundTrip()
  }

  /// The measurements of the present connection, guarded by this mutex.
  private let state = Mutex(State())

  /// Starts the measurement of a new connection.
  func begin(_ server: RTMPTarget, now: MediaTime) {
    state.withLock { state in
      let connection = state.figures.connection + 1
      let isKnown =
        (state.server?.isSameServer(as: server) ?? false)
        && state.delivery.mayExpectAcknowledgements
      state = State()
      state.server = server
      state.delivery = DeliveryMeter(isExpectedToAcknowledge: isKnown)
      state.figures.connection = connection
      state.figures.progressAt = now
    }
  }

  /// Notes that a message and its headers have been handed to the kernel.
  func sent(_ message: StreamMessage, headerBytes: Int) {
    state.withLock { state in
      state.delivery.sent(
        bodyBytes: message.bodyBytes, headerBytes: headerBytes,
        capturedAt: message.isTracked ? message.capturedAt : nil, offeredAt: message.offeredAt)
    }
  }

  /// Notes that a control message and its header have been handed to the kernel.
  func sentControl(bytes: Int) { state.withLock { $0.delivery.sentControl(bytes: bytes) } }

  /// Bytes of RTMP handed to the kernel so far, without TLS's overhead.
  var sentBytes: UInt64 { state.withLock { $0.delivery.sent } }

  /// Processes an RTMP acknowledgement of the server. Call `look` first.
  func acknowledge(_ value: UInt32) { state.withLock { $0.delivery.acknowledge(value) } }

  /// Reads the state of the TCP connection from the kernel (tcp(7)), and updates the figures.
  func look(_ descriptor: Int32, now: MediaTime) {
    state.withLock { state in
      var progress = onair_tcp_progress()
      guard unsafe onair_tcp_read(descriptor, &progress) == 0 else { return }
      let acknowledged = progress.acknowledged
      let queued = progress.queued
      state.delivery.noteTCP(acknowledged: acknowledged, queued: queued)
      let hasArrived = acknowledged != state.figures.arrivedBytes
      // While nothing is in flight, TCP has nothing to acknowledge: that is not a stall.
      if hasArrived || queued == 0 { state.figures.progressAt = now }
      state.figures.arrivedBytes = acknowledged
      state.figures.inFlightBytes = Int(queued)
      state.figures.roundTripNanos = Int64(progress.round_trip) * 1_000
      state.path.add(
        state.figures.roundTripNanos, inFlightBytes: Int(queued), hasArrived: hasArrived, now: now)
      state.figures.leastRoundTripNanos = state.path.nanos
      state.figures.busyNanos = Int64(progress.busy) * 1_000
      state.figures.heldBackNanos = Int64(progress.held_back) * 1_000
      state.figures.oldestOfferedAt = state.delivery.oldestInFlight(acknowledged: acknowledged)
    }
  }

  /// Whether the server sends RTMP acknowledgements regularly.
  var acknowledges: Bool { state.withLock { $0.delivery.acknowledgements.isRegular } }

  /// The capture time of the newest packet that is known to have arrived, and whether later ones are not confirmed yet
  /// (see `DeliveryMeter`).
  var delivery: (upTo: MediaTime?, isAwaited: Bool) {
    state.withLock { ($0.delivery.deliveredUpTo, $0.delivery.isAwaitingDelivery) }
  }

  /// The state of the link at the last call of `look`, without the destination's queue.
  var figures: LinkFigures { state.withLock { $0.figures } }
}
