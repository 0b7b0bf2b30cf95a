// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// An estimate, for the next frame, of a quantity that differs from frame to frame. It uses the last three values and,
/// as TCP does for its round-trip time (RFC 6298) but more slowly, a moving mean and mean deviation.
struct CostEstimate: Sendable {
  /// The weight of a new value in the moving mean and in the mean deviation.
  private static let gain = 1.0 / 16
  /// A high estimate lies this many mean deviations above the mean.
  private static let deviations = 2.0

  /// The moving mean; `nil` before the first value.
  private(set) var mean: Double?
  /// The mean deviation: the moving mean of how far the values are from `mean`.
  private var deviation = 0.0
  /// Whether only one value has been added.
  private var isFirst = false
  /// The number of values in the mean, an expected value included, but at most 1 / `gain`. At that count each further
  /// value has the weight `gain`.
  private var count = 1.0
  /// The last three values, the newest first.
  private var recent = (0.0, 0.0, 0.0)

  /// - Parameter expected: the value that is expected first; `nil` if it is not known.
  init(expected: Double? = nil) {
    mean = expected
    if let expected { recent = (expected, expected, expected) }
  }

  /// Adds the value of one frame to the estimate.
  mutating func add(_ value: Double) {
    guard let mean else {
      self = CostEstimate(expected: value)
      isFirst = true
      return
    }
    recent = (value, recent.0, recent.1)
    if isFirst {
      // The first frame takes longer than usual, since it finds nothing in the caches.
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

  /// Adds a value that is not typical to the last three values, but leaves the mean as it is.
  mutating func addException(_ value: Double) { recent = (value, recent.0, recent.1) }

  /// Raises the mean to the smallest of the last three values, as after a sudden change.
  mutating func raiseMean() {
    guard let mean, recentLeast > mean else { return }
    self.mean = recentLeast
  }

  /// Multiplies all values by a factor, as when the picture has changed its size.
  mutating func scale(by factor: Double) {
    mean = mean.map { $0 * factor }
    deviation *= factor
    recent = (recent.0 * factor, recent.1 * factor, recent.2 * factor)
  }

  /// A high estimate, which few values exceed in the long run; 0 before the first value.
  var likelyMost: Double { (mean ?? 0) + CostEstimate.deviations * deviation }

  /// A high estimate of the product of two independent quantities, which are seldom large at the same time; `nil`
  /// before the first values.
  static func likelyMost(_ one: CostEstimate, times other: CostEstimate) -> Double? {
    guard let first = one.mean, let second = other.mean, first > 0, second > 0 else { return nil }
    let (a, b) = (one.deviation / first, other.deviation / second)
    return first * second * (1 + deviations * (a * a + b * b).squareRoot())
  }

  /// The last value.
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
