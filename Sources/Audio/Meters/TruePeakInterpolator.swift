// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples

/// Finds peaks between samples, by oversampling four times (ITU-R BS.1770-4, annex 2). A digital signal whose samples
/// stay below a level can exceed it by several decibels once it is converted to analogue.
@safe final class TruePeakInterpolator {
  /// How many sample frames before, and after, a frame are needed to interpolate between this frame and the next one.
  static let framesBefore = ONAIR_PEAK_BEFORE
  static let framesAfter = tapCount - framesBefore - 1
  /// How many samples more can be read than those of the frames.
  static let lanes = ONAIR_PEAK_LANES
  private static let tapCount = ONAIR_PEAK_TAPS
  private static let phaseCount = 4

  private let filter: UnsafeMutablePointer<onair_peak_filter>
  /// By how much a true peak can exceed the largest sample, as a factor.
  let worstGain: Float

  init() {
    unsafe filter = .allocate(capacity: 1)
    let taps = unsafe UnsafeMutableRawPointer(filter).assumingMemoryBound(to: Float.self)
    var worst = Float(1)
    for phase in 1..<TruePeakInterpolator.phaseCount {
      let offset = Double(phase) / Double(TruePeakInterpolator.phaseCount)
      let values = WindowedSinc.taps(
        count: TruePeakInterpolator.tapCount,
        center: Double(TruePeakInterpolator.framesBefore) + offset, cutoff: 1, beta: 3)
      for (tap, value) in values.enumerated() {
        let row = tap * (TruePeakInterpolator.phaseCount - 1) + phase - 1
        unsafe (taps + row * TruePeakInterpolator.lanes).update(
          repeating: value, count: TruePeakInterpolator.lanes)
      }
      worst = max(worst, values.reduce(0) { $0 + abs($1) })
    }
    worstGain = worst
  }

  deinit { unsafe filter.deallocate() }

  /// Writes for each sample frame the largest absolute value of all channels, at this frame and at the three points
  /// between it and the next one.
  /// - Parameters:
  ///   - samples: the first frame. `framesBefore` frames before it, and `framesAfter` frames and `lanes` samples after
  ///     the last one, can be read.
  ///   - peaks: room for `frames` values.
  func findPeaks(
    of samples: UnsafePointer<Float>, frames: Int, channels: Int,
    into peaks: UnsafeMutablePointer<Float>
  ) {
    unsafe onair_true_peaks(samples, frames, Int32(channels), filter, peaks)
  }

  /// The larger one of `known` and of all such peaks. Points that are far below it are left out, by an estimate from
  /// the four samples around each.
  /// - Parameters: as of `findPeaks`.
  func peak(
    of samples: UnsafePointer<Float>, frames: Int, channels: Int, above known: Float
  ) -> Float {
    unsafe onair_true_peak(samples, frames, Int32(channels), filter, known)
  }
}
