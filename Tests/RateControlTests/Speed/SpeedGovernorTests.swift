// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import RateControl

@Suite struct SpeedGovernorTests {
  private static let top = Double(SpeedLadder.top)

  @Test(arguments: [0.02, 0.1, 0.3])
  func aSteadySceneSettlesHighAndStays(noise: Double) {
    var model = ProcessorModel()
    model.noise = noise
    let run = model.run(seconds: 120)
    #expect(run.misses.isEmpty)
    #expect(run.level(at: 8) >= 6.5, "it climbs within seconds")
    #expect(run.mostChangesPerSecond(from: 0) <= 1)
    #expect(run.plans.isEmpty)
  }

  @Test func aFastMachineReachesTheTop() {
    var model = ProcessorModel()
    model.scene = { _ in 0.0005 }
    #expect(model.run(seconds: 20).level(at: 15) == Self.top)
  }

  /// One of two processors is gone: each frame takes twice as long.
  @Test func aLostProcessorCostsOneFrame() {
    var model = ProcessorModel()
    model.stretch = { $0 >= 30 && $0 < 60 ? 1.3 : 0.7 }
    let run = model.run(seconds: 90)
    #expect(run.lost == 0)
    #expect(
      run.misses.count <= 1 && run.misses.allSatisfy { $0 > 29.9 && $0 < 30.1 }, "\(run.misses)")
    let before = run.level(at: 29.9)
    #expect(run.level(at: 40) < before - 1)
    #expect(run.level(at: 75) >= before - 0.5, "back within 15 s")
    #expect(run.mostChangesPerSecond(from: 62) <= 1)
  }

  /// Half the clock over three minutes.
  @Test func heatIsFollowedWithoutAMiss() {
    var model = ProcessorModel()
    model.scene = { 0.0055 * (1 + min(1, max(0, $0 - 20) / 180)) }
    let run = model.run(seconds: 240)
    #expect(run.misses.isEmpty)
    #expect(run.level(at: 239) < run.level(at: 20) - 1)
    #expect(run.mostChangesPerSecond(from: 8) <= 1)
  }

  /// Heat that is told before the clock falls costs no frame. Once the clock has fallen, it counts once.
  @Test func aToldClockShareLowersTheLevelBeforehand() {
    var model = ProcessorModel()
    model.clockShare = { $0 < 20 || $0 > 24 ? 1 : 0.6 }
    model.scene = { $0 < 22 ? 0.0055 : 0.0055 / 0.6 }
    let run = model.run(seconds: 60)
    #expect(run.misses.isEmpty)
    #expect(run.level(at: 21.5) < run.level(at: 19) - 0.5)
    #expect(run.level(at: 59) >= run.level(at: 21.5) - 0.5)
  }

  /// Each rise fails, since the upper rungs cost more than twice what they should: it is tried less and less often.
  @Test func aRiseThatFailsIsTriedSeldom() {
    var model = ProcessorModel()
    model.costs = SpeedLadder.usualCosts.enumerated().map { $0 < 6 ? $1 : $1 * 2.5 }
    let run = model.run(seconds: 900)
    let levels = run.frames.filter { $0.arrivedAt >= 600 }.map(\.level)
    let falls = zip(levels, levels.dropFirst()).count { $0 > $1 }
    #expect(falls <= 20, "\(falls) falls in 300 s")
  }

  /// Other work of the program takes the processor that the encoder leaves idle: frames take no longer for it.
  @Test func workBesideTheEncoderKeepsTheFrameRate() {
    var model = ProcessorModel()
    model.scene = { $0 > 20 && $0 < 20.2 ? 0.054 : 0.036 }
    model.stretch = { $0 > 20 && $0 < 20.2 ? 0.7 / 1.5 : 0.7 }
    let run = model.run(seconds: 40)
    #expect(run.plans.isEmpty, "\(run.plans)")
  }

  /// Without the right to make it smaller, the size comes back, and the frame rate falls instead.
  @Test func theSizeComesBackWhenItMayNotBeReduced() {
    var model = ProcessorModel(allowsResize: true)
    model.scene = { _ in 0.15 }
    _ = model.run(seconds: 20)
    #expect(model.governor.plan.size != nil)
    model.governor.limits.allowsResize = false
    #expect(model.governor.plan.size == nil && model.governor.plan.frameStep >= 4)
  }

  /// Repeats of a frame are cheap. The next frame that is new is not.
  @Test func repeatsTeachNothing() {
    var model = ProcessorModel()
    _ = model.run(seconds: 20)
    let before = model.governor
    for number in 0..<60 {
      let at = Duration.seconds(21 + Double(number) / 30)
      _ = model.governor.next(
        SpeedGovernor.FrameStart(interval: .seconds(1) / 30, isRepeat: true), at: at)
      _ = model.governor.note(
        SpeedGovernor.FrameWork(
          encoding: .milliseconds(1), processorTime: .milliseconds(1), isKeyframe: false),
        at: at)
    }
    #expect(model.governor.level <= before.level + 0.5)
    #expect(model.governor.ladder == before.ladder)
  }

  /// A demanding scene of long ago does not lower the effort of cuts for ever.
  @Test func demandingScenesAreForgotten() {
    var model = ProcessorModel()
    model.cutFactor = 2.5
    model.scene = { Int($0 / 4) % 2 == 0 ? 0.003 : $0 < 60 ? 0.009 : 0.0045 }
    let run = model.run(seconds: 2_400)
    func rungOfCut(at time: Double) -> Int? {
      run.frames.first { $0.arrivedAt > time - 0.02 }?.rung
    }
    let (soon, late) = (rungOfCut(at: 68) ?? 0, rungOfCut(at: 2_388) ?? 0)
    #expect(late > soon, "\(soon), then \(late)")
  }

  /// Cuts between a quiet and a demanding scene, on keyframes and between them.
  @Test(arguments: [4.0, 3.7, 1.3])
  func aCutCostsItsFirstFrameAtMost(every seconds: Double) {
    var model = ProcessorModel()
    model.scene = { Int($0 / seconds) % 2 == 0 ? 0.004 : 0.008 }
    let run = model.run(seconds: 60)
    #expect(run.lost == 0)
    for (first, second) in zip(run.misses, run.misses.dropFirst()) {
      #expect(second - first > seconds - 0.1, "one at a cut")
    }
  }

  /// Cuts that were seen before the frame was encoded cost no frame, once both scenes have been there.
  @Test(arguments: [4.0, 3.7, 1.3])
  func aCutThatIsSeenCostsNothing(every seconds: Double) {
    var model = ProcessorModel()
    model.scene = { Int($0 / seconds) % 2 == 0 ? 0.004 : 0.008 }
    model.cutFactor = 2.5
    let run = model.run(seconds: 60)
    #expect(run.misses.allSatisfy { $0 < seconds * 2 }, "\(run.misses)")
    #expect(run.level(at: 2 * seconds - 0.1) > 4)
  }

  /// A burst of work that is too much even at the cheapest effort.
  @Test func aBurstLowersTheFrameRateAndIsForgotten() throws {
    var model = ProcessorModel()
    model.scene = { $0 >= 20 && $0 < 30 ? 0.06 : 0.0055 }
    let run = model.run(seconds: 90)
    let first = try #require(run.plans.first)
    #expect(first.at < 20.4 && first.plan.frameStep >= 2)
    #expect(run.misses.allSatisfy { $0 >= 19.9 && $0 < 20.5 }, "\(run.misses)")
    #expect(model.governor.plan == .unlimited)
    #expect(run.level(at: 89) >= 6.5)
  }

  /// Both processors are taken for 80 ms each second: no frame is lost, and the level does not fall for it.
  @Test func hiccupsAreCaughtUpWith() {
    var model = ProcessorModel()
    model.hiccup = 0.08
    let run = model.run(seconds: 60)
    #expect(run.lost == 0)
    #expect(run.level(at: 59) >= 6.5)
    #expect(run.plans.isEmpty)
    for second in 5..<59 {
      let late = run.frames.count {
        $0.arrivedAt >= Double(second) && $0.arrivedAt < Double(second + 1) && $0.isMiss
      }
      #expect(late <= 4)
    }
  }

  /// Calibrated costs that are wrong by a factor of 2 at the top, in either direction.
  @Test(arguments: [true, false])
  func aWrongCalibrationMissesNothing(areTooLow: Bool) {
    var model = ProcessorModel()
    let top = SpeedLadder.usualCosts.count - 1
    model.costs = SpeedLadder.usualCosts.enumerated().map { index, cost in
      let error = 1 + Double(index) / Double(top)
      return areTooLow ? cost * error : max(1, cost / error)
    }
    let run = model.run(seconds: 60)
    #expect(run.misses.isEmpty)
    #expect(run.mostChangesPerSecond(from: 10) <= 1)
    #expect(run.level(at: 59) >= 4)
  }

  @Test func theShareOfTheProcessorsIsKept() {
    for share in [0.2, 0.4, 0.75] {
      var model = ProcessorModel(share: share)
      let run = model.run(seconds: 60)
      let settled = run.frames.filter { $0.arrivedAt > 20 }
      let used = settled.map(\.processorSeconds).reduce(0, +) / 40 / 2
      #expect(used <= share * 1.05, "\(used) of \(share)")
      if share < 0.4 { #expect(used > share * 0.7) }
    }
  }

  /// Other programs take more and more until even the first rung is too dear: the frame rate falls before frames do.
  @Test func aRisingLoadLowersTheFrameRateBeforeFramesAreLate() throws {
    var model = ProcessorModel()
    model.scene = { _ in 0.02 }
    model.stretch = { 0.7 + min(1.6, max(0, $0 - 20) / 20) }
    let run = model.run(seconds: 80)
    #expect(run.plans.map(\.plan.frameStep) == [2])
    #expect(run.lost == 0 && run.misses.count <= 3, "\(run.misses)")
  }

  /// Single frames that take long would be late at a larger frame rate: it is not tried.
  @Test func aRateThatSingleFramesDoNotFitIsNotTried() throws {
    var model = ProcessorModel()
    model.scene = { $0 < 1 ? 0.12 : Int($0 * 3) % 4 == 0 ? 0.12 : 0.05 }
    let run = model.run(seconds: 60)
    #expect(run.frames.allSatisfy { $0.arrivedAt < 2 || ($0.delay ?? 1) < 2 * $0.interval })
    #expect(run.plans.allSatisfy { $0.at < 5 }, "\(run.plans)")
  }

  @Test func aSlowBoardSettlesAtOnce() throws {
    var model = ProcessorModel()
    model.scene = { _ in 0.05 }
    let run = model.run(seconds: 60)
    #expect(run.misses.allSatisfy { $0 < 0.5 }, "\(run.misses)")
    #expect(run.plans.map(\.plan.frameStep) == [2])
    #expect(run.plans.allSatisfy { $0.plan.size == nil })
  }

  @Test func theSizeIsReducedOnlyWhereItMay() {
    for allowsResize in [false, true] {
      var model = ProcessorModel(allowsResize: allowsResize)
      model.scene = { _ in 0.15 }
      let run = model.run(seconds: 60)
      #expect(run.misses.allSatisfy { $0 < 1.5 }, "\(run.misses)")
      #expect((model.governor.plan.size != nil) == allowsResize)
      #expect(
        allowsResize ? model.governor.plan.frameStep == 2 : model.governor.plan.frameStep == 4)
    }
  }

  /// With measured costs the first frame already has an effort that fits.
  @Test func calibratedCostsCountFromTheFirstFrame() {
    var model = ProcessorModel(
      costs: SpeedCosts(nanosPerPixel: 0.02 * 1e9 / 921_600))
    model.scene = { _ in 0.02 }
    let run = model.run(seconds: 30)
    #expect(run.misses.count <= 1)
    #expect(run.level(at: 0) <= 1)
  }

  /// A scene that is cheaper than the calibration's lets the frame rate begin too low: it rises within five seconds.
  @Test func tooCautiousABeginningRisesSoon() throws {
    var model = ProcessorModel(costs: SpeedCosts(nanosPerPixel: 0.12 * 1e9 / 921_600))
    model.scene = { _ in 0.05 }
    let run = model.run(seconds: 60)
    #expect(run.plans.last { $0.at < 5 }?.plan.frameStep == 2)
    #expect(run.plans.allSatisfy { $0.at < 5 })
    #expect(run.misses.allSatisfy { $0 < 0.5 }, "\(run.misses)")
  }

  /// The link asks for a smaller size, and for the whole one again: the processor's limit is kept.
  @Test func anotherAskedSizeKeepsTheFrameRateThatFits() {
    var model = ProcessorModel()
    model.scene = { _ in 0.06 }
    _ = model.run(seconds: 20)
    #expect(model.governor.plan.frameStep == 2)
    model.governor.limits.size = PictureSize(width: 854, height: 480)
    #expect(model.governor.plan.frameStep == 1)
    model.governor.limits.size = ProcessorModel.size
    #expect(model.governor.plan.frameStep == 2)
  }

  /// A load that fits, but with little room, still fits after the link has changed the size for a while.
  @Test func anotherAskedSizeKeepsAFullFrameRate() {
    var model = ProcessorModel()
    model.scene = { _ in 0.036 }
    _ = model.run(seconds: 20)
    #expect(model.governor.plan == .unlimited)
    model.governor.limits.size = PictureSize(width: 854, height: 480)
    model.governor.limits.size = ProcessorModel.size
    #expect(model.governor.plan == .unlimited)
  }

  @Test func aRateIsWrittenAsAPersonDoes() {
    #expect(ProcessorPlan(frameStep: 4).rate(of: 30) == "7.5")
    #expect(ProcessorPlan(frameStep: 2).rate(of: 30) == "15")
    #expect(ProcessorPlan(frameStep: 3).rate(of: 25) == "8.3")
  }

  /// Another size is judged anew, with its number of pixels.
  @Test func anotherSizeCostsByItsPixels() {
    var model = ProcessorModel()
    _ = model.run(seconds: 20)
    let before = model.governor.level
    model.governor.limits.size = PictureSize(width: 1920, height: 1080)
    _ = model.governor.next(
      SpeedGovernor.FrameStart(interval: .seconds(1) / 30, isKeyframe: true), at: .seconds(21))
    #expect(model.governor.level < before - 1)
  }
}
