// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Limits the login attempts of all clients together: a burst of many attempts is allowed, but few are on average. Even
/// an attacker who has thousands of addresses can try only some 17,000 passwords a day.
struct AttemptBudget: Sendable {
  /// The most attempts in one burst.
  static let maxBurst = 60
  /// Nanoseconds after which one more attempt becomes possible.
  static let intervalNanos = Int64.seconds(5)

  /// When a burst of `maxBurst` attempts will be possible again. This one time stands for a counter and its last change
  /// (the generic cell rate algorithm).
  private var fullAt = MediaTime.distantPast

  /// Takes an attempt from the budget, if one is left.
  /// - Returns: the nanoseconds until there is an attempt to take; 0 when one has been taken.
  mutating func spend(at now: MediaTime) -> Int64 {
    let start = max(fullAt, now)
    let wait = start - now - Int64(Self.maxBurst - 1) * Self.intervalNanos
    guard wait <= 0 else { return wait }
    fullAt = start + Self.intervalNanos
    return 0
  }

  /// Gives back the attempt that was taken last.
  mutating func refund() { fullAt = fullAt - Self.intervalNanos }
}
