// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides which changes of the link are reported: each step down, a weak link only when it lasts, and the recovery
/// after ten good seconds. Pure: the caller passes the time.
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

  /// There is no connection: its absence says nothing about the link.
  mutating func pause() {
    goodSince = nil
    weakSince = nil
  }
}
