// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
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

  /// A limit that is told before the clock falls is not missed either.
  @Test func aToldClockShareLowersTheLevelBeforehand() {
    var model = ProcessorModel()
    model.clockShare = { $0 < 20 ? 1 : 0.6 }
    model.scene = { $0 < 22 ? 0.0055 : 0.0055 / 0.6 }
    let run = model.run(seconds: 22)
    #expect(run.level(at: 21.5) < run.level(at: 19) - 0.5)
    #expect(run.misses.isEmpty)
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
    #expect(first.at < 22.5 && first.plan.frameStep >= 2)
    #expect(run.misses.allSatisfy { $0 >= 19.9 && $0 < 22.5 })
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

  @Test func aSlowBoardSettlesWithinTwoSeconds() throws {
    var model = ProcessorModel()
    model.scene = { _ in 0.05 }
    let run = model.run(seconds: 60)
    #expect(run.misses.allSatisfy { $0 < 2 })
    #expect(run.plans.map(\.plan.frameStep) == [2])
    #expect(run.plans.allSatisfy { $0.plan.size == nil })
  }

  @Test func theSizeIsReducedOnlyWhereItMay() {
    for allowsResize in [false, true] {
      var model = ProcessorModel(allowsResize: allowsResize)
      model.scene = { _ in 0.15 }
      let run = model.run(seconds: 60)
      #expect(run.misses.allSatisfy { $0 < 3 })
      #expect((model.governor.plan.size != nil) == allowsResize)
      #expect(
        allowsResize ? model.governor.plan.frameStep == 2 : model.governor.plan.frameStep >= 5)
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

  /// Another size is judged anew, with its number of pixels.
  @Test func anotherSizeCostsByItsPixels() {
    var model = ProcessorModel()
    _ = model.run(seconds: 20)
    let before = model.governor.level
    model.governor.limits.size = PictureSize(width: 1920, height: 1080)
    _ = model.governor.next(
      interval: .seconds(1) / 30, waiting: .zero, isKeyframe: true, at: .seconds(21))
    #expect(model.governor.level < before - 1)
  }
}
