// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Softens sharp "s" sounds: it lowers what is above 5.5 kHz while that is louder than in the rest of a voice.
@safe final class DeEsser: AudioFilter {
  private static let hertz = 5_500.0
  /// The upper band is lowered when it is above this level, and within `shareDB` of the whole.
  private static let thresholdDB = -34.0
  private static let shareDB = -9.0
  private static let depthDB = 10.0
  private static let attackSeconds = 0.002
  private static let releaseSeconds = 0.06
  /// The level of the whole falls by two thirds in this time, so that a deep voice's zero crossings do not count.
  private static let holdSeconds = 0.03

  private let channels: Int
  private var lower = Biquad.lowPass(hertz: DeEsser.hertz, q: 0.707)
  private let attack = GainSteps.share(seconds: DeEsser.attackSeconds)
  private let release = GainSteps.share(seconds: DeEsser.releaseSeconds)
  private let hold = Float(1 - GainSteps.share(seconds: DeEsser.holdSeconds))
  /// The level of the whole in the last steps.
  private var wholeLevel: Float = 0
  /// By how many decibels the upper band is lowered.
  private var reductionDB = 0.0
  /// The share of the upper band that is taken away.
  private var removed: Float = 0

  init(channels: Int) { self.channels = channels }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    var start = 0
    while start < frames {
      let count = min(GainSteps.frames, frames - start)
      unsafe processStep(interleaved + start * channels, frames: count)
      start += count
    }
    lower.removeDenormals()
  }

  private func processStep(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    var (whole, upper): (Float, Float) = (0, 0)
    // A copy is taken of at most 16 frames, so that their gain can depend on all of them.
    unsafe withUnsafeTemporaryAllocation(of: SIMD2<Float>.self, capacity: frames) { uppers in
      for frame in 0..<frames {
        let sample = unsafe samples + frame * channels
        let x = unsafe SIMD2(Double(sample[0]), Double(sample[channels - 1]))
        let y = SIMD2<Float>(x - lower.next(x))
        unsafe uppers[frame] = y
        whole = unsafe max(whole, abs(sample[0]), abs(sample[channels - 1]))
        upper = max(upper, abs(y[0]), abs(y[1]))
      }
      let upperDB = decibels(upper)
      wholeLevel = max(whole, wholeLevel * hold)
      let limitDB = max(DeEsser.thresholdDB, decibels(wholeLevel) + DeEsser.shareDB)
      let goal = max(0, min(DeEsser.depthDB, upperDB - limitDB))
      reductionDB += (goal - reductionDB) * (goal > reductionDB ? attack : release)
      let wanted = reductionDB > 0.01 ? 1 - amplitude(-reductionDB) : 0
      guard removed > 0 || wanted > 0 else { return }
      let step = (wanted - removed) / Float(frames)
      for frame in 0..<frames {
        removed += step
        for channel in 0..<channels {
          unsafe samples[frame * channels + channel] -= removed * uppers[frame][channel]
        }
      }
      removed = wanted
    }
  }

  func reset() {
    lower.reset()
    (reductionDB, removed, wholeLevel) = (0, 0, 0)
  }
}

extension AudioFilterPlan {
  /// Softens sharp "s" sounds.
  public static let deEsser = AudioFilterPlan(name: "de-esser") { DeEsser(channels: $0) }
}
