// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Brings a programme slowly to a target loudness: a person does not hear the gain move, and pauses change nothing.
/// Used by one thread; allocates nothing after its initialiser.
public struct LoudnessCorrection: Sendable {
  /// The most decibels by which the programme becomes louder or softer.
  static let mostDB = 12.0
  /// Decibels per second.
  static let risePerSecond = 0.3
  static let fallPerSecond = 1.0
  /// A programme that is softer than this, in LUFS without the correction, is a pause.
  static let pauseLUFS = -45.0
  /// So is a moment that is softer than the last seconds by this many LU.
  static let pauseLU = 10.0
  private static let stepSeconds = Double(LoudnessMeter.stepFrames) / 48_000
  /// The steps that the short-term loudness covers.
  private static let stepCount = 30

  /// In LUFS; `nil` for no correction.
  public var targetLUFS: Double?
  /// The present correction in decibels.
  public private(set) var gainDB = 0.0
  /// The corrections of the last steps, as a ring.
  private var gains = [Double](repeating: 0, count: LoudnessCorrection.stepCount)
  private var next = 0

  public init() {}

  /// Advances by one step of the meter.
  /// - Parameter loudness: the reading of the corrected programme.
  public mutating func note(_ loudness: Loudness) {
    gains[next] = gainDB
    next = (next + 1) % LoudnessCorrection.stepCount
    guard let targetLUFS else { return move(to: 0) }
    let corrected = gains.reduce(0, +) / Double(LoudnessCorrection.stepCount)
    guard loudness.momentary - gainDB > LoudnessCorrection.pauseLUFS,
      loudness.momentary > loudness.shortTerm - LoudnessCorrection.pauseLU
    else { return }
    move(to: targetLUFS - (loudness.shortTerm - corrected))
  }

  private mutating func move(to wanted: Double) {
    let most = LoudnessCorrection.mostDB
    let goal = max(-most, min(most, wanted))
    let rises = goal > gainDB && targetLUFS != nil
    let step =
      (rises ? LoudnessCorrection.risePerSecond : LoudnessCorrection.fallPerSecond)
      * LoudnessCorrection.stepSeconds
    gainDB = goal > gainDB ? min(goal, gainDB + step) : max(goal, gainDB - step)
  }
}
