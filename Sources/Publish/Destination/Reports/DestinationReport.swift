// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What a destination is doing.
public enum DestinationState: String, Sendable, CaseIterable {
  /// Not started, or ended for good.
  case stopped
  /// Looking up the name and making the connection.
  case connecting
  /// The server has accepted the connection, but not the stream yet.
  case connected
  /// The server takes the stream, but it is not confirmed that recent packets arrive.
  case publishing
  /// Recent packets are known to have arrived: TCP has acknowledged them, and the server too if it sends
  /// acknowledgements (`RTMPDeadlines.confirmation`).
  case delivering
  /// Waiting for the next attempt after a failure. There is always a next one.
  case waiting

  /// Whether the stream is being sent.
  public var isOnAir: Bool { self == .publishing || self == .delivering }
}

/// A change of a destination's state or cause. `ReportFilter` omits repetitions.
public struct DestinationReport: Sendable, Equatable {
  public var state: DestinationState
  /// What is wrong; `nil` when nothing is.
  public var cause: DestinationCause?
  /// The server's own words about the cause, or GnuTLS's; "" if there are none. One line, without the stream key.
  public var said = ""
  /// When the next attempt starts; `nil` unless the destination waits for it.
  public var retry: DestinationRetry?
  /// Failures since the server last took the stream for `RTMPDeadlines.goodPublish`, this one included.
  public var failures = 0
  /// The server of the present attempt or connection.
  public var target: PublishTarget
  /// Whether any server has taken the stream since the destination was started.
  public var wasPublished = false
  /// Whether this server has accepted a connection since the destination was started.
  public var hasWorked = false
  /// Nanoseconds until the server took the stream: from the start or, later, from the loss of the connection before.
  /// `nil` while it does not take the stream.
  public var publishedAfter: Int64?
  /// The same until something had arrived; `nil` before.
  public var deliveredAfter: Int64?
}

/// Figures of a destination since its start.
public struct DestinationCounters: Sendable, Equatable {
  /// The present state, `connecting` during every attempt.
  public var state = DestinationState.stopped
  /// The cause of the last failure; `nil` while the server takes the stream. `closedAfterStart` stays until the server
  /// has taken the stream for `RTMPDeadlines.shortPublish`.
  public var obstacle: DestinationCause?
  /// Whether the obstacle stays until a person does something about it.
  public var needsPerson = false
  /// Packets were dropped because of the link during the last 10 s.
  public var isSlow = false
  /// Bytes of messages handed to the kernel, without RTMP headers.
  public var bytesSent: UInt64 = 0
  /// Packets dropped while connected because the link was too slow.
  public var dropped: UInt64 = 0
  /// How often dropping began.
  public var overflows: UInt64 = 0
  /// How often this program itself stood still while the server took the stream. What was dropped then is not counted
  /// above.
  public var standstills: UInt64 = 0
  /// Publishes after the first one.
  public var reconnects: UInt64 = 0
  /// Failed attempts and lost connections.
  public var failures: UInt64 = 0
  /// Those since the server last took the stream for `RTMPDeadlines.shortPublish`.
  public var failuresInRow = 0
  /// Connections that a server has accepted.
  public var connections: UInt64 = 0
  /// Video packets handed to the kernel.
  public var framesSent: UInt64 = 0
  /// Bytes of video and of audio packets handed to the kernel: `bytesSent` without metadata and sequence headers.
  public var videoBytesSent: UInt64 = 0
  public var audioBytesSent: UInt64 = 0
  /// Nanoseconds since the start in which the server did not take the stream, the present outage included.
  public var outageNanos: Int64 = 0
  /// When the present outage began; `nil` while the server takes the stream.
  public var outageSince: MediaTime?
  /// How the start went.
  public var milestones = DestinationMilestones()
  /// Packets in the queue now.
  public var queuedPackets = 0
  /// Nanoseconds for which the oldest of them has waited; 0 when none waits.
  public var queueNanos: Int64 = 0
  /// Nanoseconds from the capture of the newest frame that was sent (of the newest audio packet if there is no video)
  /// until it was handed to the kernel; `nil` while the server does not take the stream.
  public var sentAfterNanos: Int64?
  /// The same until it was known to have arrived, for the newest one that has.
  public var acknowledgedAfterNanos: Int64?
  /// TCP's smoothed round-trip time; `nil` while the server does not take the stream.
  public var roundTripNanos: Int64?
  /// Nanoseconds from the start of the stream to the newest video that was queued, and to the newest audio; `nil` while the
  /// server does not take the stream.
  public var queuedVideoUpTo: Int64?
  public var queuedAudioUpTo: Int64?
  /// Bytes in the queue now.
  public var queuedBytes = 0
  /// Capture time of the newest frame that is known to have arrived (of the newest audio packet if there is no
  /// video); `nil` before the first.
  public var deliveredUpTo: MediaTime?

  public init() {}
}

extension Destination {
  /// Whether this program itself has stood still a moment ago: what waits now says nothing about the link.
  public var hasStoodStill: Bool { progress.withLock { $0.hasStoodStill } }

  /// The present figures.
  public var counters: DestinationCounters {
    let queued = queue.figures
    let roundTripNanos = queue.takesPackets ? meter.figures.roundTripNanos : 0
    let now = clock.now
    return progress.withLock { progress in
      var counters = progress.counters
      // `judge` may have excused meanwhile what was dropped after the look at the queue.
      counters.dropped = queued.dropped - min(queued.dropped, progress.excusedDrops)
      counters.overflows = queued.overflows - min(queued.overflows, progress.excusedOverflows)
      counters.queuedBytes = queued.queuedBytes
      counters.queuedPackets = queued.queuedPackets
      counters.queuedVideoUpTo = queued.videoUpTo
      counters.queuedAudioUpTo = queued.audioUpTo
      counters.queueNanos = queued.oldestOfferedAt.map { max(0, now - $0) } ?? 0
      // TCP has not told yet.
      counters.roundTripNanos = roundTripNanos > 0 ? roundTripNanos : nil
      counters.outageNanos = progress.outage.total(now)
      counters.outageSince = progress.outage.since
      return counters
    }
  }
}
