// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a quantity that differs from frame to frame will probably be for the next one: a moving mean and mean deviation,
/// as TCP estimates its round-trip time (RFC 6298), but slower, and the last three values.
struct CostEstimate: Sendable {
  private static let gain = 1.0 / 16
  private static let deviations = 2.0

  /// `nil` before the first value.
  private(set) var mean: Double?
  private var deviation = 0.0
  private var isFirst = false
  /// How many values the mean is of, as far as that makes a difference. What was expected counts as one.
  private var count = 1.0
  private var recent = (0.0, 0.0, 0.0)

  /// - Parameter expected: what the first value will be; `nil` if nobody knows.
  init(expected: Double? = nil) {
    mean = expected
    if let expected { recent = (expected, expected, expected) }
  }

  mutating func note(_ value: Double) {
    guard let mean else {
      self = CostEstimate(expected: value)
      isFirst = true
      return
    }
    recent = (value, recent.0, recent.1)
    if isFirst {
      // The first frame finds nothing in the caches.
      isFirst = false
      self = CostEstimate(expected: min(mean, value))
      return
    }
    // A single outlier says nothing about what is usual.
    let error = recentMedian - mean
    deviation += (abs(error) - deviation) * CostEstimate.gain
    count = min(count + 1, 1 / CostEstimate.gain)
    self.mean = mean + error / count
  }

  /// Takes a value of something else into account: what is usual does not follow it.
  mutating func noteException(_ value: Double) { recent = (value, recent.0, recent.1) }

  /// Takes the last values for usual, as after a sudden change.
  mutating func jump() {
    guard let mean, recentLeast > mean else { return }
    self.mean = recentLeast
  }

  /// All values are so many times what they were.
  mutating func scale(by factor: Double) {
    mean = mean.map { $0 * factor }
    deviation *= factor
    recent = (recent.0 * factor, recent.1 * factor, recent.2 * factor)
  }

  /// What few values exceed in the long run; 0 before the first value.
  var likelyMost: Double { (mean ?? 0) + CostEstimate.deviations * deviation }

  /// The same for the product of two independent quantities, which are seldom large at the same time; `nil` before the
  /// first values.
  static func likelyMost(_ one: CostEstimate, times other: CostEstimate) -> Double? {
    guard let first = one.mean, let second = other.mean, first > 0, second > 0 else { return nil }
    let (a, b) = (one.deviation / first, other.deviation / second)
    return first * second * (1 + deviations * (a * a + b * b).squareRoot())
  }

  var latest: Double { recent.0 }

  /// The largest of the last three values.
  var recentMost: Double { max(recent.0, recent.1, recent.2) }

  /// The smallest of the last three values.
  var recentLeast: Double { min(recent.0, recent.1, recent.2) }

  /// The median of the last three values.
  var recentMedian: Double {
    max(min(recent.0, recent.1), min(max(recent.0, recent.1), recent.2))
  }
}
