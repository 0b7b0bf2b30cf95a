// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc

/// Converts media time to the wall clock's time, so that the test picture's flash and the tone's beep begin with the
/// same second.
///
/// The offset between the clocks is measured once. It stays valid while NTP slews the clocks, because that moves both.
/// It is not updated if the wall clock is *set* later, or if summer time begins or ends.
public struct SecondBeat: Sendable, Equatable {
  /// The duration of the beep and of the flash, from the start of each second, in nanoseconds.
  public static let beepNanos: Int64 = .milliseconds(100)

  /// An instant as the local time of day.
  public struct Moment: Sendable, Equatable {
    /// When the second of the wall clock that contains the instant began, in media time.
    public var secondStartsAt: MediaTime
    /// The time since the second began, in nanoseconds: 0 ..< 1,000,000,000.
    public var nanosIntoSecond: Int64
    /// The hour of the day: 0 to 23.
    public var hours: Int
    /// The minute of the hour: 0 to 59.
    public var minutes: Int
    /// The second of the minute: 0 to 59.
    public var seconds: Int
    /// The millisecond of the second: 0 to 999.
    public var milliseconds: Int
    /// Whether the flash and the beep are on at this instant.
    public var isBeat: Bool { nanosIntoSecond < SecondBeat.beepNanos }
  }

  /// The nanoseconds that have to be added to a `MediaTime` to give CLOCK_REALTIME.
  private let wallOffset: Int64
  /// The seconds by which the local time is ahead of UTC.
  private let secondsEastOfUTC: Int64

  /// - Parameters:
  ///   - wallOffset: the nanoseconds by which CLOCK_REALTIME is ahead of CLOCK_MONOTONIC.
  ///   - secondsEastOfUTC: the offset of the local time zone from UTC.
  public init(wallOffset: Int64, secondsEastOfUTC: Int) {
    self.wallOffset = wallOffset
    self.secondsEastOfUTC = Int64(secondsEastOfUTC)
  }

  /// Measures the offset between this machine's CLOCK_REALTIME and CLOCK_MONOTONIC.
  public init() {
    var best = (gap: Int64.max, offset: Int64(0))
    // The wall clock is read between two readings of the monotonic clock, eight times. The attempt with the least time
    // between these two readings is used.
    for _ in 0..<8 {
      var wall = timespec()
      let before = MediaTime.now()
      unsafe clock_gettime(CLOCK_REALTIME, &wall)
      let gap = MediaTime.now() - before
      let wallNanos = MediaTime(seconds: wall.tv_sec, nanoseconds: wall.tv_nsec).nanos
      if gap < best.gap { best = (gap, wallNanos - (before.nanos + gap / 2)) }
    }
    var seconds = time_t((MediaTime.now().nanos + best.offset) / 1_000_000_000)
    var local = unsafe tm()
    unsafe localtime_r(&seconds, &local)
    self.init(wallOffset: best.offset, secondsEastOfUTC: unsafe local.tm_gmtoff)
  }

  /// Converts an instant of media time to the local time of day.
  public func moment(at time: MediaTime) -> Moment {
    let wall = time.nanos + wallOffset
    let into = SecondBeat.remainder(wall, 1_000_000_000)
    let second = (wall - into) / 1_000_000_000
    let ofDay = SecondBeat.remainder(second + secondsEastOfUTC, 86_400)
    return Moment(
      secondStartsAt: time - into, nanosIntoSecond: into, hours: Int(ofDay / 3600),
      minutes: Int(ofDay / 60 % 60), seconds: Int(ofDay % 60),
      milliseconds: Int(into / 1_000_000))
  }

  /// `a` modulo `b`, never negative.
  private static func remainder(_ a: Int64, _ b: Int64) -> Int64 {
    let rest = a % b
    return rest < 0 ? rest + b : rest
  }
}
