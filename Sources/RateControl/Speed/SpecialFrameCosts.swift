// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The costs of a special kind of frame (a keyframe, or the first frame of a scene) at each rung of the speed ladder,
/// as a multiple of what an ordinary frame costs there. The multiple differs from rung to rung: a keyframe has no
/// motion search, but all of the analysis within a frame, and the first frame of another scene has both.
struct SpecialFrameCosts: Sendable {
  /// The weight of a new measurement in the multiple of a rung.
  private static let gain = 1.0 / 4

  /// The multiple that is assumed until it has been measured.
  private let usual: Double
  /// The measured multiple for each rung; `nil` for a rung at which no such frame has been encoded.
  private var measured = [Double?](repeating: nil, count: SpeedLadder.efforts.count)

  init(usual: Double) { self.usual = usual }

  /// How many times as much processor time a frame of the special kind takes as an ordinary frame, at a rung of the speed
  /// ladder. If the rung has not been measured, this is the larger of `usual` and the value of the nearest lower rung
  /// that has been.
  func factor(at rung: Int) -> Double {
    let below = measured[...rung].lazy.compactMap(\.self)
    return measured[rung] ?? max(usual, below.last ?? 0)
  }

  /// Adds the multiple that was measured for one frame to the multiple of the rung with this index.
  mutating func add(_ factor: Double, at rung: Int) {
    // A single frame does not lower an assumed multiple: it may have been taken for a special frame wrongly.
    let before = measured[rung] ?? max(factor, self.factor(at: rung))
    measured[rung] = before + (factor - before) * SpecialFrameCosts.gain
  }
}
