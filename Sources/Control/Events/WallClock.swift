// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc

/// The time of day, for display and for times that others define in it. It may jump when the clock is set, so durations
/// are measured with `MediaClock`.
package struct WallClock: Sendable {
  /// CLOCK_REALTIME.
  package static let system = WallClock {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  private let read: @Sendable () -> Int64

  /// - Parameter read: milliseconds since 1970.
  init(read: @escaping @Sendable () -> Int64) { self.read = read }

  /// Milliseconds since 1970.
  var milliseconds: Int64 { read() }

  /// Seconds since 1970.
  var seconds: Int64 { read() / 1_000 }

  /// "2026-01-31T12:00:00.000Z".
  static func text(_ milliseconds: Int64) -> String {
    let seconds = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let whole = Date(timeIntervalSince1970: Double(seconds.quotient)).formatted(
      Date.ISO8601FormatStyle())
    let fraction = "\(1_000 + seconds.remainder)".dropFirst()
    return "\(whole.dropLast()).\(fraction)Z"
  }
}
