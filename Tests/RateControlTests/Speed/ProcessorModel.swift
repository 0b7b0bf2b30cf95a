// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media

@testable import RateControl

/// A camera with 30 frames a second, and an encoder on a processor, in virtual time: what the governor chooses decides how
/// long each frame takes.
struct ProcessorModel {
  /// What each rung really costs.
  var costs = SpeedLadder.usualCosts
  /// Seconds of processor time of a frame that costs 1, by the time.
  var scene: (Double) -> Double = { _ in 0.0055 }
  /// Seconds of encoding for a second of processor time, by the time.
  var stretch: (Double) -> Double = { _ in 0.7 }
  /// What is told of the clock, by the time.
  var clockShare: (Double) -> Double = { _ in 1 }
  /// The time in each second in which nothing runs: a hiccup.
  var hiccup: Double = 0
  /// Each frame costs up to so much more or less.
  var noise = 0.05
  var keyframeFactor = 1.2
  /// The governor is told of the first frame of a scene, which costs so many times more; `nil` if it is not told.
  var cutFactor: Double?
  var preparing = 0.001
  var random: UInt64 = 1
  var governor: SpeedGovernor

  static let size = PictureSize(width: 1280, height: 720)
  private static let rate = 30.0
  /// As `FrameQueue.spanNanos`, in seconds.
  private static let span = 0.1

  init(allowsResize: Bool = false, costs: SpeedCosts = SpeedCosts(), share: Double = 0.75) {
    governor = SpeedGovernor(
      limits: SpeedGovernor.Limits(
        framesPerSecond: Int(ProcessorModel.rate), size: ProcessorModel.size,
        allowsResize: allowsResize, processors: 2, processorShare: share),
      costs: costs)
  }

  struct Frame {
    var arrivedAt: Double
    var interval: Double
    /// Seconds from its arrival to its end; `nil` if it was dropped.
    var delay: Double?
    var level: Double
    var rung: Int
    var processorSeconds = 0.0

    /// It was not done when the next one was due.
    var isMiss: Bool { delay.map { $0 > interval } ?? true }
  }

  struct Run {
    var frames: [Frame] = []
    /// When the frame rate or the size changed, and to what.
    var plans: [(at: Double, plan: ProcessorPlan)] = []

    var misses: [Double] { frames.filter(\.isMiss).map(\.arrivedAt) }
    var lost: Int { frames.count { $0.delay == nil } }

    /// The most changes of the level within a second, from a time on.
    func mostChangesPerSecond(from begin: Double) -> Int {
      let later = frames.filter { $0.arrivedAt >= begin }
      let changes = zip(later, later.dropFirst()).filter { $0.level != $1.level }
        .map(\.1.arrivedAt)
      return changes.map { at in changes.count { $0 >= at && $0 < at + 1 } }.max() ?? 0
    }

    func level(at time: Double) -> Double {
      frames.last { $0.arrivedAt <= time }?.level ?? -1
    }
  }

  mutating func run(seconds: Double) -> Run {
    var run = Run()
    var now = 0.0
    var number = 0
    var encoded = 0
    var sceneBefore = scene(0)
    while Double(number) / ProcessorModel.rate < seconds {
      let step = governor.plan.frameStep
      let interval = Double(step) / ProcessorModel.rate
      let arrivedAt = Double(number) / ProcessorModel.rate
      number += step
      now = max(now, arrivedAt)
      var frame = Frame(arrivedAt: arrivedAt, interval: interval, level: governor.level, rung: 0)
      if now - arrivedAt > ProcessorModel.span {
        run.frames.append(frame)
        continue
      }
      let isKeyframe = encoded % 60 == 0
      encoded += 1
      governor.expect(clockShare: clockShare(now))
      let isCut = cutFactor != nil && abs(scene(now) / sceneBefore - 1) > 0.3
      sceneBefore = scene(now)
      frame.rung = governor.next(
        SpeedGovernor.FrameStart(
          interval: .seconds(interval), waiting: .seconds(now - arrivedAt),
          preparing: .seconds(preparing), isKeyframe: isKeyframe, isCut: isCut),
        at: .seconds(now))
      frame.level = governor.level
      let pixels = governor.plan.size.map { Double($0.width * $0.height) } ?? 921_600
      let processor =
        scene(now) * costs[frame.rung] * pixels / 921_600 * (1 + noise * nextRandom())
        * (isKeyframe ? keyframeFactor : isCut ? cutFactor ?? 1 : 1)
      let encoding = withHiccups(processor * stretch(now), from: now + preparing)
      now += preparing + encoding
      frame.delay = now - arrivedAt
      frame.processorSeconds = processor
      let work = SpeedGovernor.FrameWork(
        encoding: .seconds(encoding), processorTime: .seconds(processor),
        isKeyframe: isKeyframe)
      if governor.note(work, at: .seconds(now)) {
        run.plans.append((now, governor.plan))
      }
      run.frames.append(frame)
    }
    return run
  }

  /// How long work takes that begins at a time, if nothing runs at the end of each second.
  private func withHiccups(_ work: Double, from begin: Double) -> Double {
    guard hiccup > 0 else { return work }
    var (at, left) = (begin, work)
    while true {
      let hiccupAt = at.rounded(.down) + 1 - hiccup
      if at >= hiccupAt { at = at.rounded(.down) + 1 }
      let until = at.rounded(.down) + 1 - hiccup
      if at + left <= until { return at + left - begin }
      left -= until - at
      at = until
    }
  }

  /// From -1 to 1, the same in each run (Knuth's linear congruential generator).
  private mutating func nextRandom() -> Double {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(random >> 40) / Double(1 << 23) - 1
  }
}
