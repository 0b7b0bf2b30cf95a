// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Applies a gain that is computed once for each few sample frames, and moves linearly in between.
struct GainSteps {
  /// Sample frames from one gain to the next: 1/3 ms.
  static let frames = 16
  static let seconds = Double(frames) / 48_000

  /// The gain at the end of the last step.
  private var gain: Float = 1

  /// Multiplies samples in place.
  /// - Parameter nextGain: the gain for the end of a step, given the largest absolute value of its samples.
  mutating func apply(
    to interleaved: UnsafeMutablePointer<Float>, frames: Int, channels: Int,
    nextGain: (_ level: Float) -> Float
  ) {
    var start = 0
    while start < frames {
      let count = min(GainSteps.frames, frames - start)
      let samples = unsafe interleaved + start * channels
      var level: Float = 0
      for index in 0..<count * channels { unsafe level = max(level, abs(samples[index])) }
      let wanted = nextGain(level)
      if gain != 1 || wanted != 1 {
        let step = (wanted - gain) / Float(count)
        for frame in 0..<count {
          gain += step
          for channel in 0..<channels { unsafe samples[frame * channels + channel] *= gain }
        }
        gain = wanted
      }
      start += count
    }
  }

  mutating func reset() { gain = 1 }

  /// The share by which a value approaches its goal in one step, if it is to be 63 % there after `seconds`.
  static func share(seconds: Double) -> Double { 1 - exp(-GainSteps.seconds / seconds) }
}

/// Decibels of an amplitude; -120 for silence.
func decibels(_ amplitude: Float) -> Double { 20 * log10(max(Double(amplitude), 1e-6)) }

/// The amplitude of a number of decibels.
func amplitude(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
