// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides which changes of the link's quality are reported: a poor link at once, a weak link when it has lasted for
/// five seconds, and the recovery after ten good seconds. Reads no clock and does no I/O: the time is passed in.
struct LinkChanges {
  enum Change { case degraded, recovered }

  private static let settledNanos: Int64 = .seconds(10)

  private static let lastingNanos: Int64 = .seconds(5)

  private var reported = LinkQuality.good
  private var goodSince: MediaTime?
  private var weakSince: MediaTime?

  mutating func take(_ link: LinkQuality, now: MediaTime) -> Change? {
    guard link == .good else {
      goodSince = nil
      let since = weakSince ?? now
      weakSince = since
      guard link == .poor ? reported != .poor : reported == .good,
        link == .poor || now - since >= LinkChanges.lastingNanos
      else { return nil }
      reported = link
      return .degraded
    }
    weakSince = nil
    guard reported != .good else { return nil }
    let since = goodSince ?? now
    goodSince = since
    guard now - since >= LinkChanges.settledNanos else { return nil }
    reported = .good
    return .recovered
  }

  /// Begins the waiting times anew, because there is no connection: that says nothing about the quality of the link.
  mutating func pause() {
    goodSince = nil
    weakSince = nil
  }
}
