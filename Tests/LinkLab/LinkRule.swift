// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a rule knows about the link, in seconds, bytes and kbit/s.
public struct LinkView {
  /// Age of the oldest message in the program's queue.
  public var queueSeconds = 0.0
  public var queueBytes = 0.0
  public var queueMessages = 0
  /// Totals.
  public var encodedBytes = 0.0
  public var audioBytes = 0.0
  public var handedBytes = 0.0
  public var acknowledgedBytes = 0.0
  /// Handed to the kernel and not acknowledged.
  public var underWay = 0.0
  /// Age of the oldest unacknowledged message.
  public var oldestSeconds = 0.0
  /// The round-trip time with queue delay, as TCP measures it, and the minimum without.
  public var roundTrip = 0.0
  public var leastRoundTrip = 0.0
}

/// A rule's decision.
public struct Sending {
  public var videoKbps: Double
  public var audioKbps: Double
  public var frameStep = 1
  public var isStill = false
  /// The waiting video is to be dropped.
  public var dropsVideo = false
  /// In-flight limit in bytes.
  public var maxInFlightBytes = Double.infinity
  /// When the number rises, the next frame is filled up to so many bytes.
  public var burst: (number: UInt32, bytes: Double) = (0, 0)
  /// Capacity from which the queue computes what would arrive too late.
  public var capacityKbps: Double?

  public init(videoKbps: Double, audioKbps: Double) {
    self.videoKbps = videoKbps
    self.audioKbps = audioKbps
  }
}

/// How a program manages its queue.
public struct QueueHabits {
  /// Socket buffer beyond the bytes in flight, as a share of those and in bytes; the larger one counts.
  public var kernelShare = 1.0
  public var kernelBytes = 65_536.0
  /// Above this age of the queue, video is dropped up to the next keyframe.
  public var mostSeconds = Double.infinity
  /// Requests a keyframe as soon as the queue is empty, rather than waiting for the next one.
  public var asksForKey = false
  /// Above this age a message is dropped.
  public var staleSeconds = Double.infinity
  public init() {}
}

/// A rate control algorithm.
public protocol LinkRule {
  var habits: QueueHabits { get }
  /// Called 20 times a second.
  mutating func tick(_ view: LinkView, at now: Double) -> Sending
}
