// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What the processor can do: the frame rate and the size that it carries at the cheapest effort.
public struct ProcessorPlan: Equatable, Sendable {
  /// Every how many frames one is encoded: 1 for all.
  public var frameStep: Int
  /// The largest size; `nil` for any.
  public var size: PictureSize?

  public init(frameStep: Int = 1, size: PictureSize? = nil) {
    self.frameStep = frameStep
    self.size = size
  }

  public static let unlimited = ProcessorPlan()

  /// The frames a second, of those that are asked for, as a person writes them: "30", "7.5".
  public func rate(of framesPerSecond: Int) -> String {
    let tenths = (framesPerSecond * 10 + frameStep / 2) / frameStep
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// Lowers the frame rate, and then the size where that is allowed, when even the cheapest effort takes too long. Pure.
///
/// A load is the time that a frame takes at the cheapest effort, by the time from frame to frame, both with the frame rate
/// and the size that the settings ask for.
struct ReducedPicture: Equatable, Sendable {
  /// The share of a frame's time that its encoding is planned to take, that it is planned to take after a sudden change,
  /// which may be over soon, and with which the picture is lowered.
  private static let filling = (planned: 0.75, sudden: 0.9, most: 0.88)
  /// How long a lasting load has to be too high: other programs may soon give back what they take.
  private static let shortPatience = Duration.seconds(1)
  /// The most time that a single frame may take with a larger frame rate or size, by the time from frame to frame, for it
  /// to be tried: one that takes longer would be late by more than an interval.
  private static let mostSingle = 1.5
  /// How much spare time a larger frame rate or size needs before it is tried, and for how long.
  private static let spare = 1.2
  private static let patience = (first: Duration.seconds(1), longest: Duration.seconds(120))
  /// A larger picture that fails within this time is tried less often.
  private static let trial = Duration.seconds(20)
  private static let gap = Duration.seconds(1)
  private static let leastFramesPerSecond = 5
  /// Below half of the frame rate the size is reduced first.
  private static let mostStepBeforeSize = 2

  private(set) var plan = ProcessorPlan.unlimited
  private var shortSince: Duration?
  private var spareSince: Duration?
  /// The largest load of a single frame since then.
  private var largest = 0.0
  private var raisedAt: Duration?
  private var followedAt: Duration?
  private var patience = ReducedPicture.patience.first

  /// Follows the load of the processor.
  /// - Parameters:
  ///   - lasting: the mean load.
  ///   - sudden: the least load of the last frames, by their scene alone. What does not fit is lowered at once.
  ///   - single: the load of the last frame, by its scene alone.
  /// - Returns: whether the plan has changed.
  mutating func follow(
    lasting: Double, sudden: Double, single: Double, _ limits: SpeedGovernor.Limits,
    at now: Duration
  ) -> Bool {
    // What was before a pause does not count.
    if let followedAt, now - followedAt > ReducedPicture.gap {
      (shortSince, spareSince) = (nil, nil)
    }
    followedAt = now
    let present = work(of: plan, limits)
    if sudden * present > 1 {
      return lower(to: fitting(sudden, limits, filling: ReducedPicture.filling.sudden), at: now)
    }
    if lasting * present > ReducedPicture.filling.most {
      spareSince = nil
      let since = shortSince ?? now
      shortSince = since
      guard now - since >= ReducedPicture.shortPatience else { return false }
      return lower(to: fitting(lasting, limits), at: now)
    }
    shortSince = nil
    let larger = fitting(lasting * ReducedPicture.spare, limits)
    guard work(of: larger, limits) > present else {
      spareSince = nil
      return false
    }
    let since = spareSince ?? now
    largest = spareSince == nil ? single : max(largest, single)
    spareSince = since
    guard now - since >= patience else { return false }
    spareSince = nil
    guard largest * work(of: larger, limits) <= ReducedPicture.mostSingle else { return false }
    raisedAt = now
    plan = larger
    return true
  }

  /// Fits the picture to other limits at once.
  mutating func fit(_ load: Double, _ limits: SpeedGovernor.Limits) {
    plan = fitting(load, limits, filling: ReducedPicture.filling.most)
    (shortSince, spareSince) = (nil, nil)
  }

  private mutating func lower(to smaller: ProcessorPlan, at now: Duration) -> Bool {
    (shortSince, spareSince) = (nil, nil)
    guard smaller != plan else { return false }
    if let raisedAt, now - raisedAt < ReducedPicture.trial {
      patience = min(patience * 2, ReducedPicture.patience.longest)
    } else {
      patience = ReducedPicture.patience.first
    }
    plan = smaller
    return true
  }

  /// The largest picture that fits.
  private func fitting(
    _ load: Double, _ limits: SpeedGovernor.Limits,
    filling: Double = ReducedPicture.filling.planned
  ) -> ProcessorPlan {
    func step(_ load: Double) -> Int {
      let most = max(1, limits.framesPerSecond / ReducedPicture.leastFramesPerSecond)
      // Also for a load that is no number.
      return load <= filling * Double(most) ? max(1, Int((load / filling).rounded(.up))) : most
    }
    let plain = ProcessorPlan(frameStep: step(load))
    guard limits.allowsResize, plain.frameStep > ReducedPicture.mostStepBeforeSize else {
      return plain
    }
    var smallest = plain
    for rung in VideoLadder.rungs
    where rung.width * rung.height < limits.size.width * limits.size.height {
      let size = rung.size(like: limits.size)
      smallest.size = size
      smallest.frameStep = step(load * share(of: smallest, limits))
      if smallest.frameStep <= ReducedPicture.mostStepBeforeSize { break }
    }
    return smallest
  }

  /// The share of the asked size's pixels.
  private func share(of plan: ProcessorPlan, _ limits: SpeedGovernor.Limits) -> Double {
    guard let size = plan.size else { return 1 }
    return Double(size.width * size.height) / Double(limits.size.width * limits.size.height)
  }

  /// The share of the asked pixels a second.
  private func work(of plan: ProcessorPlan, _ limits: SpeedGovernor.Limits) -> Double {
    share(of: plan, limits) / Double(plan.frameStep)
  }
}
