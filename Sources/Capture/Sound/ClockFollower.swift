// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Keeps a device's samples on the timeline: from when they were caught and where they came to lie, it
/// says how much the resampling has to stretch.
///
/// A loop closed over what the resampler really put out, so that neither its rounding nor a wrong
/// nominal rate adds up. Of each second it takes the *least* lateness: a time stamp is late by
/// whatever kept the driver or a coarse hardware pointer, and hardly ever early, so the lower edge
/// is the device's own clock. A proportional and an integral part follow (a second-order loop,
/// critically damped); the integral is the device's deviation. The loop is quick at first and slow
/// when it has settled.
///
/// Pure: no clock, no device.
public struct ClockFollower: Sendable {
  /// Observations are gathered for so long before each step.
  public static let blockNanos: Int64 = .seconds(1)
  /// Lateness beyond this is no drift when it stays: sound was lost, or made up.
  public static let jumpNanos: Int64 = .milliseconds(10)
  /// Sound was lost when every time stamp has been that late for so long. (That sound was made up takes
  /// two blocks to believe: one stamp that is too early makes a block look like it.)
  public static let lossNanos: Int64 = .milliseconds(500)
  /// Lateness beyond this in the first second of a stretch: the anchor was late, and moves.
  public static let anchorNanos: Int64 = .milliseconds(2)
  /// The most that is added to the device's own deviation to make up for lateness: a musician does
  /// not hear 0.9 hundredths of a semitone.
  public static let correctionLimitPPM = 500.0
  /// The most that the device itself may be off.
  public static let driftLimitPPM = 1500.0
  /// The most by which the stretch changes at a step.
  public static let stepLimitPPM = 100.0
  /// The loop's natural frequency in rad/s: first, and settled.
  static let quick = 0.3
  static let settled = 0.03
  static let settlingSeconds = 10.0
  /// From when on the drift is told: it is right to 20 ppm then, for a device within 200.
  static let knownSeconds = 40.0

  /// What is to be done after an observation.
  public enum Advice: Sendable, Equatable {
    case none
    /// Make so many millionths more output from the same input (fewer, when negative).
    case stretch(ppm: Double)
    /// Move the timeline by so many nanoseconds: steering would take too long.
    case jump(nanos: Int64)
  }

  /// The stretch now in force, in millionths.
  public private(set) var stretchPPM = 0.0
  /// The integral part: minus the device's deviation.
  private var settledPPM = 0.0
  private var age = 0.0
  private var blockStart: MediaTime?
  private var least = Int64.max
  private var blocksBeyond = 0
  private var isFirstBlock = true
  /// Since when every observation was late beyond `jumpNanos`, and the least late of them.
  private var lossStart: MediaTime?
  private var lossLeast = Int64.max

  /// For a device of which nothing is known yet.
  public init() {}

  /// How fast the device's clock runs against CLOCK_MONOTONIC: +100 when it counts 48,004.8 samples
  /// where 48,000 are due; `nil` while too little of it was heard.
  public var driftPPM: Double? { age < ClockFollower.knownSeconds ? nil : -settledPPM }

  /// The same device's sound begins anew, after a gap: what is known of its clock is kept.
  public mutating func restart() {
    isFirstBlock = true
    forgetBlock()
    stretchPPM = settledPPM
  }

  private mutating func forgetBlock() {
    blockStart = nil
    least = .max
    blocksBeyond = 0
    lossStart = nil
    lossLeast = .max
  }

  /// - Parameters:
  ///   - placed: where the timeline puts the first sample of what was read.
  ///   - caught: when it was caught, by the device's time stamp.
  public mutating func observe(placed: MediaTime, caught: MediaTime) -> Advice {
    let late = caught - placed
    if let lost = noticeLoss(late, caught) {
      isFirstBlock = false
      forgetBlock()
      return .jump(nanos: lost)
    }
    least = min(least, late)
    guard let start = blockStart else {
      blockStart = caught
      return .none
    }
    let length = caught - start
    guard length >= ClockFollower.blockNanos else { return .none }
    let lateness = least
    blockStart = caught
    least = .max

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

  /// - Returns: how much sound was lost, once that is certain.
  private mutating func noticeLoss(_ late: Int64, _ caught: MediaTime) -> Int64? {
    guard late > ClockFollower.jumpNanos else {
      lossStart = nil
      lossLeast = .max
      return nil
    }
    lossLeast = min(lossLeast, late)
    guard let start = lossStart else {
      lossStart = caught
      return nil
    }
    return caught - start >= ClockFollower.lossNanos ? lossLeast : nil
  }

  private mutating func step(lateness: Double, seconds: Double) {
    age += seconds
    let frequency = max(
      ClockFollower.settled,
      ClockFollower.quick * ClockFollower.settlingSeconds
        / (ClockFollower.settlingSeconds + age))
    let correction = ClockFollower.clamp(
      2 * frequency * lateness * 1e6, ClockFollower.correctionLimitPPM)
    // From the clamped correction, which is ω/2 of it, so that a long way back does not wind it up.
    settledPPM = ClockFollower.clamp(
      settledPPM + frequency / 2 * correction * seconds, ClockFollower.driftLimitPPM)
    stretchPPM += ClockFollower.clamp(
      settledPPM + correction - stretchPPM, ClockFollower.stepLimitPPM)
  }

  private static func clamp(_ value: Double, _ limit: Double) -> Double {
    max(-limit, min(limit, value))
  }
}
