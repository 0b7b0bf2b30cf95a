// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Synchronizes a device's samples with CLOCK_MONOTONIC: it compares when samples were captured with where they were
/// placed on the timeline, and computes how much the resampler has to stretch.
///
/// The loop is closed over the resampler's actual output, so neither its rounding nor a wrong nominal rate
/// accumulates. It uses the *smallest* lateness of each second: timestamps are late by scheduling delays and by the
/// granularity of the hardware pointer, but hardly ever early, so the lower edge shows the device's clock. A
/// proportional-integral controller follows (a second-order loop, critically damped); its integral is the device's
/// drift. The loop is fast at first and slow once it has settled.
///
/// Pure: it reads no clock and no device.
public struct ClockFollower: Sendable {
  /// Length of a block of observations. The loop makes one step per block.
  public static let blockNanos: Int64 = .seconds(1)
  /// Lateness beyond this, if it lasts, is not drift: samples were lost or inserted.
  public static let jumpNanos: Int64 = .milliseconds(10)
  /// Samples were lost if every timestamp has been that late for this long. (Inserted samples take two blocks to
  /// detect, because a single early timestamp makes a block look like them.)
  public static let lossNanos: Int64 = .milliseconds(500)
  /// If the first block is later than this, the timestamp of the start was late: the timeline moves.
  public static let anchorNanos: Int64 = .milliseconds(2)
  /// Limit of the correction of lateness, on top of the device's drift: 0.9 hundredths of a semitone, which is
  /// inaudible.
  public static let correctionLimitPPM = 500.0
  /// Limit of the device's drift.
  public static let driftLimitPPM = 1500.0
  /// Limit of the change of the stretch in a step.
  public static let stepLimitPPM = 100.0
  /// The loop's natural frequency in rad/s, at first and once settled.
  static let initialFrequency = 0.3
  static let settledFrequency = 0.03
  static let settlingSeconds = 10.0
  /// The drift is published after this: it is then correct to 20 ppm for a device within 200 ppm.
  static let driftKnownSeconds = 40.0

  /// What to do after an observation.
  public enum Advice: Sendable, Equatable {
    case none
    /// Resample to this much more output, in millionths.
    case stretch(ppm: Double)
    /// Move the timeline: stretching would take too long.
    case jump(nanos: Int64)
  }

  /// The present stretch, in millionths.
  public private(set) var stretchPPM = 0.0
  /// The integral part of the controller: the negated drift.
  private var integralPPM = 0.0
  private var age = 0.0
  private var blockStart: MediaTime?
  private var minimum = Int64.max
  private var blocksBeyond = 0
  private var isFirstBlock = true
  /// Since when every observation was later than `jumpNanos`, and the smallest lateness of them.
  private var lossStart: MediaTime?
  private var lossMinimum = Int64.max

  public init() {}

  /// The drift of the device's clock against CLOCK_MONOTONIC: +100 when it counts 48,004.8 samples per 48,000.
  /// `nil` until enough was observed.
  public var driftPPM: Double? { age < ClockFollower.driftKnownSeconds ? nil : -integralPPM }

  /// Restarts after a gap in the same device's audio. The drift is kept.
  public mutating func restart() {
    isFirstBlock = true
    forgetBlock()
    stretchPPM = integralPPM
  }

  private mutating func forgetBlock() {
    blockStart = nil
    minimum = .max
    blocksBeyond = 0
    lossStart = nil
    lossMinimum = .max
  }

  /// - Parameters:
  ///   - placed: where the first sample was placed on the timeline.
  ///   - captured: when it was captured, by the device's timestamp.
  public mutating func observe(placed: MediaTime, captured: MediaTime) -> Advice {
    let late = captured - placed
    if let lost = noticeLoss(late, captured) {
      isFirstBlock = false
      forgetBlock()
      return .jump(nanos: lost)
    }
    minimum = min(minimum, late)
    guard let start = blockStart else {
      blockStart = captured
      return .none
    }
    let length = captured - start
    guard length >= ClockFollower.blockNanos else { return .none }
    let lateness = minimum
    blockStart = captured
    minimum = .max

    if isFirstBlock {
      isFirstBlock = false
      if abs(lateness) > ClockFollower.anchorNanos { return .jump(nanos: lateness) }
    }
    guard abs(lateness) <= ClockFollower.jumpNanos else {
      blocksBeyond += 1
      guard blocksBeyond >= 2 else { return .none }
      forgetBlock()
      return .jump(nanos: lateness)
    }
    blocksBeyond = 0
    step(lateness: Double(lateness) / 1e9, seconds: min(Double(length) / 1e9, 2))
    return .stretch(ppm: stretchPPM)
  }

  /// - Returns: the duration of the lost samples, once the loss is certain.
  private mutating func noticeLoss(_ late: Int64, _ captured: MediaTime) -> Int64? {
    guard late > ClockFollower.jumpNanos else {
      lossStart = nil
      lossMinimum = .max
      return nil
    }
    lossMinimum = min(lossMinimum, late)
    guard let start = lossStart else {
      lossStart = captured
      return nil
    }
    return captured - start >= ClockFollower.lossNanos ? lossMinimum : nil
  }

  private mutating func step(lateness: Double, seconds: Double) {
    age += seconds
    let frequency = max(
      ClockFollower.settledFrequency,
      ClockFollower.initialFrequency * ClockFollower.settlingSeconds
        / (ClockFollower.settlingSeconds + age))
    let correction = ClockFollower.clamp(
      2 * frequency * lateness * 1e6, ClockFollower.correctionLimitPPM)
    // The clamped correction is integrated, so that a large lateness does not wind the integral up.
    integralPPM = ClockFollower.clamp(
      integralPPM + frequency / 2 * correction * seconds, ClockFollower.driftLimitPPM)
    stretchPPM += ClockFollower.clamp(
      integralPPM + correction - stretchPPM, ClockFollower.stepLimitPPM)
  }

  private static func clamp(_ value: Double, _ limit: Double) -> Double {
    max(-limit, min(limit, value))
  }
}
