// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Chooses how much work x264 puts into each frame, so that its encoding is done before the next frame is due, and
/// spare time goes into the quality of the picture. Reads no clock and does no I/O: the time is passed in.
///
/// The elapsed time to encode a frame is modelled as the product of the scene's cost, the effort's cost (`SpeedLadder`)
/// and a stretch. The stretch is elapsed time divided by processor time: it falls with the number of processors, and
/// rises when other programs use them. In the long run, the level on the ladder follows the means of these three
/// factors. For a single frame, the effort is lower than the level if the frame comes late, if the frame before took
/// long, or if it is a keyframe or the first frame of a scene that would take too long.
public struct SpeedGovernor: Sendable {
  /// The share of the time from frame to frame that preparing and encoding a frame is planned to take in the long run.
  public static var plannedFilling: Double { filling.lasting }

  /// Shares of the time from frame to frame that a frame may take: `lasting` in the long run, `single` for one frame.
  private static let filling = (lasting: 0.68, single: 0.85)
  /// The level (of effort) falls when its cost is above `upper` times the affordable cost. It rises or falls to the
  /// level whose cost is `lower` times the affordable cost.
  private static let band = (upper: 1.1, lower: 0.95)
  /// Levels are multiples of this. At a level between two rungs (efforts), frames alternate between the two.
  private static let grain = 0.25
  /// How far the level rises at a time, in rungs: half of the way to its target, within these bounds.
  private static let rise = (least: 0.5, most: 3.0)
  /// The least time from one rise of the level to the next. It doubles when the level falls soon after a rise.
  private static let patience = (first: Duration.seconds(1), longest: Duration.seconds(30))
  /// If the level falls within this time after a rise, the rise has failed: the time to the next one doubles.
  private static let trialSpan = Duration.seconds(4)
  /// After this time without a fall, the time between rises is short again.
  private static let calmSpan = Duration.seconds(60)
  /// A rise of the level has not failed if the level falls because the scene has become costlier, by more than this
  /// factor, since the rise.
  private static let costlierFactor = 1.15
  /// Seconds after which the most demanding scene is mostly forgotten.
  private static let forgettingSeconds = 600.0
  /// Frames that have waited for less than this share of the time from frame to frame are on time.
  private static let onTimeShare = 0.1

  /// The frame rate, the picture size and the share of the processors that the encoder may use at most.
  /// A change applies at once.
  public var limits: Limits {
    didSet { if limits != oldValue { limitsChanged(from: oldValue) } }
  }
  /// The efforts to choose from, with costs that are corrected while frames are encoded.
  public private(set) var ladder: SpeedLadder
  /// The effort in the long run, as a position on the ladder: 0 is the first rung. Between whole numbers two rungs
  /// alternate.
  public private(set) var level: Double

  /// The scene's cost: the seconds of processor time that a frame takes, or would take, at the cheapest effort (the
  /// first rung).
  private var scene: CostEstimate
  /// Elapsed seconds of encoding for each second of processor time.
  private var stretch = CostEstimate()
  /// The elapsed seconds that encoding a frame takes, or would take, at the cheapest effort (the first rung).
  private var encoding = CostEstimate()
  /// The costs of keyframes, as multiples of what other frames of the scene cost.
  private var keyframes = SpecialFrameCosts(usual: 1.3)
  /// The costs of the first frames of scenes, as multiples of what a frame of the most demanding scene costs.
  private var sceneStarts = SpecialFrameCosts(usual: 2.5)
  /// The cost of the most demanding scene of the last minutes: seconds of processor time for a frame at the cheapest
  /// effort.
  private var mostDemanding: Double
  /// Elapsed seconds of preparing a frame for the encoder.
  private var preparing = CostEstimate()
  /// Reduces the frame rate and the size while even the cheapest effort takes too long.
  private var reducer = PictureReducer()
  /// The share of its present clock frequency that the processor will probably have in the next seconds.
  private var clockShare = 1.0
  /// The rung and the seconds of processor time of the last frame; `nil` after a keyframe, the first frame of a scene,
  /// or a change of size.
  private var last: (rung: Int, processorSeconds: Double)?
  /// The effort (the index of its rung on the ladder) of the frame that `next` was last called for.
  private var rung: Int
  /// The frame that `next` was last called for; `nil` before the first.
  private var frame: FrameStart?
  /// The sum of the fractions of the frames' levels: when it reaches 1, a frame gets the upper of two rungs, and 1 is
  /// subtracted.
  private var fractionSum = 0.0
  /// When the level last changed; `nil` if never.
  private var changedAt: Duration?
  /// When the level last fell; `nil` if never.
  private var fellAt: Duration?
  /// When the level last rose; `nil` if never, or if it has fallen since.
  private var roseAt: Duration?
  /// The scene's cost when the level last rose.
  private var sceneAtRise = 0.0
  /// The present minimum time from one rise of the level to the next.
  private var patience = SpeedGovernor.patience.first

  public init(limits: Limits, costs: SpeedCosts = SpeedCosts()) {
    self.limits = limits
    ladder = SpeedLadder(costs: costs.rungs)
    let pixels = Double(limits.size.width * limits.size.height)
    scene = CostEstimate(expected: costs.nanosPerPixel.map { $0 * pixels / 1e9 })
    mostDemanding = scene.mean ?? 0
    rung = SpeedLadder.usual
    level = Double(SpeedLadder.usual)
  }

  /// The frame rate and the size to which the picture is reduced.
  public var plan: ProcessorPlan { reducer.plan }

  /// Chooses the effort of the next frame.
  /// - Returns: the index of the effort's rung on the ladder.
  public mutating func next(_ frame: FrameStart, at now: Duration) -> Int {
    self.frame = frame
    let preparing = frame.preparing / .seconds(1)
    if !frame.isRepeat { self.preparing.add(preparing) }
    guard scene.mean != nil else { return rung }
    let interval = frame.interval / .seconds(1)
    let waiting = frame.waiting / .seconds(1)
    follow(affordable(interval), at: now)
    let most = affordable(
      interval * SpeedGovernor.filling.single - waiting - preparing,
      isLate: waiting > interval * SpeedGovernor.onTimeShare)
    guard !frame.isKeyframe, !frame.isCut else {
      rung = highest(for: frame.isKeyframe ? keyframes : sceneStarts, atMost: most)
      return rung
    }
    let single = min(level, max(0, ladder.level(of: most)))
    // The nearest rungs alternate so that their mean is the level.
    rung = Int(single)
    fractionSum += single - Double(rung)
    if fractionSum >= 1 {
      fractionSum -= 1
      if rung < SpeedLadder.top, ladder.costs[rung + 1] <= most { rung += 1 }
    }
    return rung
  }

  /// Learns from the frame that `next` was last called for. A repeated frame is ignored: it shows nothing about the
  /// scene.
  /// - Returns: whether `plan` has changed.
  public mutating func note(_ work: FrameWork, at now: Duration) -> Bool {
    let processorSeconds = work.processorTime / .seconds(1)
    guard let frame, !frame.isRepeat, processorSeconds > 0 else { return false }
    stretch.add(work.encoding / work.processorTime)
    let cost = processorSeconds / ladder.costs[rung]
    guard !work.isKeyframe, !frame.isCut else {
      noteSpecial(cost, isKeyframe: work.isKeyframe, isCut: frame.isCut)
      return false
    }
    if let last {
      ladder.learn(rung, after: last.rung, ratio: processorSeconds / last.processorSeconds)
    }
    last = (rung, processorSeconds)
    scene.add(cost)
    let encodingSeconds = work.encoding / .seconds(1)
    encoding.add(encodingSeconds / ladder.costs[rung])
    forgetDemanding(after: frame.interval / .seconds(1))
    return reduce(at: now)
  }

  /// Sets the share of its present clock frequency that the processor will probably have in the next seconds. A fall
  /// that has happened already must not be included, since it shows in the measured times.
  /// - Parameter share: more than 0, at most 1.
  public mutating func expect(clockShare share: Double) { clockShare = share }

  // MARK: The model

  /// The cost of the effort that can be afforded in the long run, in multiples of the first rung's cost. It is limited
  /// by the time until the next frame is due, and by the share of the processors that may be used.
  /// - Parameter interval: seconds from one frame to the next.
  private func affordable(_ interval: Double) -> Double {
    let free = interval * SpeedGovernor.filling.lasting - preparing.likelyMost
    // The stretch is not known before the first frame: it is taken as 1, as on one processor.
    let byTime = free / (CostEstimate.likelyMost(scene, times: stretch) ?? scene.likelyMost)
    let share = interval * Double(limits.processors) * limits.processorShare
    let byShare = (share - (preparing.mean ?? 0)) / (scene.mean ?? 0)
    return min(byTime, byShare) * clockShare
  }

  /// The cost of the effort that the next frame can afford, in multiples of the first rung's cost, judged by the times
  /// of the last frames.
  /// - Parameters:
  ///   - seconds: the elapsed time that the frame may take.
  ///   - isLate: whether the frame has waited for the encoder.
  private func affordable(_ seconds: Double, isLate: Bool) -> Double {
    let demanding = frame?.isCut == true ? mostDemanding : 0
    let scene = max(self.scene.recentMost, self.scene.mean ?? 0, demanding)
    // A single frame that took long is a hiccup, unless frames have had to wait since then.
    let recent = isLate ? stretch.recentMost : stretch.recentMedian
    return seconds / (scene * max(recent, stretch.mean ?? 1)) * clockShare
  }

  /// The highest rung, not above the level, at which a special frame costs at most `cost`.
  private func highest(for kind: SpecialFrameCosts, atMost cost: Double) -> Int {
    var rung = Int(level)
    while rung > 0, ladder.costs[rung] * kind.factor(at: rung) > cost { rung -= 1 }
    return rung
  }

  /// Learns from a keyframe, or from the first frame of a scene.
  /// - Parameter cost: the frame's seconds of processor time, divided by the cost that its rung has for other frames.
  private mutating func noteSpecial(_ cost: Double, isKeyframe: Bool, isCut: Bool) {
    last = nil
    let expected = (isKeyframe ? keyframes : sceneStarts).factor(at: rung)
    // The mean does not follow a special frame, since even a keyframe may be the first frame of another scene.
    scene.addException(cost / expected)
    if !isKeyframe {
      guard mostDemanding > 0 else { return }
      sceneStarts.add(max(1, cost / mostDemanding), at: rung)
    } else if !isCut, let mean = scene.mean {
      keyframes.add(max(1, cost / mean), at: rung)
    }
  }

  // MARK: The level

  /// Moves the level towards the one that costs `cost`, the affordable multiple of the first rung's cost.
  private mutating func follow(_ cost: Double, at now: Duration) {
    // The level need not change often: `next` keeps each single frame within its time anyway.
    let settled = changedAt.map { now - $0 } ?? .seconds(3_600)
    guard settled >= SpeedGovernor.patience.first else { return }
    let target = ladder.level(of: cost * SpeedGovernor.band.lower)
    if ladder.cost(at: level) > cost * SpeedGovernor.band.upper {
      fall(to: target, at: now)
    } else if settled >= patience {
      rise(to: target, at: now)
    }
    if let fellAt, now - fellAt >= SpeedGovernor.calmSpan {
      patience = SpeedGovernor.patience.first
    }
  }

  /// Lowers the level to `target`, rounded down to `grain`, if it is higher.
  private mutating func fall(to target: Double, at now: Duration) {
    let lower = max(0, SpeedGovernor.roundedDown(target))
    guard lower < level else { return }
    level = lower
    changedAt = now
    fellAt = now
    let isCostlier = (scene.mean ?? 0) > sceneAtRise * SpeedGovernor.costlierFactor
    if let roseAt, now - roseAt < SpeedGovernor.trialSpan, !isCostlier {
      patience = min(patience * 2, SpeedGovernor.patience.longest)
    }
    roseAt = nil
  }

  /// Raises the level by one step towards `target`, if a step fits below the target.
  private mutating func rise(to target: Double, at now: Duration) {
    let most = Double(SpeedLadder.top)
    let step = min(max((target - level) / 2, SpeedGovernor.rise.least), SpeedGovernor.rise.most)
    let higher = min(most, SpeedGovernor.roundedDown(level + step))
    guard higher > level, higher <= target else { return }
    level = higher
    changedAt = now
    roseAt = now
    sceneAtRise = scene.mean ?? 0
  }

  /// The level, rounded down to a multiple of `grain`.
  private static func roundedDown(_ level: Double) -> Double {
    (level / grain).rounded(.down) * grain
  }

  /// Forgets a part of the most demanding scene's cost, and raises that cost if the present scene costs more.
  private mutating func forgetDemanding(after seconds: Double) {
    let mean = scene.mean ?? 0
    mostDemanding += (mean - mostDemanding) * min(1, seconds / SpeedGovernor.forgettingSeconds)
    mostDemanding = max(mostDemanding, scene.recentMedian)
  }

  // MARK: Frame rate and size

  /// Reduces the frame rate or the size while even the cheapest effort costs too much, and restores them when there is
  /// time to spare.
  /// - Returns: whether the frame rate or the size has changed.
  private mutating func reduce(at now: Duration) -> Bool {
    let before = size
    // Other work of this process adds to a frame's measured processor time, but not to its elapsed time; other programs
    // add to the elapsed time, but not to the processor time. The smaller of the two loads contains neither.
    let sudden = min(load(of: scene.recentLeast), load(of: encoding.recentLeast, stretch: 1))
    let hasChanged = reducer.follow(
      lasting: load(of: scene.mean ?? 0), sudden: sudden, single: load(of: scene.latest), limits,
      at: now)
    guard hasChanged else { return false }
    scene.raiseMean()
    resized(from: before)
    return true
  }

  /// The load of frames on the first rung (see `PictureReducer`). The mean stretch and the mean time to prepare are
  /// used, because a single frame that takes longer only makes others wait for a moment.
  /// - Parameters:
  ///   - scene: seconds of processor time for a frame on the first rung, in the size that is encoded.
  ///   - stretch: `nil` for its mean; 1 if `scene` is elapsed seconds of encoding instead.
  private func load(of scene: Double, stretch: Double? = nil) -> Double {
    let interval = 1 / Double(limits.framesPerSecond)
    let seconds = scene * ladder.costs[0] / pixelShare(from: limits.size, to: size)
    let preparing = preparing.mean ?? 0
    let byTime = (preparing + seconds * (stretch ?? self.stretch.mean ?? 1)) / interval
    let share = interval * Double(limits.processors) * limits.processorShare
    return max(byTime, (preparing + seconds) / share)
  }

  /// The picture size that is encoded.
  private var size: PictureSize { reducer.plan.size ?? limits.size }

  /// Chooses the frame rate and the size anew if the limits of frame rate or size have changed.
  private mutating func limitsChanged(from old: Limits) {
    let before = reducer.plan.size ?? old.size
    guard
      limits.size != old.size || limits.framesPerSecond != old.framesPerSecond
        || limits.allowsResize != old.allowsResize
    else { return }
    reducer.fit(0, limits)
    resized(from: before)
    let whole = size
    if let mean = scene.mean { reducer.fit(load(of: mean), limits) }
    resized(from: whole)
  }

  /// Scales all costs to the present size, after the encoded size has changed from `before`.
  private mutating func resized(from before: PictureSize) {
    guard size != before else { return }
    let factor = pixelShare(from: before, to: size)
    scene.scale(by: factor)
    encoding.scale(by: factor)
    mostDemanding *= factor
    last = nil
  }

  /// The number of pixels of the size `other`, divided by that of `one`.
  private func pixelShare(from one: PictureSize, to other: PictureSize) -> Double {
    Double(other.width * other.height) / Double(one.width * one.height)
  }
}
