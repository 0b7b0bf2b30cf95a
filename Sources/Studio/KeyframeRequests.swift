// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Merges what sinks ask of the encoder: the main destination's request for a keyframe counts at once, those of the
/// others force at most one every two seconds. Pure: the caller passes the time.
struct KeyframeRequests {
  private static let interval = Int64.seconds(2)

  /// When a keyframe was last forced for others than the main destination.
  private var forcedAt = MediaTime.distantPast

  /// Whether the next frame has to be a keyframe.
  func isDue(main: Bool, others: Bool, now: MediaTime) -> Bool {
    main || others && now - forcedAt >= KeyframeRequests.interval
  }

  /// Like `isDue`, for a frame that is about to be encoded.
  mutating func take(main: Bool, others: Bool, now: MediaTime) -> Bool {
    guard isDue(main: main, others: others, now: now) else { return false }
    if !main { forcedAt = now }
    return true
  }
}
