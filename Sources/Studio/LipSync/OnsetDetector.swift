// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media

/// Finds beginnings of beeps and claps in audio: the level above 2 kHz rises by 12 dB within 2 ms. Voices and hum are
/// mostly below. Reads no clock: the times are passed in.
struct OnsetDetector {
  /// The factor by which the level rises: 12 dB.
  private static let rise: Float = 4
  /// The level below which nothing counts: -50 dB of full scale.
  private static let floor: Float = 0.003
  /// How long after an onset no other is looked for, in nanoseconds.
  static let deadNanos: Int64 = .milliseconds(400)
  /// The sample frames of a step of the level: 0.5 ms.
  private static let stepFrames = 24
  /// How many steps the level of before is apart from the present one: 2 ms.
  private static let stepsBack = 4

  /// A high-pass filter of second order at 2 kHz (Butterworth; bilinear transform).
  private struct HighPass {
    private let (b0, b1, b2, a1, a2): (Float, Float, Float, Float, Float)
    private var (x1, x2, y1, y2): (Float, Float, Float, Float) = (0, 0, 0, 0)

    init() {
      let omega = 2 * Double.pi * 2_000 / Double(PCM.sampleRate)
      let (cosine, alpha) = (cos(omega), sin(omega) / 2.0.squareRoot())
      let a0 = 1 + alpha
      b0 = Float((1 + cosine) / 2 / a0)
      b1 = Float(-(1 + cosine) / a0)
      b2 = b0
      a1 = Float(-2 * cosine / a0)
      a2 = Float((1 - alpha) / a0)
    }

    mutating func filter(_ x: Float) -> Float {
      let y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
      (x2, x1, y2, y1) = (x1, x, y1, y)
      return y
    }
  }

  private var filters: (HighPass, HighPass) = (HighPass(), HighPass())
  /// The largest value in the present step, and how many sample frames it has.
  private var (peak, frames): (Float, Int) = (0, 0)
  /// The levels of the last steps, the oldest first.
  private var levels = [Float](repeating: 1, count: stepsBack + 1)
  private var lastOnset = MediaTime.distantPast

  /// Takes a sample.
  /// - Parameter time: when it was captured.
  /// - Returns: when a sound began; `nil` for none.
  mutating func take(_ sample: Float, at time: MediaTime) -> MediaTime? {
    peak = max(peak, abs(filters.1.filter(filters.0.filter(sample))))
    frames += 1
    guard frames == OnsetDetector.stepFrames else { return nil }
    levels.removeFirst()
    levels.append(peak)
    (peak, frames) = (0, 0)
    guard let now = levels.last, let before = levels.first, now > OnsetDetector.floor,
      now > OnsetDetector.rise * max(before, OnsetDetector.floor / OnsetDetector.rise),
      time - lastOnset > OnsetDetector.deadNanos
    else { return nil }
    lastOnset = time
    // In the first step of the rise.
    let limit = OnsetDetector.rise * max(before, OnsetDetector.floor / OnsetDetector.rise)
    let first = levels.firstIndex { $0 > limit } ?? levels.count - 1
    let steps = levels.count - first
    return time - PCM.nanos(frames: steps * OnsetDetector.stepFrames) + PCM.nanos(frames: 12)
  }
}
