// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Makes loud words less loud, and then all words louder.
@safe final class Compressor: AudioFilter {
  /// Levels above this are lowered to a `ratio`-th of what they exceed it by.
  private static let thresholdDB = -24.0
  private static let ratio = 3.0
  /// Around the threshold, over this many decibels, compression begins gradually.
  private static let kneeDB = 8.0
  /// By how much everything is raised.
  private static let makeUpDB = 6.0
  private static let attackSeconds = 0.008
  private static let releaseSeconds = 0.15

  private var steps = GainSteps()
  private let channels: Int
  private let attack = GainSteps.share(seconds: Compressor.attackSeconds)
  private let release = GainSteps.share(seconds: Compressor.releaseSeconds)
  private var reductionDB = 0.0

  init(channels: Int) { self.channels = channels }

  /// By how many decibels a level is lowered in the end.
  static func reductionDB(at levelDB: Double) -> Double {
    let over = levelDB - thresholdDB
    let slope = 1 - 1 / ratio
    if over <= -kneeDB / 2 { return 0 }
    if over >= kneeDB / 2 { return over * slope }
    return slope * (over + kneeDB / 2) * (over + kneeDB / 2) / (2 * kneeDB)
  }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    unsafe steps.apply(to: interleaved, frames: frames, channels: channels) { level in
      let goal = Compressor.reductionDB(at: decibels(level))
      reductionDB += (goal - reductionDB) * (goal > reductionDB ? attack : release)
      return amplitude(Compressor.makeUpDB - reductionDB)
    }
  }

  func reset() {
    steps.reset()
    reductionDB = 0
  }
}

extension AudioFilterPlan {
  /// Evens out the loudness of a voice from word to word.
  public static let compressor = AudioFilterPlan(name: "compressor") { Compressor(channels: $0) }
}
