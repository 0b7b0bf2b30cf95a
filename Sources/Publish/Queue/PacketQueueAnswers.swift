// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

extension PacketQueue {
  /// The result of offering a packet.
  enum Outcome: Equatable {
    /// The packet was queued.
    /// - wake: whether the sending thread sleeps and has to be woken.
    case queued(wake: Bool)
    /// The packet was not queued: the server does not accept the stream, there was no keyframe yet, the packet is of an
    /// earlier scene (`PacketQueue.cut`), or the link has fallen behind.
    case notQueued
    /// The queue was full, and its packets were dropped. After that the offered packet was queued, unless it is too
    /// large or depends on a dropped frame, or is audio of a stream whose first keyframe was dropped.
    /// - wake: whether the sending thread sleeps and has to be woken.
    case overflowed(wake: Bool)
  }

  /// Figures about the dropped packets and the queued ones.
  struct Figures: Equatable {
    /// The number of packets dropped.
    var dropped: UInt64
    /// How many times the queue began to drop packets because the link was too slow.
    var overflows: UInt64
    /// Whether video is held back: offered frames are dropped.
    var isHoldingVideo: Bool
    /// How much of the stream is queued, as `PacketQueue.thin` has set it.
    var thinning: Thinning
    /// The number of packets that wait, without the packet that is being sent.
    var queuedPackets: Int
    /// Payload bytes of the packets that wait, without the packet that is being sent.
    var queuedBytes: Int
    /// When the oldest packet was queued; `nil` when there is none. The packet that is being sent counts as well.
    var oldestOfferedAt: MediaTime?
    /// Nanoseconds from the start of the stream to the newest frame that was queued; `nil` before the first.
    var videoUpTo: Int64?
    /// Nanoseconds from the start of the stream to the newest audio packet that was queued; `nil` before the first.
    var audioUpTo: Int64?
  }

  /// The sending thread's next task.
  enum Next: Equatable {
    /// Nothing: the queue is empty.
    case nothing
    /// Send the sequence headers of this packet's formats, which the server has not received yet. The packet stays in
    /// the queue, where it can still be dropped.
    case formats(of: QueuedPacket)
    /// Send this packet, then call `finished`.
    case packet(QueuedPacket)
  }
}
