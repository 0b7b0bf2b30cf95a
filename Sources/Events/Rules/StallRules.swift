// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// Decides when to report that viewers get a still or silence because a source delivers nothing and gives no reason, as
/// happens on a machine that is too busy. Reads no clock and does no I/O: the time is passed in.
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

  /// Whether `check` has reported `begun`, and `over` has not followed.
  private var isReported = false
  /// When the present stall began; `nil` while there is none.
  private var since: MediaTime?
  /// When `check` was last called during a stall; `nil` if there was none.
  private var lastAt: MediaTime?
  /// The length of the stalls that belong to the same report, in nanoseconds, without the present stall.
  private var earlierNanos: Int64 = 0

  package init() {}

  /// Whether a stall was reported and still lasts.
  package var isStalled: Bool { isReported && since != nil }

  /// Notes whether the source stalls. To be called many times a second.
  /// - Parameter isLacking: whether viewers lack what the source should deliver; `nil` while no stall has to be
  ///   reported, since the source gives its own reason, or nothing is broadcast.
  /// - Returns: the report that is due; `nil` for none.
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
