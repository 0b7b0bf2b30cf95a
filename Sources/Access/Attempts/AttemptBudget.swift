// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Limits the attempts of all clients together: many at once, but few on average. Even an attacker who has thousands of
/// addresses can try only some 17,000 passwords a day.
struct AttemptBudget: Sendable {
  /// The most attempts at once.
  static let most = 60
  /// Nanoseconds after which one more attempt becomes possible.
  static let interval = Int64.seconds(5)

  /// When `most` attempts at once are possible again. This one time stands for a counter and its last change (the
  /// generic cell rate algorithm).
  private var fullAt = MediaTime.distantPast

  /// Takes an attempt from the budget, if one is left.
  /// - Returns: the nanoseconds until there is an attempt to take; 0 when one has been taken.
  mutating func spend(at now: MediaTime) -> Int64 {
    let start = max(fullAt, now)
    let wait = start - now - Int64(Self.most - 1) * Self.interval
    guard wait <= 0 else { return wait }
    fullAt = start + Self.interval
    return 0
  }

  /// Gives back the attempt that was taken last.
  mutating func refund() { fullAt = fullAt - Self.interval }
}
