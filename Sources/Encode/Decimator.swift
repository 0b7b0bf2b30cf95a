// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Lowers the sample rate by a whole factor: a low-pass filter of linear phase, of whose output every `ratio`-th sample
/// is computed. Used by one thread; allocates nothing after its initialiser.
@safe final class Decimator {
  /// Input sample frames by which the output is late.
  let delayFrames: Int
  private let ratio: Int
  private let channels: Int
  private let tapCount: Int
  private let taps: UnsafeMutablePointer<Float>
  /// For each channel the last `tapCount - 1` samples of the blocks before, and the present block.
  private let input: UnsafeMutablePointer<Float>
  private let stride: Int

  /// Output samples on each side of the filter's middle. The stop band, which is 80 dB down, begins at half of the
  /// lower rate, and the pass band ends at 0.4 of it.
  private static let reach = 24
  /// Of the Kaiser window.
  private static let beta = 7.86
  /// As a share of the lower rate.
  private static let cutoff = 0.448

  /// - Parameter outputFrames: sample frames in each block of the output.
  init(ratio: Int, channels: Int, outputFrames: Int) {
    (self.ratio, self.channels) = (ratio, channels)
    delayFrames = Decimator.reach * ratio
    tapCount = 2 * delayFrames + 1
    stride = tapCount - 1 + outputFrames * ratio
    unsafe taps = .allocate(capacity: tapCount)
    unsafe input = .allocate(capacity: stride * channels)
    unsafe input.initialize(repeating: 0, count: stride * channels)
    let half = Double(delayFrames)
    var sum = 0.0
    let values = (0..<tapCount).map { tap -> Double in
      let x = Double(tap) - half
      let angle = 2 * Double.pi * Decimator.cutoff / Double(ratio) * x
      let window = Decimator.bessel(Decimator.beta * (1 - (x / half) * (x / half)).squareRoot())
      let value = (x == 0 ? 1 : sin(angle) / angle) * window
      sum += value
      return value
    }
    for (tap, value) in values.enumerated() { unsafe taps[tap] = Float(value / sum) }
  }

  deinit {
    unsafe taps.deallocate()
    unsafe input.deallocate()
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

  /// Takes a block of input. `read` returns samples of the output then.
  /// - Parameter interleaved: `outputFrames` × `ratio` × channels samples.
  func put(_ interleaved: UnsafePointer<Float>, frames: Int) {
    let kept = tapCount - 1
    for channel in 0..<channels {
      let row = unsafe input + channel * stride
      unsafe row.update(from: row + (stride - kept), count: kept)
      for frame in 0..<frames {
        unsafe row[kept + frame] = interleaved[frame * channels + channel]
      }
    }
  }

  /// Writes the output of the newest block.
  func read(channel: Int, into output: UnsafeMutablePointer<Float>, frames: Int) {
    let row = unsafe input + channel * stride
    for frame in 0..<frames {
      let start = unsafe row + frame * ratio
      var sum: Float = 0
      for tap in 0..<tapCount { unsafe sum += start[tap] * taps[tap] }
      unsafe output[frame] = sum
    }
  }
}
