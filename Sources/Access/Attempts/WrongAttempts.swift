// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when wrong attempts are reported in the log: not for a few typing errors, and not for each attempt of an
/// attacker. Reads no clock and does no I/O: the time is passed in.
struct WrongAttempts: Sendable {
  /// The number of wrong attempts within `periodNanos` at which they are reported.
  static let reportThreshold = 10
  /// The time over which attempts are counted, and the minimum time between two reports, in nanoseconds.
  static let periodNanos = Int64.seconds(600)

  /// The number of wrong attempts since the last report, or since counting has begun anew.
  private var count = 0
  /// When the first of the attempts in `count` was made; valid only while `count` is not 0.
  private var first = MediaTime.distantPast
  /// When wrong attempts were last reported.
  private var reported = MediaTime.distantPast

  /// Adds a wrong or refused attempt to the count.
  /// - Returns: the number of attempts since the last report if a new report is due; else `nil`.
  mutating func add(at now: MediaTime) -> Int? {
    // Start counting anew `periodNanos` after the first attempt, unless there are enough attempts for a report: then
    // go on counting until the next report is allowed.
    if now - first >= Self.periodNanos, count < Self.reportThreshold { count = 0 }
    if count == 0 { first = now }
    count += 1
    guard count >= Self.reportThreshold, now - reported >= Self.periodNanos else { return nil }
    defer { count = 0 }
    reported = now
    return count
  }
}
