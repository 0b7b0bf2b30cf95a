// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Finds peaks between samples, by oversampling four times (ITU-R BS.1770-4, annex 2). A digital signal whose samples
/// stay below a level can exceed it by several decibels once it is converted to analogue.
@safe final class TruePeakInterpolator {
  /// How many sample frames before, and after, a frame are needed to interpolate between this frame and the next one.
  static let framesBefore = 15
  static let framesAfter = 16
  private static let tapCount = framesBefore + 1 + framesAfter
  private static let phaseCount = 4

  /// The taps of the points at 1/4, 2/4 and 3/4 between two frames, one set after the other.
  private let taps: UnsafeMutablePointer<Float>
  /// By how much a true peak can exceed the largest sample, as a factor.
  let worstGain: Float

  init() {
    unsafe taps = .allocate(
      capacity: (TruePeakInterpolator.phaseCount - 1) * TruePeakInterpolator.tapCount)
    var worst = Float(1)
    for phase in 1..<TruePeakInterpolator.phaseCount {
      let offset = Double(phase) / Double(TruePeakInterpolator.phaseCount)
      let values = TruePeakInterpolator.sinc(at: offset)
      for (index, value) in values.enumerated() {
        unsafe taps[(phase - 1) * TruePeakInterpolator.tapCount + index] = value
      }
      worst = max(worst, values.reduce(0) { $0 + abs($1) })
    }
    worstGain = worst
  }

  deinit { unsafe taps.deallocate() }

  /// A sinc with a Kaiser window, whose taps add up to 1.
  private static func sinc(at offset: Double) -> [Float] {
    let (half, beta) = (Double(tapCount) / 2, 3.0)
    var values = (0..<tapCount).map { tap -> Double in
      let x = Double(tap - framesBefore) - offset
      let window = bessel(beta * (1 - (x / half) * (x / half)).squareRoot()) / bessel(beta)
      return sin(.pi * x) / (.pi * x) * window
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

  /// Writes for each sample frame the largest absolute value of all channels, at this frame and at the three points
  /// between it and the next one.
  /// - Parameters:
  ///   - samples: the first frame. `framesBefore` frames before it, and `framesAfter` after the last one, can be read.
  ///   - peaks: room for `frames` values.
  func findPeaks(
    of samples: UnsafePointer<Float>, frames: Int, channels: Int,
    into peaks: UnsafeMutablePointer<Float>
  ) {
    for frame in 0..<frames {
      var peak = Float(0)
      for channel in 0..<channels {
        unsafe peak = max(peak, abs(samples[frame * channels + channel]))
      }
      unsafe peaks[frame] = peak
    }
    // Eight samples of adjacent frames at a time: with two channels, those of four frames.
    let lanes = SIMD8<Float>.scalarCount
    let bytes = unsafe UnsafeRawPointer(samples - TruePeakInterpolator.framesBefore * channels)
    let stride = MemoryLayout<Float>.stride
    var start = 0
    while start < frames * channels {
      var largest = SIMD8<Float>()
      for phase in 0..<TruePeakInterpolator.phaseCount - 1 {
        var sum = SIMD8<Float>()
        for tap in 0..<TruePeakInterpolator.tapCount {
          let values = unsafe bytes.loadUnaligned(
            fromByteOffset: (start + tap * channels) * stride, as: SIMD8<Float>.self)
          let factor = unsafe taps[phase * TruePeakInterpolator.tapCount + tap]
          sum += values * factor
        }
        let sizes = sum.replacing(with: -sum, where: sum .< 0)
        largest.replace(with: sizes, where: sizes .> largest)
      }
      for lane in 0..<min(lanes, frames * channels - start) {
        let frame = (start + lane) / channels
        unsafe peaks[frame] = max(peaks[frame], largest[lane])
      }
      start += lanes
    }
  }
}
