// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides which changes of the link's quality are reported: a poor link at once, a weak link after five seconds, and
/// the recovery after ten seconds with a good link. Reads no clock and does no I/O: the time is passed in.
struct LinkChanges {
  /// A change of the link's quality that is reported: it became weak or poor, or good again.
  enum Change { case degraded, recovered }

  /// Nanoseconds for which the link must be good before its recovery is reported.
  private static let recoveryNanos: Int64 = .seconds(10)

  /// Nanoseconds for which the link must be weak before it is reported as weak.
  private static let minWeakNanos: Int64 = .seconds(5)

  /// The quality that was last reported.
  private var reported = LinkQuality.good
  /// Since when the link has been good; `nil` if it is not, or if `reported` is `good`.
  private var goodSince: MediaTime?
  /// Since when the link has been weak or poor; `nil` while it is good.
  private var weakSince: MediaTime?

  /// Notes the quality of the link at the time `now`.
  /// - Returns: the change to report; `nil` for none.
  mutating func note(_ link: LinkQuality, now: MediaTime) -> Change? {
    guard link == .good else {
      goodSince = nil
      let since = weakSince ?? now
      weakSince = since
      guard link == .poor ? reported != .poor : reported == .good,
        link == .poor || now - since >= LinkChanges.minWeakNanos
      else { return nil }
      reported = link
      return .degraded
    }
    weakSince = nil
    guard reported != .good else { return nil }
    let since = goodSince ?? now
    goodSince = since
    guard now - since >= LinkChanges.recoveryNanos else { return nil }
    reported = .good
    return .recovered
  }

  /// Counts the time with a weak link and the time with a good link from zero again. To be called while the quality of
  /// the link is unknown, as without a connection.
  mutating func restartCounting() {
    goodSince = nil
    weakSince = nil
  }
}
