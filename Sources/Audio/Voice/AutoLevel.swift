// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Brings a voice slowly to the same loudness, whoever speaks and however far from the microphone.
@safe final class AutoLevel: AudioFilter {
  private static let targetLUFS = -20.0
  /// What is quieter is not a voice: the gain stays as it is.
  private static let leastLUFS = -45.0
  private static let mostDB = 12.0
  /// In decibels per second.
  private static let riseDB = 1.0
  private static let fallDB = 6.0
  /// How many steps of 100 ms the loudness is measured over: 3 s with a voice.
  private static let stepCount = 30

  private let channels: Int
  private var weighting = KWeighting()
  private var gains = GainSteps()
  private var gainDB = 0.0
  /// Follows `gainDB`.
  private var gain: Float = 1
  private let smoothing = Float(GainSteps.share(seconds: 0.05))
  private var sum = 0.0
  private var framesInStep = 0
  /// The mean weighted squares of the last steps that had a voice, as a ring.
  private var voiced = [Double](repeating: 0, count: AutoLevel.stepCount)
  private var voicedCount = 0

  init(channels: Int) { self.channels = channels }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, LoudnessMeter.stepFrames - framesInStep)
      let samples = unsafe interleaved + done * channels
      sum += unsafe weighting.energy(of: samples, frames: count, channels: channels)
      let wanted = amplitude(gainDB)
      unsafe gains.apply(to: samples, frames: count, channels: channels) { _ in
        gain += (wanted - gain) * smoothing
        return gain
      }
      done += count
      framesInStep += count
      if framesInStep == LoudnessMeter.stepFrames { endStep() }
    }
  }

  private func endStep() {
    let energy = sum / Double(LoudnessMeter.stepFrames)
    (sum, framesInStep) = (0, 0)
    guard LoudnessMeter.loudness(energy) >= AutoLevel.leastLUFS else { return }
    voiced[voicedCount % AutoLevel.stepCount] = energy
    voicedCount += 1
    let count = min(voicedCount, AutoLevel.stepCount)
    let loudness = LoudnessMeter.loudness(voiced[..<count].reduce(0, +) / Double(count))
    let wanted = max(-AutoLevel.mostDB, min(AutoLevel.mostDB, AutoLevel.targetLUFS - loudness))
    let seconds = Double(LoudnessMeter.stepFrames) / 48_000
    gainDB += max(-AutoLevel.fallDB * seconds, min(AutoLevel.riseDB * seconds, wanted - gainDB))
  }

  /// The gain stays: the same people speak after a pause as before it.
  func reset() {
    weighting = KWeighting()
    (sum, framesInStep, voicedCount) = (0, 0, 0)
  }
}

extension AudioFilterPlan {
  /// Brings a voice to the same loudness.
  public static let autoLevel = AudioFilterPlan(name: "auto-level") { AutoLevel(channels: $0) }
}
