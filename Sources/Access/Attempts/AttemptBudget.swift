// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The attempts of all clients together: many at once, but few on average. Whoever has thousands of addresses can try
/// some 17,000 passwords a day.
struct AttemptBudget: Sendable {
  /// Attempts at once.
  static let most = 60
  /// The time in which one more becomes possible.
  static let interval = Int64.seconds(5)

  /// When `most` attempts at once are possible again. This one time stands for a counter and its last change (the generic
  /// cell rate algorithm).
  private var fullAt = MediaTime.distantPast

  /// Makes an attempt, if one is left.
  /// - Returns: the nanoseconds until there is one; 0 when it has been made.
  mutating func spend(at now: MediaTime) -> Int64 {
    let start = max(fullAt, now)
    let wait = start - now - Int64(Self.most - 1) * Self.interval
    guard wait <= 0 else { return wait }
    fullAt = start + Self.interval
    return 0
  }

  /// Gives the last attempt back.
  mutating func refund() { fullAt = fullAt - Self.interval }
}
