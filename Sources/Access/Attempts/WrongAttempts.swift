// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when the log tells of wrong attempts: not for a slip of the hand, and not for each of an attacker's.
struct WrongAttempts: Sendable {
  /// Within `period`.
  static let many = 10
  static let period = Int64.seconds(600)

  private var count = 0
  private var first = MediaTime.distantPast
  private var reported = MediaTime.distantPast

  /// Counts a wrong or refused attempt.
  /// - Returns: how many there were since the last report, if it is time for one.
  mutating func note(at now: MediaTime) -> Int? {
    // While a report is held back, the count goes on.
    if now - first >= Self.period, count < Self.many { count = 0 }
    if count == 0 { first = now }
    count += 1
    guard count >= Self.many, now - reported >= Self.period else { return nil }
    defer { count = 0 }
    reported = now
    return count
  }
}
