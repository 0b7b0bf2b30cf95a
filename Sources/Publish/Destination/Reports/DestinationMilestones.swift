// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// When a destination first reached each step of its start.
public struct DestinationMilestones: Sendable, Equatable {
  /// A server accepted the connection.
  public var connectedAt: MediaTime?
  /// A frame was handed to the kernel (an audio packet if there is no video).
  public var sentAt: MediaTime?
  /// Something was known to have arrived.
  public var deliveredAt: MediaTime?

  public init() {}
}

/// Adds up the time in which the server did not take the stream. Pure.
struct OutageTime {
  /// When the present outage began; `nil` while the server takes the stream, and after the end.
  private(set) var since: MediaTime?
  private var past: Int64 = 0

  init(since: MediaTime) { self.since = since }

  mutating func begin(_ now: MediaTime) { since = since ?? now }

  /// - Returns: nanoseconds that the outage took.
  @discardableResult
  mutating func end(_ now: MediaTime) -> Int64 {
    let nanos = since.map { now - $0 } ?? 0
    past += nanos
    since = nil
    return nanos
  }

  /// Nanoseconds of all outages, the present one included.
  func total(_ now: MediaTime) -> Int64 { past + (since.map { now - $0 } ?? 0) }
}

// What the destination's thread counts.
extension Destination.Progress {
  /// A server has accepted the connection.
  mutating func noteConnected(_ now: MediaTime) {
    noteWorks()
    counters.connections += 1
    counters.milestones.connectedAt = counters.milestones.connectedAt ?? now
  }

  /// The server takes the stream.
  mutating func notePublished(_ now: MediaTime) {
    if wasPublished { counters.reconnects += 1 }
    wasPublished = true
    publishedAt = now
    publishedAfter = outage.end(now)
    deliveredAfter = nil
    deliveredUpTo = nil
    isAwaitingDelivery = false
  }

  /// The connection, or the attempt at one, has ended.
  /// - Returns: nanoseconds for which the server took the stream; `nil` if it did not.
  mutating func noteEnd(_ now: MediaTime) -> Int64? {
    outage.begin(now)
    counters.sentAfterNanos = nil
    counters.acknowledgedAfterNanos = nil
    defer { publishedAt = nil }
    return publishedAt.map { now - $0 }
  }

  /// A packet has been handed to the kernel.
  /// - Parameters:
  ///   - bytes: of the message, without RTMP headers.
  ///   - hasVideo: whether frames tell how long sending takes; otherwise audio packets do.
  mutating func noteSent(_ packet: QueuedPacket, bytes: Int, hasVideo: Bool, now: MediaTime) {
    counters.bytesSent += UInt64(bytes)
    if packet.isVideo {
      counters.framesSent += 1
      counters.videoBytesSent += UInt64(bytes)
    } else {
      counters.audioBytesSent += UInt64(bytes)
    }
    guard packet.isVideo == hasVideo else { return }
    // Some sources stamp a block of audio with its end, which is later than now.
    counters.sentAfterNanos = max(0, now - packet.time)
    counters.milestones.sentAt = counters.milestones.sentAt ?? now
  }

  /// - Parameters:
  ///   - upTo: the capture time of the newest packet that has arrived.
  ///   - isAwaited: whether another one is on its way.
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
