// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// What the path itself takes for a byte and its acknowledgement, with little or no queue: the least of the last ten to
/// twenty seconds, or what a path that has become longer takes while next to nothing is sent.
struct PathRoundTrip: Sendable {
  private static let window: Int64 = .seconds(10)
  /// Fewer bytes on their way, less than a packet, make little of a queue.
  private static let nextToNothing = 1_000
  /// After so many acknowledgements nothing of an earlier queue is left in TCP's mean.
  private static let settled = 40

  /// The least of this window and of the one before.
  private var least = (now: Int64.max, before: Int64.max)
  private var since = MediaTime.distantPast
  /// The least while next to nothing is on its way, and how often something has arrived meanwhile.
  private var idle = (least: Int64.max, arrivals: 0)

  /// Nanoseconds.
  var nanos: Int64 { min(least.now, least.before) }

  /// - Parameters:
  ///   - roundTrip: TCP's mean, in nanoseconds.
  ///   - hasArrived: whether anything has been acknowledged since the last time.
  mutating func note(_ roundTrip: Int64, onTheWayBytes: Int, hasArrived: Bool, now: MediaTime) {
    if now - since > PathRoundTrip.window {
      least = (.max, least.now)
      since = now
    }
    least.now = min(least.now, roundTrip)
    guard onTheWayBytes < PathRoundTrip.nextToNothing else {
      idle = (.max, 0)
      return
    }
    guard hasArrived else { return }
    idle = (min(idle.least, roundTrip), idle.arrivals + 1)
    guard idle.arrivals >= PathRoundTrip.settled else { return }
    least = (idle.least, idle.least)
    idle = (.max, 0)
  }
}
