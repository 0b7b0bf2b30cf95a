// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Estimates the round-trip time of the path without queueing delay: the minimum of the last 10 to 20 seconds. While
/// almost nothing is in flight there is no queueing delay: a longer round-trip time is that of the path, and replaces
/// the minimum after `settledArrivals` acknowledgements.
struct PathRoundTrip: Sendable {
  /// The length of a window in nanoseconds. The minima of the present and the previous window are kept.
  private static let windowNanos: Int64 = .seconds(10)
  /// With fewer bytes in flight than this, less than one TCP segment, the path has practically no queue.
  private static let idleBytes = 1_000
  /// After how many acknowledgements TCP's smoothed round-trip time no longer contains the delay of an earlier queue.
  private static let settledArrivals = 40

  /// The shortest round-trip time in the present window and in the previous one, in nanoseconds.
  private var least = (now: Int64.max, before: Int64.max)
  /// When the present window began.
  private var windowBeganAt = MediaTime.distantPast
  /// The shortest round-trip time, in nanoseconds, and the number of acknowledgements since the time from which almost
  /// nothing has been in flight.
  private var idle = (least: Int64.max, arrivals: 0)

  /// The estimated round-trip time in nanoseconds; `Int64.max` before the first measurement.
  var nanos: Int64 { min(least.now, least.before) }

  /// Adds a measurement to the estimate.
  /// - Parameters:
  ///   - roundTrip: TCP's smoothed round-trip time, in nanoseconds.
  ///   - hasArrived: whether anything has been acknowledged since the last call.
  mutating func add(_ roundTrip: Int64, inFlightBytes: Int, hasArrived: Bool, now: MediaTime) {
    if now - windowBeganAt > PathRoundTrip.windowNanos {
      least = (.max, least.now)
      windowBeganAt = now
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
