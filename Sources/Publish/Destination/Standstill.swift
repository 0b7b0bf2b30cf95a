// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Detects standstills: periods in which this program itself did not run, because of a suspended machine, SIGSTOP or a
/// frozen container. Packets that are late right after a standstill say nothing about the link. Reads no clock: the
/// time is passed in.
struct Standstill {
  /// The longest time between two calls of `look`, in nanoseconds, that does not count as a standstill. `look` should
  /// be called 10 to 20 times a second.
  private static let longestPauseNanos = Int64.seconds(1)
  /// Nanoseconds after a standstill within which the packets that waited during the standstill are sent or dropped.
  private static let aftermathNanos = Int64.seconds(2)

  /// When `look` was last called; `nil` before the first call.
  private var lookedAt: MediaTime?
  /// The value of `MediaClock.suspendedNanos` at the last call of `look`.
  private var suspendedNanos: Int64 = 0
  /// The end of the last standstill; `.distantPast` if there was none.
  private(set) var endedAt = MediaTime.distantPast
  /// The number of standstills so far.
  private(set) var count: UInt64 = 0

  /// Checks whether this program has stood still since the last call. To be called every 50 to 100 ms.
  /// - Parameter suspendedNanos: `MediaClock.suspendedNanos`: the time for which the machine was suspended, which
  ///   CLOCK_MONOTONIC does not count.
  /// - Returns: whether a standstill ended less than two seconds ago.
  mutating func look(now: MediaTime, suspendedNanos: Int64) -> Bool {
    if let lookedAt {
      let pause = now - lookedAt + (suspendedNanos - self.suspendedNanos)
      if pause > Self.longestPauseNanos {
        endedAt = now
        count += 1
      }
    }
    (lookedAt, self.suspendedNanos) = (now, suspendedNanos)
    return now - endedAt < Self.aftermathNanos
  }
}
