// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import TestSupport

extension SplitMix64 {
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// Approximately normal: mean 0, variance 1.
  mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + uniform(0...1) }
  }
}
