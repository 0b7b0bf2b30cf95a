// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the loss of a core meant for one program.
struct CoreEffect {
  /// Frames lost later than a second after the core was taken, or before.
  var lostOutside = 0
  /// Delay p99 without that second.
  var tailOutsideMs = Double.nan
  /// Similarity in decibels before, while the core was taken, and afterwards.
  var similarityDB: [Double] = []
  /// When after the return of the core the similarity was again what it had been. `nil` if never.
  var backAfterSeconds: Double?

  /// The time that a program has to adapt.
  private static let adapting = 1.0
  private static let tolerance = 0.2
  /// The length of time over which the similarity is compared: two keyframe intervals.
  private static let stretch = 4.0

  /// - Returns: `nil` if no core was taken.
  init?(_ run: BudgetRun) {
    guard run.removal != nil, let taken = run.taken.first else { return nil }
    let (from, to) = (taken.lowerBound, taken.upperBound)
    let outside = run.frames.filter { !(from..<from + CoreEffect.adapting).contains($0.captured) }
    lostOutside = outside.count { $0.isLost }
    tailOutsideMs = percentile(outside.compactMap(\.delayMs), 99)
    let before = run.frames.filter { $0.captured < from }
    let after = run.frames.filter { $0.captured >= to }
    let during = run.frames.filter { taken.contains($0.captured) }
    similarityDB = [before, during, after].map { Quality.decibels($0.compactMap(\.similarity)) }
    let usual = UsualSimilarity(before, loop: run.loop)
    let rest = (after.last?.captured ?? to) - to
    let length = min(CoreEffect.stretch, rest)
    for start in stride(from: 0, through: rest - length, by: 1) {
      let present = after.filter { (to + start..<to + start + length).contains($0.captured) }
      if usual.deficitDB(of: present) <= CoreEffect.tolerance {
        backAfterSeconds = start
        break
      }
    }
  }
}

/// The mean similarity of each frame of a clip that repeats. A scene is compared with itself only, since one has much more
/// detail than another.
private struct UsualSimilarity {
  private let loop: Int
  private var sums: [Int: (sum: Double, count: Int)] = [:]

  init(_ frames: [SentFrame], loop: Int) {
    self.loop = loop
    for frame in frames {
      guard let number = frame.number, let similarity = frame.similarity else { continue }
      let old = sums[number % loop] ?? (0, 0)
      sums[number % loop] = (old.sum + similarity, old.count + 1)
    }
  }

  /// By how much these frames are less similar than the same frames of the clip usually are.
  func deficitDB(of frames: [SentFrame]) -> Double {
    var now: [Double] = []
    var usual: [Double] = []
    for frame in frames {
      guard let number = frame.number, let similarity = frame.similarity,
        let mean = sums[number % loop]
      else { continue }
      now.append(similarity)
      usual.append(mean.sum / Double(mean.count))
    }
    guard !now.isEmpty else { return .infinity }
    return Quality.decibels(usual) - Quality.decibels(now)
  }
}
