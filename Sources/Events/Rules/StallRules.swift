// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// Decides when it is reported that viewers get a still or silence because a source delivers nothing and says nothing of
/// it, as on a machine that is too busy. Reads no clock and does no I/O: the time is passed in.
package struct StallRules: Sendable {
  /// What a call of `check` reports.
  package enum Report: Equatable, Sendable {
    case begun
    /// The source has delivered for `falling`. The value is the sum of its stalls, in seconds and at least 1.
    case over(seconds: Int)
  }

  /// Nanoseconds that a stall lasts before it is reported: devices report their own failures within this time.
  static let rising = Int64.milliseconds(500)
  /// A stall that begins less than this many nanoseconds after the last one belongs to the same report.
  static let falling = Int64.seconds(10)

  /// Whether the last report was of a begin.
  private var isReported = false
  /// When the present stall began; `nil` while there is none.
  private var since: MediaTime?
  /// When `check` was last called with a stall.
  private var lastAt: MediaTime?
  /// The sum of the stalls of one report, without the present one.
  private var earlierNanos: Int64 = 0

  package init() {}

  /// Whether a reported source delivers nothing at the moment.
  package var isStalled: Bool { isReported && since != nil }

  /// Notes whether viewers lack what the source should deliver; `nil` while nothing has to be reported, since the
  /// source gives its own reason, or nothing is broadcast. To be called many times a second.
  package mutating func check(isLacking: Bool?, now: MediaTime) -> Report? {
    guard let isLacking else {
      self = StallRules()
      return nil
    }
    if isLacking {
      let begin = since ?? now
      (since, lastAt) = (begin, now)
      guard !isReported, now - begin >= StallRules.rising else { return nil }
      isReported = true
      return .begun
    }
    if let begin = since, let lastAt { earlierNanos += lastAt - begin }
    since = nil
    guard let lastAt, now - lastAt >= StallRules.falling else { return nil }
    let seconds = Int(earlierNanos / 1_000_000_000)
    defer { self = StallRules() }
    return isReported ? .over(seconds: max(1, seconds)) : nil
  }
}
