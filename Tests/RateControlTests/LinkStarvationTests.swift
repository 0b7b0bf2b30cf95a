// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import LinkLab
import Testing

@testable import RateControl

/// When a still takes the place of live video, and when it goes.
@Suite struct LinkStarvationTests {
  /// A good link stalls and then disconnects: no still, which nobody would see.
  @Test func aDisconnectionIsNoReasonForAStill() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    for _ in 0..<100 { controller.note(link.reading(kbps: 2_000), at: link.now) }
    for step in 0..<200 {
      link.delay = .milliseconds(50 * step)
      #expect(controller.note(link.reading(kbps: 0, encoded: 2_000), at: link.now).link != .poor)
    }
    #expect(controller.note(nil, at: link.now).link == .good)
    link.connection = 2
    link.delay = .zero
    let plan = controller.note(link.reading(kbps: 0), at: link.now)
    #expect(plan.link == .good)
    #expect(plan.videoKbps >= 1_000)
  }

  /// A night without a connection is no evidence of capacity.
  @Test func aStillOutlastsADisconnection() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    link.starve(&controller)
    #expect(controller.plan.link == .poor)
    for _ in 0..<6_000 {
      link.now += .milliseconds(50)
      controller.note(nil, at: link.now)
    }
    link.connection = 2
    link.delay = .zero
    for _ in 0..<60 {
      #expect(controller.note(link.reading(kbps: 60), at: link.now).link == .poor)
    }
    for _ in 0..<60 { controller.note(link.reading(kbps: 60), at: link.now) }
    #expect(controller.plan.link != .poor)
  }

  /// The still's keyframe takes a second on a link that carries little more.
  @Test func aStillIsNotDroppedForItsOwnKeyframe() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    for _ in 0..<100 { controller.note(link.reading(kbps: 2_000), at: link.now) }
    link.delay = .milliseconds(900)
    link.backlogBytes = 15_000
    for _ in 0..<100 { controller.note(link.reading(kbps: 95, encoded: 400), at: link.now) }
    #expect(controller.plan.link == .poor)
    #expect(!controller.plan.dropsVideo)
  }

  /// The path becomes long and lossy during a quiet scene: the throughput is below the floor, but everything arrives.
  @Test func aQuietSceneOnALongPathIsNoStill() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    link.audioKbps = 32
    for _ in 0..<100 { controller.note(link.reading(kbps: 95, encoded: 60), at: link.now) }
    for step in 0..<400 {
      link.delay = .milliseconds(100 + step % 20 * 20)
      let arriving = step % 20 < 6 ? 20 : 127
      let plan = controller.note(link.reading(kbps: arriving, encoded: 60), at: link.now)
      #expect(plan.link != .poor)
    }
    // A livelier scene does not fit.
    for _ in 0..<100 { controller.note(link.reading(kbps: 95, encoded: 80), at: link.now) }
    #expect(controller.plan.link == .poor)
  }

  /// A keyframe that is still arriving must not pass for a quiet scene.
  /// - Parameters:
  ///   - readings: from a keyframe to the next.
  ///   - more: additional readings in which an interval is longer than requested.
  @Test(arguments: [(20, 0), (25, 0), (30, 0), (38, 0), (40, 0), (40, 1), (80, 0)])
  func keyframesCountAsEncoded(readings: Int, more: Int) {
    var controller = BitrateController(
      BitrateTests.limits(keyframeInterval: .milliseconds(50 * readings)))
    var link = SteadyLink()
    link.audioKbps = 32
    link.delay = .milliseconds(400)
    // Two fifths of 200 kbit/s.
    let key = 80 * readings
    for step in 0..<160 {
      let encoded = step % (readings + more) == 0 ? key : 123
      controller.note(link.reading(kbps: 186, encoded: encoded), at: link.now)
    }
    #expect(controller.plan.link == .poor)
  }

  @Test func droppedVideoDoesNotCountAsDelivered() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    link.delay = .milliseconds(900)
    link.backlogBytes = 20_000
    for _ in 0..<120 { controller.note(link.reading(kbps: 124, encoded: 60), at: link.now) }
    #expect(controller.plan.link == .poor)
  }

  /// A long path that loses packets each second: retransmissions come a little later, but live video fits.
  @Test func lossesDoNotKeepTheStill() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    link.roundTrip = .milliseconds(100)
    link.starve(&controller)
    #expect(controller.plan.link == .poor)
    for step in 0..<120 {
      link.delay = .milliseconds(step % 20 < 3 ? 100 + 50 * (step % 20) : 0)
      controller.note(link.reading(kbps: 60), at: link.now)
    }
    #expect(controller.plan.link != .poor)
  }

  /// A lasting queue becomes part of the minimum round-trip time after a while, but the still stays.
  @Test func aLastingQueueKeepsTheStill() {
    var controller = BitrateController(BitrateTests.limits())
    var link = SteadyLink()
    link.starve(&controller)
    link.roundTrip = .milliseconds(1_600)
    for step in 0..<1_200 {
      link.delay = .milliseconds(step % 80 < 10 ? 800 : 100)
      #expect(controller.note(link.reading(kbps: 30), at: link.now).link == .poor)
    }
  }
}
