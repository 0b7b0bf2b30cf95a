// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A filter of the second order, for one or two channels at 48,000 sample frames a second. Coefficients: Robert
/// Bristow-Johnson, "Audio EQ Cookbook".
struct Biquad {
  private let b: SIMD3<Double>
  private let a: SIMD2<Double>
  /// The state of the transposed direct form II, for the left and the right channel.
  private var first = SIMD2<Double>()
  private var second = SIMD2<Double>()

  /// - Parameters:
  ///   - b: the coefficients of the input.
  ///   - a: the coefficients of the output, the first of which divides all others.
  init(b: SIMD3<Double>, a: SIMD3<Double>) {
    self.b = b / a[0]
    self.a = SIMD2(a[1], a[2]) / a[0]
  }

  /// Lets pass what is above a frequency, with a slope of 12 dB per octave.
  static func highPass(hertz: Double, q: Double) -> Biquad {
    let (cosine, alpha) = angle(hertz, q)
    return Biquad(
      b: SIMD3((1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2),
      a: SIMD3(1 + alpha, -2 * cosine, 1 - alpha))
  }

  /// Lets pass what is below a frequency, with a slope of 12 dB per octave.
  static func lowPass(hertz: Double, q: Double) -> Biquad {
    let (cosine, alpha) = angle(hertz, q)
    return Biquad(
      b: SIMD3((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2),
      a: SIMD3(1 + alpha, -2 * cosine, 1 - alpha))
  }

  /// Removes a frequency, and what is within `width` hertz around it.
  static func notch(hertz: Double, width: Double) -> Biquad {
    let (cosine, alpha) = angle(hertz, hertz / width)
    return Biquad(b: SIMD3(1, -2 * cosine, 1), a: SIMD3(1 + alpha, -2 * cosine, 1 - alpha))
  }

  private static func angle(_ hertz: Double, _ q: Double) -> (cosine: Double, alpha: Double) {
    let omega = 2 * .pi * hertz / 48_000
    return (cos(omega), sin(omega) / (2 * q))
  }

  mutating func reset() { (first, second) = (SIMD2(), SIMD2()) }

  /// The filtered values of the next sample frame.
  @inline(__always) mutating func next(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let y = b[0] * x + first
    first = b[1] * x - a[0] * y + second
    second = b[2] * x - a[1] * y
    return y
  }

  /// Filters samples in place.
  mutating func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
    for frame in 0..<frames {
      let sample = unsafe interleaved + frame * channels
      let y = unsafe next(SIMD2(Double(sample[0]), Double(sample[channels - 1])))
      unsafe sample[0] = Float(y[0])
      if channels == 2 { unsafe sample[1] = Float(y[1]) }
    }
    removeDenormals()
  }

  /// Replaces a state that is too small to be heard by 0: arithmetic with denormal numbers is many times slower.
  mutating func removeDenormals() {
    let tiny = 1e-30
    first.replace(with: 0, where: first .< tiny .& (first .> -tiny))
    second.replace(with: 0, where: second .< tiny .& (second .> -tiny))
  }
}
