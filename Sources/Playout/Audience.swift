// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Counts the viewers of the play-out, and decides how long it is needed. Reads no clock and does no I/O: the time is
/// passed in.
///
/// A viewer of HTTP-FLV is a connection. A viewer of HLS is an address from which requests come: HLS has no connection
/// that lasts.
struct Audience {
  /// The time for which an address counts as a viewer after its last request, in nanoseconds.
  static let requestNanos: Int64 = .seconds(10)

  /// The number of viewers of HTTP-FLV.
  private var streams = 0
  /// The time of the last request for HLS, by the address of the viewer.
  private var requests: [String: MediaTime] = [:]

  /// Adds a viewer of HTTP-FLV.
  /// - Returns: `false` if there are `most` viewers already.
  mutating func enter(most: Int, now: MediaTime) -> Bool {
    guard count(now) < most else { return false }
    streams += 1
    return true
  }

  /// Removes a viewer of HTTP-FLV.
  mutating func leave() { streams -= 1 }

  /// Notes a request for HLS.
  /// - Returns: `false` if the address is not that of a viewer yet, and there are `most` viewers already.
  mutating func note(requestFrom address: String, most: Int, now: MediaTime) -> Bool {
    requests = requests.filter { now - $0.value < Audience.requestNanos }
    guard requests[address] != nil || count(now) < most else { return false }
    requests[address] = now
    return true
  }

  /// Forgets the viewers of HLS, as at the end of a broadcast.
  mutating func forgetRequests() { requests = [:] }

  /// The number of viewers.
  func count(_ now: MediaTime) -> Int {
    streams + requests.values.count { now - $0 < Audience.requestNanos }
  }

  /// The time until which the play-out is needed if no further viewer or request comes.
  var neededUntil: MediaTime {
    guard streams == 0 else { return .distantFuture }
    return (requests.values.max() ?? .distantPast) + Audience.requestNanos
  }
}
