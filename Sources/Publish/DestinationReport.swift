// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a destination is at.
public enum DestinationState: String, Sendable, CaseIterable {
  /// Not started, or ended for good.
  case stopped
  /// On the way to the server for the first time, or for the first time since a loss.
  case connecting
  /// The server has taken the connection, and not yet the stream.
  case connected
  /// The server takes the stream; what it has of it is not known, or too long ago.
  case publishing
  /// What was captured a moment ago is known to have arrived, at the machine that answers for the server at
  /// least (`Delivery.Witness`).
  case delivering
  /// An attempt failed; others follow for ever.
  case waiting

  /// Whether the stream is being sent.
  public var isOnAir: Bool { self == .publishing || self == .delivering }
}

/// A change of a destination's state or cause. `ReportFilter` leaves out what repeats itself.
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
  public var target: RTMPTarget
  /// Whether any server has taken the stream since the destination was started.
  public var wasPublished = false
}

/// Figures of a destination since its start. They only grow, except the ages of things.
public struct DestinationCounters: Sendable, Equatable {
  /// What it is at now; during attempts after the first it is `connecting` in turn.
  public var state = DestinationState.stopped
  /// What has been in the way since the stream was last taken; `nil` while it is.
  public var obstacle: DestinationCause?
  /// The link does not carry the bitrate, or did not a moment ago.
  public var isSlow = false
  /// Bytes of messages handed to the kernel, without RTMP's own headers.
  public var bytesSent: UInt64 = 0
  /// Pictures handed to the kernel.
  public var picturesSent: UInt64 = 0
  /// Pictures and sounds thrown away while connected, because the link was too slow.
  public var dropped: UInt64 = 0
  /// Times that the queue was given up.
  public var overflows: UInt64 = 0
  /// Connections made after the first.
  public var reconnects: UInt64 = 0
  /// Attempts that failed, and connections lost.
  public var failures: UInt64 = 0
  /// Bytes that wait in the queue now.
  public var queuedBytes = 0
  /// What the server last was known to have; `nil` before the first picture or sound came there.
  public var delivery: Delivery?
  /// When the thread last did anything. It never sleeps for longer than 2 s; within a step it may
  /// be silent for as long as `RTMPDeadlines` allows the step.
  public var aliveAt = MediaTime.distantPast
}
