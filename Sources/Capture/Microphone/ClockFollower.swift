// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Synchronizes a device's samples with CLOCK_MONOTONIC: it compares the times at which samples were captured with the
/// times at which they were placed on the timeline, and computes by how much the resampler has to stretch the audio.
///
/// This is a control loop over the resampler's actual output, so neither the resampler's rounding nor a wrong nominal
/// rate accumulates. The loop uses the *smallest* lateness of each second: timestamps are late by scheduling delays and
/// by the granularity of the hardware pointer, but hardly ever early, so the smallest lateness shows the device's
/// clock. A proportional-integral controller (a second-order loop, critically damped) computes the stretch. The
/// controller's integral is the negated drift of the device. The loop is fast at first and slow once it has settled.
///
/// Reads no clock and does no I/O: the times are passed in.
public struct ClockFollower: Sendable {
  /// The length of a block of observations, in nanoseconds. The controller makes one step per block.
  public static let blockNanos: Int64 = .seconds(1)
  /// The maximum lateness or earliness of samples, in nanoseconds, that is corrected by stretching. If it stays larger,
  /// samples were lost or inserted, and the timeline is moved.
  public static let jumpNanos: Int64 = .milliseconds(10)
  /// Samples count as lost if for this many nanoseconds every timestamp was more than `jumpNanos` late. (Inserted
  /// samples take two blocks to detect, because a single early timestamp makes a block look as if samples had been
  /// inserted.)
  public static let lossNanos: Int64 = .milliseconds(500)
  /// If the samples of the first block are early or late by more than this, in nanoseconds, the timestamp at the start
  /// was wrong, and the timeline is moved.
  public static let startToleranceNanos: Int64 = .milliseconds(2)
  /// The maximum stretch that corrects lateness, in millionths: 0.9 hundredths of a semitone, which is inaudible. The
  /// stretch that follows the device's drift is added to this stretch.
  public static let correctionLimitPPM = 500.0
  /// The maximum drift of a device's clock that is corrected by stretching, in millionths.
  public static let driftLimitPPM = 1500.0
  /// The largest change of the stretch in one step of the controller, in millionths.
  public static let stepLimitPPM = 100.0
  /// The natural frequency of the control loop at first, in rad/s.
  static let initialFrequency = 0.3
  /// The natural frequency of the control loop once it has settled, in rad/s.
  static let settledFrequency = 0.03
  /// The time in seconds after which the control loop's natural frequency has fallen to half of the initial one.
  static let settlingSeconds = 10.0
  /// The time in seconds after which the drift is published. After this time, the drift is correct to 20 ppm for a
  /// device whose drift is at most 200 ppm.
  static let driftKnownSeconds = 40.0

  /// The change that the resampler has to make after an observation.
  public enum Adjustment: Sendable, Equatable {
    case none
    /// Produce this many millionths more output from the same input from now on.
    case stretch(ppm: Double)
    /// Move the timeline later by this many nanoseconds, or earlier if negative, because stretching would take too
    /// long.
    case jump(nanos: Int64)
  }

  /// How many times slower than for a device the loop is, and how many times longer its blocks and its limits for
  /// lateness are. 1 for a device; more for a network stream, whose samples come in bursts.
  private let slowness: Int64
  /// The present stretch in millionths: how much more output than at the nominal rate the resampler produces.
  public private(set) var stretchPPM = 0.0
  /// The integral part of the controller, in millionths: the negated drift.
  private var integralPPM = 0.0
  /// The time that was observed so far, in seconds.
  private var observedSeconds = 0.0
  /// When the present block of observations began; `nil` before its first observation.
  private var blockStart: MediaTime?
  /// The smallest lateness (capture time minus time on the timeline) in the present block, in nanoseconds.
  private var blockMinLatenessNanos = Int64.max
  /// The number of blocks in a row that were early or late by more than `jumpNanos`.
  private var blocksBeyond = 0
  /// Whether the present block is the first one since the start or since `restart`.
  private var isFirstBlock = true
  /// The time since which every observation of samples was more than `jumpNanos` late; `nil` if the last one was not.
  private var lossStart: MediaTime?
  /// The smallest lateness of samples (capture time minus time on the timeline) since `lossStart`, in nanoseconds. Once
  /// samples count as lost, it is the duration of the lost samples.
  private var lossMinLatenessNanos = Int64.max

  public init(slowness: Int64 = 1) { self.slowness = slowness }

  /// The drift of the device's clock against CLOCK_MONOTONIC in millionths: +100 when it counts 48,004.8 samples per
  /// 48,000. `nil` until `driftKnownSeconds` were observed.
  public var driftPPM: Double? {
    observedSeconds < ClockFollower.driftKnownSeconds * Double(slowness) ? nil : -integralPPM
  }

  /// Restarts the observation after a gap in the audio of the same device. The drift is kept.
  public mutating func restart() {
    isFirstBlock = true
    forgetBlock()
    stretchPPM = integralPPM
  }

  /// Discards the observations of the present block, and those of samples that may have been lost.
  private mutating func forgetBlock() {
    blockStart = nil
    blockMinLatenessNanos = .max
    blocksBeyond = 0
    lossStart = nil
    lossMinLatenessNanos = .max
  }

  /// Takes one observation of the device's samples.
  /// - Parameters:
  ///   - placed: the time at which the first of the samples was placed on the timeline.
  ///   - captured: the time at which that sample was captured, by the device's timestamp.
  /// - Returns: the change that the resampler has to make.
  public mutating func observe(placed: MediaTime, captured: MediaTime) -> Adjustment {
    let late = captured - placed
    if let lost = noticeLoss(late, captured) {
      isFirstBlock = false
      forgetBlock()
      return .jump(nanos: lost)
    }
    blockMinLatenessNanos = min(blockMinLatenessNanos, late)
    guard let start = blockStart else {
      blockStart = captured
      return .none
    }
    let length = captured - start
    guard length >= ClockFollower.blockNanos * slowness else { return .none }
    let lateness = blockMinLatenessNanos
    blockStart = captured
    blockMinLatenessNanos = .max

    if isFirstBlock {
      isFirstBlock = false
      if abs(lateness) > ClockFollower.startToleranceNanos * slowness {
        return .jump(nanos: lateness)
      }
    }
    guard abs(lateness) <= ClockFollower.jumpNanos * slowness else {
      blocksBeyond += 1
      guard blocksBeyond >= 2 else { return .none }
      forgetBlock()
      return .jump(nanos: lateness)
    }
    blocksBeyond = 0
    step(
      lateness: Double(lateness) / 1e9, seconds: min(Double(length) / 1e9, 2 * Double(slowness)))
    return .stretch(ppm: stretchPPM)
  }

  /// Finds out whether samples were lost.
  /// - Returns: the duration of the lost samples in nanoseconds, once the loss is certain; `nil` otherwise.
  private mutating func noticeLoss(_ late: Int64, _ captured: MediaTime) -> Int64? {
    guard late > ClockFollower.jumpNanos * slowness else {
      lossStart = nil
      lossMinLatenessNanos = .max
      return nil
    }
    lossMinLatenessNanos = min(lossMinLatenessNanos, late)
    guard let start = lossStart else {
      lossStart = captured
      return nil
    }
    return captured - start >= ClockFollower.lossNanos * slowness ? lossMinLatenessNanos : nil
  }

  /// Makes one step of the controller, which updates the drift and the stretch.
  /// - Parameters: the smallest lateness of a block, and the length of the block, both in seconds.
  private mutating func step(lateness: Double, seconds: Double) {
    observedSeconds += seconds
    let settling = ClockFollower.settlingSeconds * Double(slowness)
    let frequency =
      max(
        ClockFollower.settledFrequency,
        ClockFollower.initialFrequency * settling / (settling + observedSeconds))
      / Double(slowness)
    let correction = ClockFollower.clamp(
      2 * frequency * lateness * 1e6, ClockFollower.correctionLimitPPM)
    // The clamped correction is integrated, so that a large lateness does not wind the integral up.
    integralPPM = ClockFollower.clamp(
      integralPPM + frequency / 2 * correction * seconds, ClockFollower.driftLimitPPM)
    stretchPPM += ClockFollower.clamp(
      integralPPM + correction - stretchPPM, ClockFollower.stepLimitPPM)
  }

  /// The value, limited to ±`limit`.
  private static func clamp(_ value: Double, _ limit: Double) -> Double {
    max(-limit, min(limit, value))
  }
}
