// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples
internal import Glibc

/// Keeps the true peaks of a signal at or below a ceiling, which lossy encoders need to stay below full scale.
///
/// The gain falls before a peak, because the limiter looks ahead, and rises slowly after it. All channels get the same
/// gain, so that a voice does not move sideways. What is quiet enough passes unchanged, bit by bit.
@safe final class TruePeakLimiter {
  /// Sample frames from a reduction's beginning to the peak that it is for: 1.7 ms. With `framesAfter` a multiple of
  /// `Ducker.stepFrames`.
  static let attackFrames = 80
  /// Sample frames over which the gain is averaged. It has reached its goal 16 frames before the peak, since the level
  /// between samples depends on those around it.
  private static let meanFrames = attackFrames - TruePeakInterpolator.framesAfter
  /// Sample frames that are read after the last one that is limited.
  static let lookAheadFrames = attackFrames + TruePeakInterpolator.framesAfter
  /// Sample frames that are read before the first one that is limited.
  static let lookBackFrames = TruePeakInterpolator.framesBefore
  /// What the largest gain leaves of full scale while the true peaks may be -1 dBTP: -1.5 dB. Between the points that
  /// the limiter measures, true peaks can be 0.5 dB higher.
  private static let usualCeiling: Float = 0.841
  private static let releaseSeconds = 0.08
  /// The reduction that is no longer audible, as a gain: 0.0001 dB.
  private static let unity: Float = 0.99999

  /// The highest true peaks, in dBTP, from the next block on.
  var ceilingDB = -1.0 {
    didSet { ceiling = TruePeakLimiter.usualCeiling * Float(pow(10, (ceilingDB + 1) / 20)) }
  }
  private var ceiling = TruePeakLimiter.usualCeiling
  private let interpolator = TruePeakInterpolator()
  private let channels: Int
  /// The share of the way to the wanted gain that is made in one frame.
  private let release: Double
  /// For each frame the gain that it needs, then the smallest of the window that begins with it.
  private let gains: UnsafeMutablePointer<Float>
  /// The gains of the last `meanFrames` frames before the present block, with instant attack and slow release. They
  /// are followed by those of the present block.
  private let held: UnsafeMutablePointer<Float>
  /// The last of the gains in `held`. Single precision would not get close enough to 1.
  private var gain = 1.0
  /// Whether `held` has the gains of the frames before the next block.
  private var isContinued = false
  private var isReducing = false

  /// - Parameter maxFrames: the most sample frames in a block.
  init(channels: Int, maxFrames: Int) {
    self.channels = channels
    release = 1 - exp(-1 / (TruePeakLimiter.releaseSeconds * 48_000))
    let room = maxFrames + TruePeakLimiter.attackFrames
    unsafe gains = .allocate(capacity: room)
    unsafe held = .allocate(capacity: room)
    unsafe gains.initialize(repeating: 1, count: room)
    unsafe held.initialize(repeating: 1, count: room)
  }

  deinit {
    unsafe gains.deallocate()
    unsafe held.deallocate()
  }

  /// Lets a block pass without a look at its true peaks, if that is certain to change nothing.
  /// - Parameter peak: the largest absolute value of the samples that `limit` would read.
  /// - Returns: `false` if the block has to be limited.
  func passes(peak: Float) -> Bool {
    guard isIdle, peak * interpolator.worstGain <= ceiling else { return false }
    isContinued = true
    return true
  }

  /// Whether no reduction of an earlier block is still fading.
  private var isIdle: Bool { !isReducing || !isContinued }

  /// Forgets the gains of earlier blocks: the next block does not follow the last one.
  func restart() {
    isContinued = false
    isReducing = false
  }

  /// Limits a block in place.
  /// - Parameters:
  ///   - samples: the first sample of the block. `lookBackFrames` before it, and `lookAheadFrames` after the block, can
  ///     be read.
  ///   - frames: at most `maxFrames`.
  func limit(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    let mean = TruePeakLimiter.meanFrames
    let count = frames + TruePeakLimiter.attackFrames
    unsafe interpolator.findPeaks(of: samples, frames: count, channels: channels, into: gains)
    let least = unsafe onair_gains_for_peaks(gains, count, ceiling)
    if least == 1, isIdle {
      isContinued = true
      return
    }
    findLeast(count)
    if !isContinued || !isReducing {
      let first = unsafe isContinued ? 1 : gains[0]
      gain = Double(first)
      unsafe held.update(repeating: first, count: mean)
    }
    for frame in 0..<frames {
      let wanted = unsafe Double(gains[frame])
      gain = wanted < gain ? wanted : gain + (wanted - gain) * release
      unsafe held[mean + frame] = Float(gain)
    }
    // The mean of the last gains is smooth, and has reached the least of them before the peak.
    var sum = 0.0
    for frame in 0..<mean { unsafe sum += Double(held[frame]) }
    for frame in 0..<frames {
      unsafe sum += Double(held[mean + frame])
      let gain = Float(sum / Double(mean + 1))
      unsafe sum -= Double(held[frame])
      for channel in 0..<channels { unsafe samples[frame * channels + channel] *= gain }
    }
    isContinued = true
    isReducing = false
    for frame in 0..<mean {
      let gain = unsafe held[frames + frame]
      isReducing = isReducing || gain < TruePeakLimiter.unity
      unsafe held[frame] = gain
    }
  }

  /// Replaces each of the first `count` - `attackFrames` gains by the least one of itself and the `attackFrames` after
  /// it.
  private func findLeast(_ count: Int) {
    let window = TruePeakLimiter.attackFrames + 1
    var width = 1
    while width * 2 <= window {
      unsafe onair_gains_lower(gains, count - width, width)
      width *= 2
    }
    let rest = window - width
    unsafe onair_gains_lower(gains, count - rest, rest)
  }
}
