// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Says how many samples may be read from a pipe, so that a writer that is faster than time, such as a program that
/// converts a file, is held back, and one whose clock is a little fast is not.
///
/// Reads no clock and does no I/O: the times are passed in.
struct PipePace {
  /// How much faster than their rate samples may be read, in millionths: less than `ClockFollower` follows.
  static let surplusPPM = 1000.0
  /// The longest time whose samples are read at once after a writer was late, in nanoseconds.
  static let burstNanos: Int64 = .milliseconds(250)

  private let framesPerNano: Double
  private let most: Double
  private var credit: Double
  private var last: MediaTime

  /// What may be read at once at the start, in nanoseconds. More would put the first samples of a writer that is never
  /// late ahead of time.
  private static let startNanos: Int64 = .milliseconds(5)

  /// - Parameter rate: sample frames a second.
  init(rate: Int, now: MediaTime) {
    framesPerNano = Double(rate) / 1e9 * (1 + PipePace.surplusPPM / 1e6)
    most = Double(PipePace.burstNanos) * framesPerNano
    credit = max(1, Double(PipePace.startNanos) * framesPerNano)
    last = now
  }

  /// The sample frames that may be read now.
  mutating func allowance(at now: MediaTime) -> Int {
    credit = min(most, credit + Double(max(0, now - last)) * framesPerNano)
    last = now
    return Int(credit)
  }

  /// Notes that sample frames have been read.
  mutating func take(_ frames: Int) { credit -= Double(frames) }
}
