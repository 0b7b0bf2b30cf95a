// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc

/// Maps the media timeline to the wall clock, so that the test picture's flash and the tone's beep mark the same second.
///
/// The offset between the clocks is measured once. It stays valid while NTP slews, which moves both clocks. If the
/// wall clock is *set* later, or summer time begins or ends, the offset is not updated.
public struct SecondBeat: Sendable, Equatable {
  /// Duration of the beep and the flash, from the start of each second.
  public static let beepNanos: Int64 = .milliseconds(100)

  /// An instant in local time.
  public struct Moment: Sendable, Equatable {
    /// When the second began.
    public var secondStartsAt: MediaTime
    /// 0 ..< 1,000,000,000.
    public var nanosIntoSecond: Int64
    /// 0 to 23.
    public var hours: Int
    /// 0 to 59.
    public var minutes: Int
    /// 0 to 59.
    public var seconds: Int
    /// 0 to 999.
    public var milliseconds: Int
    /// Whether flash and beep are on.
    public var isBeat: Bool { nanosIntoSecond < SecondBeat.beepNanos }
  }

  /// Nanoseconds to add to a `MediaTime` for CLOCK_REALTIME.
  private let wallOffset: Int64
  private let secondsEastOfUTC: Int64

  /// - Parameters:
  ///   - wallOffset: nanoseconds from CLOCK_MONOTONIC to CLOCK_REALTIME.
  ///   - secondsEastOfUTC: the local time zone.
  public init(wallOffset: Int64, secondsEastOfUTC: Int) {
    self.wallOffset = wallOffset
    self.secondsEastOfUTC = Int64(secondsEastOfUTC)
  }

  /// Measures the offset between this machine's clocks.
  public init() {
    var best = (gap: Int64.max, offset: Int64(0))
    // The wall clock is read between two readings of the monotonic clock; the closest pair is used.
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

  /// Converts an instant to local time.
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
