// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// Decides when to report that viewers get a still or silence because a source delivers nothing and gives no reason, as
/// happens on a machine that is too busy. Reads no clock and does no I/O: the time is passed in.
package struct StallRules: Sendable {
  /// What a call of `check` reports.
  package enum Report: Equatable, Sendable {
    /// Viewers have got a still or silence for `risingNanos`.
    case begun
    /// The source has delivered again for `fallingNanos`. The value is how long it had stalled, in seconds: at least 1.
    case over(seconds: Int)
  }

  /// Nanoseconds that a stall lasts before it is reported: devices report their own failures within this time.
  static let risingNanos = Int64.milliseconds(500)
  /// Nanoseconds after the end of a stall. A stall that begins within this time belongs to the same report.
  static let fallingNanos = Int64.seconds(10)

  /// Whether `check` has reported `begun`, and `over` has not followed.
  private var isReported = false
  /// When the current stall began; `nil` while there is none.
  private var since: MediaTime?
  /// When `check` was last called during a stall; `nil` if there was none.
  private var lastAt: MediaTime?
  /// The length in nanoseconds of the earlier stalls that belong to the same report. The current stall is not included.
  private var earlierNanos: Int64 = 0

  package init() {}

  /// Whether a stall was reported and still lasts.
  package var isStalled: Bool { isReported && since != nil }

  /// Notes the state of the source. To be called many times a second.
  /// - Parameters:
  ///   - isLost: whether the source delivers nothing; `nil` while nothing has to be reported, since the source gives its
  ///     own reason, or nothing is broadcast.
  ///   - isShown: whether viewers should get the source. While it is `false`, as in a pause, a lost source neither begins
  ///     nor ends a stall, and the time does not count.
  /// - Returns: the report that is due; `nil` for none.
  package mutating func check(isLost: Bool?, isShown: Bool = true, now: MediaTime) -> Report? {
    guard let isLost else {
      self = StallRules()
      return nil
    }
    if isLost, !isShown, isStalled {
      if let since, let lastAt { earlierNanos += lastAt - since }
      (since, lastAt) = (now, now)
      return nil
    }
    if isLost, isShown {
      let begin = since ?? now
      (since, lastAt) = (begin, now)
      guard !isReported, now - begin >= StallRules.risingNanos else { return nil }
      isReported = true
      return .begun
    }
    if let begin = since, let lastAt { earlierNanos += lastAt - begin }
    since = nil
    guard let lastAt, now - lastAt >= StallRules.fallingNanos else { return nil }
    let seconds = Int(earlierNanos / 1_000_000_000)
    defer { self = StallRules() }
    return isReported ? .over(seconds: max(1, seconds)) : nil
  }
}
