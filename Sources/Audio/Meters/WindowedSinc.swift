// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A low-pass filter without feedback: a sinc with a Kaiser window.
enum WindowedSinc {
  /// The taps, which add up to 1.
  /// - Parameters:
  ///   - center: the place of the sinc's maximum, as the number of a tap; near `count` / 2, and not whole.
  ///   - cutoff: the highest frequency that passes, divided by half the sample rate.
  ///   - beta: of the Kaiser window: the higher, the less remains of what is filtered out, and the flatter the slope.
  static func taps(count: Int, center: Double, cutoff: Double, beta: Double) -> [Float] {
    let half = Double(count) / 2
    var values = (0..<count).map { tap -> Double in
      let x = Double(tap) - center
      let window = bessel(beta * (1 - (x / half) * (x / half)).squareRoot()) / bessel(beta)
      return sin(.pi * cutoff * x) / (.pi * x) * window
    }
    let sum = values.reduce(0, +)
    for index in values.indices { values[index] /= sum }
    return values.map(Float.init)
  }

  /// The modified Bessel function of the first kind and order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, k) = (1.0, 1.0, 1.0)
    while term > 1e-12 * sum {
      term *= (x / 2 / k) * (x / 2 / k)
      sum += term
      k += 1
    }
    return sum
  }
}
