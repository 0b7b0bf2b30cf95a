// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a sink's request for a keyframe is met. A request of the main destination is met at once; for all other
/// sinks together, at most one keyframe is forced every two seconds. Reads no clock and does no I/O: the time is passed
/// in.
struct KeyframeRequests {
  /// The minimum time, in nanoseconds, between keyframes that are forced for other sinks than the main destination.
  private static let intervalNanos = Int64.seconds(2)

  /// When a keyframe was last forced for a sink other than the main destination.
  private var forcedAt = MediaTime.distantPast

  /// Whether the next frame has to be a keyframe.
  /// - Parameters:
  ///   - main: whether the main destination requests one.
  ///   - others: whether another sink requests one.
  func isDue(main: Bool, others: Bool, now: MediaTime) -> Bool {
    main || others && now - forcedAt >= KeyframeRequests.intervalNanos
  }

  /// Like `isDue`, for a frame that is about to be encoded. If only sinks other than the main destination request the
  /// keyframe, no further keyframe is forced for such sinks in the next two seconds.
  mutating func take(main: Bool, others: Bool, now: MediaTime) -> Bool {
    guard isDue(main: main, others: others, now: now) else { return false }
    if !main { forcedAt = now }
    return true
  }
}
