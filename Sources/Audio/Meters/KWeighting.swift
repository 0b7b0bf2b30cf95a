// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The filter that weights frequencies by how loud they are heard (BS.1770-4, for 48,000 Hz): a shelf for the effect of
/// the head, then a high-pass.
struct KWeighting {
  private var shelf = SIMD4<Double>()
  private var highPass = SIMD4<Double>()

  /// The sum of the weighted squares of all channels.
  mutating func energy(of samples: UnsafePointer<Float>, frames: Int, channels: Int) -> Double {
    var (s1, s2) = (shelf.lowHalf, shelf.highHalf)
    var (h1, h2) = (highPass.lowHalf, highPass.highHalf)
    var sum = SIMD2<Double>()
    for frame in 0..<frames {
      let x =
        channels == 2
        ? unsafe SIMD2(Double(samples[frame * 2]), Double(samples[frame * 2 + 1]))
        : unsafe SIMD2(Double(samples[frame]), 0)
      let y = 1.53512485958697 * x + s1
      s1 = -2.69169618940638 * x + 1.69065929318241 * y + s2
      s2 = 1.19839281085285 * x - 0.73248077421585 * y
      let z = y + h1
      h1 = -2 * y + 1.99004745483398 * z + h2
      h2 = y - 0.99007225036621 * z
      sum += z * z
    }
    // Values this small would be denormal, and many times slower.
    let tiny = 1e-30
    shelf = SIMD4(lowHalf: s1, highHalf: s2).replacing(with: 0, where: abs(s1, s2) .< tiny)
    highPass = SIMD4(lowHalf: h1, highHalf: h2).replacing(with: 0, where: abs(h1, h2) .< tiny)
    return sum.sum()
  }

  private func abs(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> SIMD4<Double> {
    let values = SIMD4(lowHalf: low, highHalf: high)
    return values.replacing(with: -values, where: values .< 0)
  }
}
