// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when wrong attempts are reported in the log: not for a few slips of the hand, and not for each attempt of an
/// attacker. Reads no clock and does no I/O: the time is passed in.
struct WrongAttempts: Sendable {
  /// Wrong attempts within `period` after which they are reported.
  static let many = 10
  /// Nanoseconds in which attempts are counted. At least as many pass between two reports.
  static let period = Int64.seconds(600)

  private var count = 0
  private var first = MediaTime.distantPast
  private var reported = MediaTime.distantPast

  /// Counts a wrong or refused attempt.
  /// - Returns: the number of attempts since the last report if it is time for one; else `nil`.
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
