// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The state of a destination.
public enum DestinationState: String, Sendable, CaseIterable {
  /// The destination is not started, or has ended for good.
  case stopped
  /// The destination looks up the server's name and makes the connection.
  case connecting
  /// The server has accepted the connection, but not the stream yet.
  case connected
  /// The server accepts the stream, but it is not confirmed that recent packets arrive.
  case publishing
  /// Recent packets are known to have arrived: TCP has acknowledged them, and the server too if it sends
  /// acknowledgements (`RTMPDeadlines.confirmation`).
  case delivering
  /// The destination waits for its next attempt after a failure. There is always a next attempt.
  case waiting

  /// Whether the server accepts the stream.
  public var isOnAir: Bool { self == .publishing || self == .delivering }
}

/// A change of a destination's state or cause. `ReportFilter` omits repetitions.
public struct DestinationReport: Sendable, Equatable {
  /// The state after the change.
  public var state: DestinationState
  /// What is wrong with the destination; `nil` if nothing is.
  public var cause: DestinationCause?
  /// The error text of the server or of GnuTLS; "" if there is none. One line, without the stream key.
  public var said = ""
  /// When the next attempt starts; `nil` unless the state is `waiting`.
  public var retry: DestinationRetry?
  /// The number of failures since the server last accepted the stream for `RTMPDeadlines.goodPublish`, including the
  /// reported one; 0 in a report that is not of a failure.
  public var failures = 0
  /// The server of the present attempt or connection.
  public var target: PublishTarget
  /// Whether any server has accepted the stream since the destination was started.
  public var wasPublished = false
  /// Whether the server `target` has accepted this stream since the destination was started.
  public var hasWorked = false
  /// Nanoseconds from the beginning of the last outage until the server accepted the stream; `nil` while no server
  /// accepts it. The first outage begins with the destination's start.
  public var publishedAfter: Int64?
  /// Nanoseconds from the beginning of the last outage until the first packet was known to have arrived; `nil` before
  /// that packet.
  public var deliveredAfter: Int64?
}

extension DestinationReport {
  /// The report of a destination that has not been started, because of `cause`.
  public init(waitingFor target: PublishTarget, cause: DestinationCause) {
    self.init(state: .waiting, cause: cause, target: target)
  }
}

/// The present state of a destination, and its figures since the start.
public struct DestinationCounters: Sendable, Equatable {
  /// The present state. Unlike the state in reports, it is not filtered: it is `connecting` in every attempt.
  public var state = DestinationState.stopped
  /// The cause of the last failure; `nil` while the server accepts the stream, except that `closedAfterStart` stays
  /// until the server has accepted the stream for `RTMPDeadlines.shortPublish`.
  public var obstacle: DestinationCause?
  /// Whether the obstacle stays until a person does something about it.
  public var needsPerson = false
  /// Whether packets were dropped during the last 10 s because the link was too slow, or only a part of the stream is
  /// sent (`Thinning`).
  public var isSlow = false
  /// Bytes handed to the kernel: the bodies of the stream's messages, without chunk headers.
  public var bytesSent: UInt64 = 0
  /// Packets dropped while connected because the link was too slow.
  public var dropped: UInt64 = 0
  /// How many times the destination began to drop packets because the link was too slow.
  public var overflows: UInt64 = 0
  /// How many times this program itself did not run for more than a second while the server accepted the stream.
  /// Packets dropped because of such a standstill are in neither `dropped` nor `overflows`.
  public var standstills: UInt64 = 0
  /// How many times the server accepted the stream again after the first time.
  public var reconnects: UInt64 = 0
  /// The number of failed attempts and lost connections.
  public var failures: UInt64 = 0
  /// The number of failed attempts and lost connections since the server last accepted the stream for
  /// `RTMPDeadlines.shortPublish`.
  public var failuresInRow = 0
  /// When the failures that `failuresInRow` counts began: with the start of the first failed attempt, or with the loss
  /// of the connection. `nil` before the first failure. A change of the configured servers starts a new series.
  public var failingSince: MediaTime?
  /// The number of connections that a server has accepted.
  public var connections: UInt64 = 0
  /// Video packets handed to the kernel.
  public var framesSent: UInt64 = 0
  /// Bytes of video packets handed to the kernel, without metadata and sequence headers.
  public var videoBytesSent: UInt64 = 0
  /// Bytes of audio packets handed to the kernel, without metadata and sequence headers.
  public var audioBytesSent: UInt64 = 0
  /// How long the server has not accepted the stream since the destination's start, in nanoseconds: the sum of all
  /// outages, including the present one.
  public var outageNanos: Int64 = 0
  /// When the present outage began; `nil` while the server accepts the stream.
  public var outageSince: MediaTime?
  /// The times at which the destination first reached each step of its start.
  public var milestones = DestinationMilestones()
  /// The number of packets that wait in the queue.
  public var queuedPackets = 0
  /// Nanoseconds for which the oldest packet has waited in the queue; 0 when there is none. The packet that is being
  /// sent counts as well.
  public var queueNanos: Int64 = 0
  /// Nanoseconds from the capture of the newest frame that was sent (of the newest audio packet if there is no video)
  /// until it was handed to the kernel; `nil` while the server does not accept the stream.
  public var sentAfterNanos: Int64?
  /// Nanoseconds from the capture of the newest frame that has arrived (of the newest audio packet if there is no
  /// video) until it was known to have arrived; `nil` while the server does not accept the stream.
  public var acknowledgedAfterNanos: Int64?
  /// TCP's smoothed round-trip time in nanoseconds; `nil` while the server does not accept the stream.
  public var roundTripNanos: Int64?
  /// Nanoseconds from the start of the stream to the newest frame that was queued; `nil` while the server does not
  /// accept the stream.
  public var queuedVideoUpTo: Int64?
  /// Nanoseconds from the start of the stream to the newest audio packet that was queued; `nil` while the server does
  /// not accept the stream.
  public var queuedAudioUpTo: Int64?
  /// Payload bytes of the packets that wait in the queue.
  public var queuedBytes = 0
  /// Capture time of the newest frame that is known to have arrived (of the newest audio packet if there is no
  /// video); `nil` before the first.
  public var deliveredUpTo: MediaTime?

  public init() {}
}

extension Destination {
  /// Whether a period in which this program itself did not run (`Standstill`) ended less than two seconds ago. Packets
  /// that are late now say nothing about the link.
  public var hasJustResumed: Bool { progress.withLock { $0.hasJustResumed } }

  /// The present state, and the figures up to now.
  public var counters: DestinationCounters {
    let queued = queue.figures
    let roundTripNanos = queue.takesPackets ? meter.figures.roundTripNanos : 0
    let now = clock.now
    return progress.withLock { progress in
      var counters = progress.counters
      // The difference is at least 0: after `queued` was read, another thread's `updateState` may have excused further
      // drops.
      counters.dropped = queued.dropped - min(queued.dropped, progress.excusedDrops)
      counters.overflows = queued.overflows - min(queued.overflows, progress.excusedOverflows)
      counters.queuedBytes = queued.queuedBytes
      counters.queuedPackets = queued.queuedPackets
      counters.queuedVideoUpTo = queued.videoUpTo
      counters.queuedAudioUpTo = queued.audioUpTo
      counters.queueNanos = queued.oldestOfferedAt.map { max(0, now - $0) } ?? 0
      // 0 means that TCP's round-trip time has not been read yet.
      counters.roundTripNanos = roundTripNanos > 0 ? roundTripNanos : nil
      counters.outageNanos = progress.outage.total(now)
      counters.outageSince = progress.outage.since
      return counters
    }
  }
}
