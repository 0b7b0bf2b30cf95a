// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// An instant on CLOCK_MONOTONIC, the common timeline of video and audio.
///
/// V4L2 and ALSA use the same clock (`V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC`, `SND_PCM_TSTAMP_TYPE_MONOTONIC`), so
/// the timestamps of devices need no conversion.
public struct MediaTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since an arbitrary start (the boot, on Linux).
  public var nanos: Int64

  public init(nanos: Int64) { self.nanos = nanos }

  /// Converts the seconds and nanoseconds of a `timespec`.
  public init(seconds: Int, nanoseconds: Int) {
    nanos = Int64(seconds) * 1_000_000_000 + Int64(nanoseconds)
  }

  /// The present instant, read from CLOCK_MONOTONIC.
  public static func now() -> MediaTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// An instant before all others; adding nanoseconds to it does not overflow.
  public static let distantPast = MediaTime(nanos: .min / 2)
  /// An instant after all others; adding nanoseconds to it does not overflow.
  public static let distantFuture = MediaTime(nanos: .max / 2)

  public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanos < b.nanos }

  /// The nanoseconds from `b` to `a`; negative if `a` is earlier.
  public static func - (a: MediaTime, b: MediaTime) -> Int64 { a.nanos - b.nanos }

  public static func + (a: MediaTime, nanos: Int64) -> MediaTime {
    MediaTime(nanos: a.nanos + nanos)
  }

  public static func - (a: MediaTime, nanos: Int64) -> MediaTime {
    MediaTime(nanos: a.nanos - nanos)
  }

  /// This instant as a `timespec`, for C functions that take a deadline. A negative time becomes 0, since those
  /// functions refuse negative ones.
  var timespecValue: timespec {
    let (seconds, rest) = max(0, nanos).quotientAndRemainder(dividingBy: 1_000_000_000)
    return timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
  }

  /// Blocks the calling thread until this instant; returns at once if it has passed.
  public func sleepUntil() {
    var deadline = timespecValue
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
  }
}

extension Int64 {
  /// The nanoseconds in `count` milliseconds.
  public static func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }
  /// The nanoseconds in `count` seconds.
  public static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }
}
