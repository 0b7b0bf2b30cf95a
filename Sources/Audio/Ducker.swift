// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// How music is lowered while somebody speaks.
public struct Ducking: Sendable, Equatable {
  /// The level of a voice from which on music is lowered, in dBFS.
  public var thresholdDB = -35.0
  /// By how much music is lowered, in decibels. 0: not at all.
  public var depthDB = 12.0
  /// How long it takes to lower music by `depthDB`.
  public var attackSeconds = 0.1
  /// How long music stays low after the voice fell below the threshold.
  public var holdSeconds = 0.7
  /// How long it takes until music is back.
  public var releaseSeconds = 1.0

  public init() {}
}

/// Computes the gain of ducked tracks from the level of the voices. The depth is fixed, so that music is either there
/// or in the background, however loud somebody speaks; the gain moves linearly in decibels.
struct Ducker {
  /// Sample frames in a step: 2/3 ms.
  static let stepFrames = 32
  private static let stepSeconds = Double(stepFrames) / 48_000

  var ducking = Ducking()
  /// Decibels by which music is lowered now.
  private(set) var reductionDB = 0.0
  /// How long music stays low even if nobody speaks.
  private var holdSeconds = 0.0
  /// The present gain of ducked tracks.
  private(set) var gain: Float = 1

  /// Advances by one step.
  /// - Parameter level: the largest absolute value of the voices' samples in this step.
  /// - Returns: the gain at the end of the step; at its beginning it was `gain`, as before the call.
  mutating func step(level: Float) -> Float {
    if Double(level) >= pow(10, ducking.thresholdDB / 20) {
      holdSeconds = ducking.holdSeconds
    } else {
      holdSeconds -= Ducker.stepSeconds
    }
    let goal = holdSeconds > 0 ? ducking.depthDB : 0
    if reductionDB != goal {
      let seconds = goal > reductionDB ? ducking.attackSeconds : ducking.releaseSeconds
      let step = max(ducking.depthDB, reductionDB) * Ducker.stepSeconds / max(seconds, 0.001)
      reductionDB =
        goal > reductionDB ? min(goal, reductionDB + step) : max(goal, reductionDB - step)
      gain = reductionDB == 0 ? 1 : Float(pow(10, -reductionDB / 20))
    }
    return gain
  }
}
