// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

extension PacketQueue {
  /// What happened to an offered packet.
  enum Outcome: Equatable {
    /// - wake: whether the sender sleeps and has to be woken.
    case queued(wake: Bool)
    /// Dropped: there is no connection, no keyframe yet, the scene is over, or the link is behind.
    case passed
    /// The ring was full and has been emptied. The packet was queued afterwards if it fits alone.
    case overflowed(wake: Bool)
  }

  /// What the queue has dropped, and what waits in it.
  struct Figures: Equatable {
    /// Packets dropped.
    var dropped: UInt64
    /// How often dropping began.
    var overflows: UInt64
    var isDroppingVideo: Bool
    /// How much of the stream is queued.
    var thinning: Thinning
    /// Packets and bytes that wait, without the packet that is being sent.
    var queuedPackets: Int
    var queuedBytes: Int
    /// When the oldest packet was queued, the one that is being sent included; `nil` when there is none.
    var oldestOfferedAt: MediaTime?
    /// Nanoseconds from the start of the stream to the newest video that was queued, and to the newest audio.
    var videoUpTo: Int64?
    var audioUpTo: Int64?
  }

  /// What the sender has to do next.
  enum Next: Equatable {
    case nothing
    /// The receiver needs the formats of this packet first. The packet stays in the queue, where it can be dropped.
    case formats(of: QueuedPacket)
    /// Send this packet, then call `finished`.
    case packet(QueuedPacket)
  }
}
