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

  /// When all of them are possible again (the generic cell rate algorithm: one instant instead of a counter and its
  /// time).
  private var full = MediaTime.distantPast

  /// Makes an attempt, if one is left.
  /// - Returns: the nanoseconds until there is one; 0 when it has been made.
  mutating func spend(at now: MediaTime) -> Int64 {
    let start = max(full, now)
    let wait = start - now - Int64(Self.most - 1) * Self.interval
    guard wait <= 0 else { return wait }
    full = start + Self.interval
    return 0
  }

  /// The last attempt does not count.
  mutating func takeBack() { full = full - Self.interval }
}
