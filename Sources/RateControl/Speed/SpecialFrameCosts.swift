// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a special kind of frame costs at each rung of the speed ladder, by what another frame of the scene costs there. It
/// differs from rung to rung: a keyframe has no motion search, but all of the analysis within a frame, and the first frame
/// of another scene has both.
struct SpecialFrameCosts: Sendable {
  private static let gain = 1.0 / 4

  /// The factor that is taken before one was measured.
  private let usual: Double
  /// `nil` for a rung at which no such frame has been encoded.
  private var measured = [Double?](repeating: nil, count: SpeedLadder.efforts.count)

  init(usual: Double) { self.usual = usual }

  /// - Returns: for a rung that was not tried, at least the factor of the next lower one that was.
  func factor(at rung: Int) -> Double {
    let below = measured[...rung].lazy.compactMap(\.self)
    return measured[rung] ?? max(usual, below.last ?? 0)
  }

  mutating func note(_ factor: Double, at rung: Int) {
    // A single frame does not lower it: it may have been taken for such a frame wrongly.
    let before = measured[rung] ?? max(factor, self.factor(at: rung))
    measured[rung] = before + (factor - before) * SpecialFrameCosts.gain
  }
}
