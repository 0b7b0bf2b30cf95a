// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The frame rate and the picture size that the processor can encode at the cheapest effort.
public struct ProcessorPlan: Equatable, Sendable {
  /// One of this many frames is encoded: 1 for every frame, 2 for every second one.
  public var frameStep: Int
  /// The largest picture size; `nil` for no limit.
  public var size: PictureSize?

  public init(frameStep: Int = 1, size: PictureSize? = nil) {
    self.frameStep = frameStep
    self.size = size
  }

  /// No reduction: every frame is encoded, in the size that the settings ask for.
  public static let unlimited = ProcessorPlan()

  /// The frame rate that remains of `framesPerSecond`, as a person writes it: "30", "7.5".
  public func rate(of framesPerSecond: Int) -> String {
    let tenths = (framesPerSecond * 10 + frameStep / 2) / frameStep
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// Lowers the frame rate, and then the size where that is allowed, when even the cheapest effort takes too long. Reads
/// no clock and does no I/O: the time is passed in.
///
/// A load is the time that a frame takes at the cheapest effort, divided by the time from frame to frame, both with the
/// frame rate and the size that the settings ask for. A *plan* is a frame rate and a size.
struct PictureReducer: Equatable, Sendable {
  /// Shares of the time from frame to frame that a frame may take: `planned` when a frame rate and a size are chosen,
  /// `sudden` when they are chosen after a sudden change, which may be over soon. Above `most`, frame rate or size is
  /// lowered.
  private static let filling = (planned: 0.75, sudden: 0.9, most: 0.88)
  /// How long the mean load has to be too high before frame rate or size is lowered: other programs may soon stop using
  /// the processor.
  private static let overloadPatience = Duration.seconds(1)
  /// A higher frame rate or larger size is tried only if each single frame would take at most this many times the time
  /// from frame to frame. A frame that takes so long comes late by half of that time.
  private static let mostSingleFilling = 1.5
  /// A higher frame rate or larger size is tried only if this many times the load would fit.
  private static let spareFactor = 1.2
  /// How long the processor must have had time to spare before a higher frame rate or a larger size is tried. The time
  /// is `first` at the beginning, and doubles, up to `longest`, whenever such a trial fails.
  private static let patience = (first: Duration.seconds(1), longest: Duration.seconds(120))
  /// A higher frame rate or larger size that has to be lowered within this time has failed. The time to the next trial
  /// doubles.
  private static let trialSpan = Duration.seconds(20)
  /// After a gap between frames that is longer than this, earlier loads do not count.
  private static let maxGap = Duration.seconds(1)
  /// The frame rate is reduced to no fewer frames per second than this.
  private static let leastFramesPerSecond = 5
  /// The largest `frameStep` for which the size stays as it is: below half of the frame rate the size is reduced first.
  private static let mostStepBeforeSize = 2

  /// The present frame step and size limit.
  private(set) var plan = ProcessorPlan.unlimited
  /// Since when the mean load has been too high for the present plan; `nil` while the load is not too high.
  private var overloadedSince: Duration?
  /// Since when a higher frame rate or larger size would have fitted the load; `nil` while it would not.
  private var spareSince: Duration?
  /// The largest load of a single frame since `spareSince`.
  private var largestSingleLoad = 0.0
  /// When the frame rate or the size was last raised; `nil` if never.
  private var raisedAt: Duration?
  /// When `follow` was last called; `nil` before the first call.
  private var followedAt: Duration?
  /// How long the processor must have had time to spare before a higher frame rate or a larger size is tried. The value
  /// changes: it doubles after a failed trial, and becomes `first` after any other reduction.
  private var patience = PictureReducer.patience.first

  /// Follows the load of the processor, and reduces or restores frame rate and size.
  /// - Parameters:
  ///   - lasting: the mean load.
  ///   - sudden: the least load of the last frames. If even this does not fit, the picture is reduced at once.
  ///   - single: the load of the last frame alone.
  /// - Returns: whether the plan has changed.
  mutating func follow(
    lasting: Double, sudden: Double, single: Double, _ limits: SpeedGovernor.Limits,
    at now: Duration
  ) -> Bool {
    // Loads from before a pause do not count.
    if let followedAt, now - followedAt > PictureReducer.maxGap {
      (overloadedSince, spareSince) = (nil, nil)
    }
    followedAt = now
    let present = work(of: plan, limits)
    if sudden * present > 1 {
      return lower(to: fitting(sudden, limits, filling: PictureReducer.filling.sudden), at: now)
    }
    if lasting * present > PictureReducer.filling.most {
      spareSince = nil
      let since = overloadedSince ?? now
      overloadedSince = since
      guard now - since >= PictureReducer.overloadPatience else { return false }
      return lower(to: fitting(lasting, limits), at: now)
    }
    overloadedSince = nil
    let larger = fitting(lasting * PictureReducer.spareFactor, limits)
    guard work(of: larger, limits) > present else {
      spareSince = nil
      return false
    }
    let since = spareSince ?? now
    largestSingleLoad = spareSince == nil ? single : max(largestSingleLoad, single)
    spareSince = since
    guard now - since >= patience else { return false }
    spareSince = nil
    guard largestSingleLoad * work(of: larger, limits) <= PictureReducer.mostSingleFilling else {
      return false
    }
    raisedAt = now
    plan = larger
    return true
  }

  /// Chooses the frame rate and the size anew for changed limits, at once.
  /// - Parameter load: the mean load, under the new limits.
  mutating func fit(_ load: Double, _ limits: SpeedGovernor.Limits) {
    plan = fitting(load, limits, filling: PictureReducer.filling.most)
    (overloadedSince, spareSince) = (nil, nil)
  }

  /// Changes to a smaller plan. Returns `false` if that is the present plan already.
  private mutating func lower(to smaller: ProcessorPlan, at now: Duration) -> Bool {
    (overloadedSince, spareSince) = (nil, nil)
    guard smaller != plan else { return false }
    if let raisedAt, now - raisedAt < PictureReducer.trialSpan {
      patience = min(patience * 2, PictureReducer.patience.longest)
    } else {
      patience = PictureReducer.patience.first
    }
    plan = smaller
    return true
  }

  /// The plan for a load: the smallest reduction of frame rate and size with which a frame takes at most the share
  /// `filling` of the time from frame to frame.
  private func fitting(
    _ load: Double, _ limits: SpeedGovernor.Limits,
    filling: Double = PictureReducer.filling.planned
  ) -> ProcessorPlan {
    func step(_ load: Double) -> Int {
      let most = max(1, limits.framesPerSecond / PictureReducer.leastFramesPerSecond)
      // A load that is not a number (NaN) gives the largest step.
      return load <= filling * Double(most) ? max(1, Int((load / filling).rounded(.up))) : most
    }
    let plain = ProcessorPlan(frameStep: step(load))
    guard limits.allowsResize, plain.frameStep > PictureReducer.mostStepBeforeSize else {
      return plain
    }
    var smallest = plain
    for rung in VideoLadder.rungs
    where rung.width * rung.height < limits.size.width * limits.size.height {
      let size = rung.size(like: limits.size)
      smallest.size = size
      smallest.frameStep = step(load * share(of: smallest, limits))
      if smallest.frameStep <= PictureReducer.mostStepBeforeSize { break }
    }
    return smallest
  }

  /// The pixels of a plan's size, as a share of those that the settings ask for.
  private func share(of plan: ProcessorPlan, _ limits: SpeedGovernor.Limits) -> Double {
    guard let size = plan.size else { return 1 }
    return Double(size.width * size.height) / Double(limits.size.width * limits.size.height)
  }

  /// How many pixels a second are encoded under `plan`, as a share of what the settings ask for.
  private func work(of plan: ProcessorPlan, _ limits: SpeedGovernor.Limits) -> Double {
    share(of: plan, limits) / Double(plan.frameStep)
  }
}
