// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import LinkLab
import TestSupport
import Testing

@testable import RateControl

@Suite struct BitrateTests {
  static func limits(
    _ mode: BitrateController.Mode = .resolution, target: Int = 2_000, least: Int = 200,
    width: Int = 640, height: Int = 360, keyframeInterval: Duration = .seconds(2),
    allowsResize: Bool = false
  ) -> BitrateController.Limits {
    BitrateController.Limits(
      mode: mode, targetKbps: target, floorKbps: least, initialKbps: target, audioKbps: 128,
      width: width, height: height, keyframeInterval: keyframeInterval, allowsResize: allowsResize,
      poorAfter: .seconds(3))
  }

  private func ride(_ trace: LinkTrace, _ content: VirtualContent = .lively) -> LinkScore {
    var rule = OnAirRule(targetKbps: 2_000)
    return VirtualStream(
      trace: trace, targetKbps: 2_000, content: content, keepsRecord: true
    ).run(&rule, seed: 1)
  }

  /// The capacity falls to a third of the bit rate for 15 s.
  @Test(arguments: [17_000.0, 90_000])
  func aLowCapacityIsUsedAndTheRateReturns(queueBytes: Double) {
    let score = ride(
      .dip(from: 4_000, to: 700, after: 15, lasting: 15, seconds: 50, queueBytes: queueBytes))
    #expect(score.mostBehind(from: 1, to: 50) < 1.5)
    #expect(score.capacityKbps(from: 18, to: 30) > 0.8 * 700)
    let back = score.record.dropFirst(300).firstIndex { $0.videoKbps >= 0.9 * 2_000 }
    #expect(back ?? .max <= 350)
    let stays = score.record.dropFirst(350).allSatisfy { $0.videoKbps >= 0.9 * 2_000 }
    #expect(stays)
    #expect(score.switches == 0)
  }

  /// For 20 s the capacity is below the normal audio bit rate.
  @Test func aTrickleCarriesTheStillAndSound() {
    let score = ride(
      .dip(from: 4_000, to: 120, after: 15, lasting: 20, seconds: 60, queueBytes: 17_000))
    #expect(score.mostBehind(from: 1, to: 60) < 5)
    #expect(score.mostBehind(from: 21, to: 35) < 2)
    let areStills = score.record[210..<350].allSatisfy { $0.isStill }
    #expect(areStills)
    let back = score.record.dropFirst(350).firstIndex { !$0.isStill }
    #expect(back ?? .max <= 410)
    #expect(score.switches == 2)
  }

  @Test func aShortStallHasNoLastingEffect() {
    let score = ride(
      .dip(from: 4_000, to: 0, after: 15, lasting: 1.5, seconds: 40, queueBytes: 17_000))
    #expect(score.switches == 0)
    let isGood = score.record.dropFirst(200).allSatisfy { $0.videoKbps > 1_400 && $0.behind < 1 }
    #expect(isGood)
  }

  /// A moment of congestion lowers the rate for a second. Only lasting congestion is reported.
  @Test func aMomentOfCongestionIsNoWeakLink() {
    var controller = BitrateController(BitrateTests.limits(target: 400))
    var link = SteadyLink()
    func go(_ readings: Int, kbps: Int, delay: Duration = .zero) -> [LinkPlan] {
      link.delay = delay
      return (0..<readings).map { _ in controller.note(link.reading(kbps: kbps), at: link.now) }
    }
    _ = go(100, kbps: 66)
    let moment = go(8, kbps: 200, delay: .milliseconds(120)) + go(60, kbps: 528)
    #expect(moment.contains { $0.videoKbps < 280 })
    #expect(moment.allSatisfy { $0.link == .good })
    #expect(moment.last?.videoKbps == 400)
    let lasting = go(40, kbps: 250, delay: .milliseconds(120))
    #expect(lasting.last?.link == .weak)
  }

  @Test func theRateStaysWithinChangedLimits() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    for _ in 0..<100 { controller.note(link.reading(kbps: 2_000), at: link.now) }
    controller.change(BitrateTests.limits(target: 900), at: link.now)
    #expect(controller.plan.videoKbps == 900)
    for _ in 0..<2_000 {
      controller.note(link.reading(kbps: 900), at: link.now)
      #expect(controller.plan.videoKbps == 900)
    }
    // A new connection is tried below the rate of the last.
    link.connection = 2
    controller.note(link.reading(kbps: 900), at: link.now)
    #expect(controller.plan.videoKbps < 900)
    controller.change(BitrateTests.limits(target: 2_000, least: 1_200), at: link.now)
    #expect(controller.plan.videoKbps == 1_200)
  }

  /// A person raises the bit rate on a good link: the link is not to blame that the rate was lower.
  @Test func aHigherTargetIsNoWeakLink() {
    var limits = BitrateTests.limits(target: 1_000)
    var controller = BitrateController(limits)
    var link = SteadyLink()
    for _ in 0..<100 { controller.note(link.reading(kbps: 1_000), at: link.now) }
    limits.targetKbps = 4_500
    limits.initialKbps = 4_500
    controller.change(limits, at: link.now)
    #expect(controller.plan.videoKbps == 4_500)
    for _ in 0..<100 {
      #expect(controller.note(link.reading(kbps: 4_500), at: link.now).link == .good)
    }
  }

  @Test func aFixedRateIsFixed() {
    var controller = BitrateController(BitrateTests.limits(.fixed))
    var link = SteadyLink()
    for step in 0..<600 {
      link.delay = .milliseconds(step % 3 * 400)
      #expect(controller.note(link.reading(kbps: 700), at: link.now).videoKbps == 2_000)
    }
  }

  /// Random readings: the rate stays within its limits, and a good link restores the full rate.
  @Test(arguments: BitrateController.Mode.allCases)
  func randomReadingsKeepTheLimits(mode: BitrateController.Mode) {
    var controller = BitrateController(
      BitrateTests.limits(
        mode, target: 6_000, least: 600, width: 1920, height: 1080, allowsResize: true))
    var random = SplitMix64(seed: 5)
    var link = SteadyLink()
    var most = 9_000
    var seen: Set<LinkQuality> = []
    for _ in 0..<20_000 {
      if Int.random(in: 0..<200, using: &random) == 0 {
        link.connection += 1
        most = [300, 9_000].randomElement(using: &random) ?? most
      }
      link.delay = .milliseconds(Int.random(in: 0...3_000, using: &random))
      let plan = controller.note(
        Int.random(in: 0..<500, using: &random) == 0
          ? nil
          : link.reading(
            kbps: Int.random(in: 0...most, using: &random),
            encoded: Int.random(in: 0...9_000, using: &random)), at: link.now)
      seen.insert(plan.link)
      let bounds = mode == .fixed ? 6_000...6_000 : 600...6_000
      #expect(bounds.contains(plan.videoKbps))
      #expect((1...3).contains(plan.frameStep))
      if mode == .custom || mode == .fixed { #expect(plan.rung == nil) }
    }
    #expect(seen.contains(.poor))
    link.delay = .zero
    for _ in 0..<4_000 {
      controller.note(link.reading(kbps: controller.plan.videoKbps + 128), at: link.now)
    }
    var good = LinkPlan(
      videoKbps: 6_000, frameStep: 1, rung: nil, reducesAudio: false, link: .good)
    good.throughputKbps = 6_128
    good.burst = controller.plan.burst
    #expect(controller.plan == good)
  }

  @Test func theSizeFollowsTheCapacityDownAndUp() {
    var controller = BitrateController(
      BitrateTests.limits(.fluency, least: 200, width: 1280, height: 720, allowsResize: true))
    var sizes: [Int] = []
    var link = SteadyLink()
    func go(seconds: Int, room: Int) {
      var queued = 0.0
      for _ in 0..<seconds * 20 {
        let sent = controller.plan.videoKbps + (controller.plan.reducesAudio ? 32 : 128)
        let arrived = min(Double(room) / 20, queued + Double(sent) / 20)
        queued += Double(sent) / 20 - arrived
        link.delay = .milliseconds(Int(queued / Double(room) * 1_000))
        link.backlogBytes = Int(queued * 125)
        controller.note(link.reading(kbps: Int(arrived * 20)), at: link.now)
        let height = controller.plan.rung?.height ?? 720
        if sizes.last != height { sizes.append(height) }
      }
    }
    go(seconds: 20, room: 4_000)
    go(seconds: 30, room: 1_100)
    #expect(controller.plan.rung?.height == 480)
    go(seconds: 30, room: 450)
    #expect(controller.plan.rung?.height == 360)
    go(seconds: 40, room: 4_000)
    #expect(controller.plan.rung == nil)
    #expect(sizes.first == 720)
    #expect(sizes.last == 720)
    #expect(sizes.count <= 8)
  }

  /// Also when the target is below the bit rate at which the next smaller size looks good.
  @Test(arguments: [(1280, 720, 850), (1280, 720, 1_000), (1920, 1080, 2_500), (1920, 1080, 2_100)])
  func theSizeReturnsToTheSettings(width: Int, height: Int, target: Int) {
    for mode in [BitrateController.Mode.resolution, .fluency] {
      let limits = BitrateTests.limits(
        mode, target: target, width: width, height: height, allowsResize: true)
      var shape = PictureShape()
      func rung(_ kbps: Int, at seconds: Int) -> VideoLadder.Rung? {
        for second in 0..<10 {
          shape.follow(
            rate: Double(kbps), sustained: Double(kbps), limits, at: .seconds(seconds + second))
        }
        return shape.rung
      }
      #expect(rung(target, at: 0) == nil)
      #expect(rung(300, at: 10) != nil)
      #expect(rung(target, at: 20) == nil)
    }
  }

  /// A backlog first reduces the audio; a longer one is dropped.
  @Test func aBacklogReducesAudioAndThenDropsVideo() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    /// - Parameter waiting: backlog in milliseconds of throughput.
    func go(seconds: Double, waiting: Int) {
      link.delay = .milliseconds(waiting)
      link.backlogBytes = waiting * 1_000 / 8
      for _ in 0..<Int(seconds * 20) { controller.note(link.reading(kbps: 1_000), at: link.now) }
    }
    go(seconds: 3, waiting: 30)
    #expect(!controller.plan.reducesAudio)
    // A large frame on a path with a long round trip is no congestion.
    link.backlogBytes = 400_000
    controller.note(link.reading(kbps: 1_000), at: link.now)
    #expect(!controller.plan.reducesAudio)
    go(seconds: 0.2, waiting: 800)
    #expect(controller.plan.reducesAudio)
    #expect(!controller.plan.dropsVideo)
    go(seconds: 0.2, waiting: 1_300)
    #expect(controller.plan.dropsVideo)
    go(seconds: 3.5, waiting: 30)
    #expect(controller.plan.reducesAudio)
    #expect(!controller.plan.dropsVideo)
    go(seconds: 1, waiting: 30)
    #expect(!controller.plan.reducesAudio)
  }

  /// On links that were not used for tuning, no other rule is better in both delay and quality.
  @Test(arguments: LinkTrace.Class.allCases)
  func noOtherRuleIsBetter(name: LinkTrace.Class) {
    func score(_ make: () -> some LinkRule) -> (behind: Double, quality: Double) {
      var sum = (behind: 0.0, quality: 0.0)
      for seed: UInt64 in 9_001...9_003 {
        var rule = make()
        let trace = LinkTrace(name, seed: seed, seconds: 90, target: 2_000)
        let score = VirtualStream(trace: trace, targetKbps: 2_000).run(&rule, seed: seed)
        sum.behind += score.secondsBehind
        sum.quality += score.quality
      }
      return sum
    }
    let own = score { OnAirRule(targetKbps: 2_000) }
    // A permanent still would never be behind.
    #expect(own.quality / 3 > 0.94)
    #expect(own.behind / 3 < 1)
    let others = [
      score { FixedRule(targetKbps: 2_000) }, score { OBSRule(targetKbps: 2_000) },
      score { BelacoderRule(targetKbps: 2_000) }, score { MoblinRule(targetKbps: 2_000) },
      score { HaishinKitRule(targetKbps: 2_000) }, score { RootEncoderRule(targetKbps: 2_000) },
    ]
    for other in others {
      #expect(!(other.behind < own.behind && other.quality > own.quality))
    }
  }
}
