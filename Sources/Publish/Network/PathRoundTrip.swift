// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Estimates the round-trip time of the path without its queues: the minimum of the last 10 to 20 seconds. While
/// almost nothing is in flight there is no queue, so then a longer round trip is accepted sooner.
struct PathRoundTrip: Sendable {
  private static let window: Int64 = .seconds(10)
  /// With fewer bytes in flight than this, less than one packet, there is no queue to speak of.
  private static let idleBytes = 1_000
  /// After this many acknowledgements TCP's smoothed value no longer contains an earlier queue.
  private static let settledArrivals = 40

  /// The minimum of this window and of the previous one.
  private var least = (now: Int64.max, before: Int64.max)
  private var since = MediaTime.distantPast
  /// The minimum while almost nothing is in flight, and how often something was acknowledged meanwhile.
  private var idle = (least: Int64.max, arrivals: 0)

  /// The estimate in nanoseconds.
  var nanos: Int64 { min(least.now, least.before) }

  /// - Parameters:
  ///   - roundTrip: TCP's smoothed round-trip time, in nanoseconds.
  ///   - hasArrived: whether anything has been acknowledged since the last call.
  mutating func note(_ roundTrip: Int64, inFlightBytes: Int, hasArrived: Bool, now: MediaTime) {
    if now - since > PathRoundTrip.window {
      least = (.max, least.now)
      since = now
    }
    least.now = min(least.now, roundTrip)
    guard inFlightBytes < PathRoundTrip.idleBytes else {
      idle = (.max, 0)
      return
    }
    guard hasArrived else { return }
    idle = (min(idle.least, roundTrip), idle.arrivals + 1)
    guard idle.arrivals >= PathRoundTrip.settledArrivals else { return }
    least = (idle.least, idle.least)
    idle = (.max, 0)
  }
}
