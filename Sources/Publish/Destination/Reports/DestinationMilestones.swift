// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// The times at which a destination first reached each step of its start; `nil` for a step not reached yet.
public struct DestinationMilestones: Sendable, Equatable {
  /// When a server first accepted the connection.
  public var connectedAt: MediaTime?
  /// When a frame was first handed to the kernel (an audio packet if there is no video).
  public var sentAt: MediaTime?
  /// When a frame was first known to have arrived (an audio packet if there is no video).
  public var deliveredAt: MediaTime?

  public init() {}
}

/// Adds up the time during which the server did not accept the stream. Reads no clock: the time is passed in.
struct OutageTime {
  /// When the present outage began; `nil` while the server accepts the stream, and after the destination has ended.
  private(set) var since: MediaTime?
  /// The duration of all earlier outages together in nanoseconds, without the present one.
  private var pastNanos: Int64 = 0

  init(since: MediaTime) { self.since = since }

  /// Begins an outage, unless one has begun already.
  mutating func begin(_ now: MediaTime) { since = since ?? now }

  /// Ends the present outage, if there is one.
  /// - Returns: the duration of the outage in nanoseconds; 0 if there was none.
  @discardableResult
  mutating func end(_ now: MediaTime) -> Int64 {
    let nanos = since.map { now - $0 } ?? 0
    pastNanos += nanos
    since = nil
    return nanos
  }

  /// The duration of all outages together in nanoseconds, including the present one.
  func total(_ now: MediaTime) -> Int64 { pastNanos + (since.map { now - $0 } ?? 0) }
}

// Updates the figures that the destination's thread counts.
extension Destination.Progress {
  /// Notes that a server has accepted the connection.
  mutating func noteConnected(_ now: MediaTime) {
    counters.connections += 1
    counters.milestones.connectedAt = counters.milestones.connectedAt ?? now
  }

  /// Notes that the server now accepts the stream.
  mutating func notePublished(_ now: MediaTime) {
    if wasPublished { counters.reconnects += 1 }
    wasPublished = true
    publishedAt = now
    noteAccepted(target)
    publishedAfter = outage.end(now)
    deliveredAfter = nil
    deliveredUpTo = nil
    isAwaitingDelivery = false
  }

  /// Notes that the connection, or the attempt to make one, has ended.
  /// - Returns: nanoseconds for which the server accepted the stream; `nil` if it did not.
  mutating func noteEnd(_ now: MediaTime) -> Int64? {
    // If the server stopped reading data before the connection ended, the outage begins when the server stopped.
    let silentSince = trouble.flatMap { $0.cause == .linkTooSlow ? nil : $0.since } ?? now
    outage.begin(max(silentSince, publishedAt ?? now))
    counters.sentAfterNanos = nil
    counters.acknowledgedAfterNanos = nil
    defer { publishedAt = nil }
    return publishedAt.map { now - $0 }
  }

  /// Notes that a packet has been handed to the kernel.
  /// - Parameters:
  ///   - bytes: the size in bytes of the message's body, without chunk headers.
  ///   - hasVideo: whether the stream has video. If so, the sending delay is measured on frames, otherwise on audio
  ///     packets.
  mutating func noteSent(_ packet: QueuedPacket, bytes: Int, hasVideo: Bool, now: MediaTime) {
    counters.bytesSent += UInt64(bytes)
    if packet.isVideo {
      counters.framesSent += 1
      counters.videoBytesSent += UInt64(bytes)
    } else {
      counters.audioBytesSent += UInt64(bytes)
    }
    guard packet.isVideo == hasVideo else { return }
    // Some sources give an audio block the time of its end, which may be later than `now`.
    counters.sentAfterNanos = max(0, now - packet.time)
    counters.milestones.sentAt = counters.milestones.sentAt ?? now
  }

  /// Notes which packets are known to have arrived.
  /// - Parameters:
  ///   - upTo: the capture time of the newest packet that has arrived.
  ///   - isAwaited: whether a later packet has been sent whose arrival is not confirmed yet.
  mutating func noteDelivery(_ upTo: MediaTime?, isAwaited: Bool, now: MediaTime) {
    isAwaitingDelivery = isAwaited
    guard upTo != deliveredUpTo else { return }
    deliveredUpTo = upTo
    guard let upTo else { return }
    counters.deliveredUpTo = upTo
    counters.acknowledgedAfterNanos = max(0, now - upTo)
    counters.milestones.deliveredAt = counters.milestones.deliveredAt ?? now
    if deliveredAfter == nil, let publishedAfter, let publishedAt {
      deliveredAfter = publishedAfter + (now - publishedAt)
    }
  }
}
