// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds the times in which this program itself stood still: a suspended machine, SIGSTOP, a frozen container. What is late
/// right after them says nothing about the link. Pure.
struct Standstill {
  /// Nanoseconds between two looks after which the program did not run. There should be 20 in a second.
  private static let longestPause = Int64.seconds(1)
  /// Nanoseconds within which what had waited meanwhile is dropped or sent.
  private static let aftermath = Int64.seconds(2)

  private var lookedAt: MediaTime?
  private var suspendedNanos: Int64 = 0
  /// The end of the last one.
  private(set) var endedAt = MediaTime.distantPast
  private(set) var count: UInt64 = 0

  /// To be called twenty times a second.
  /// - Parameter suspendedNanos: `MediaClock.suspendedNanos`, which CLOCK_MONOTONIC does not count.
  /// - Returns: whether one has just been.
  mutating func look(now: MediaTime, suspendedNanos: Int64) -> Bool {
    if let lookedAt {
      let pause = now - lookedAt + (suspendedNanos - self.suspendedNanos)
      if pause > Self.longestPause {
        endedAt = now
        count += 1
      }
    }
    (lookedAt, self.suspendedNanos) = (now, suspendedNanos)
    return now - endedAt < Self.aftermath
  }
}
