// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Director

@Suite struct DirectorTests {
  private let fine = Conditions(
    camera: .good, microphone: .good, destination: .delivered, videoDelivered: true)

  private func live(at now: Duration = .zero) -> Director {
    Director(intent: Intent(broadcast: .live), conditions: fine, pause: PausePlan(silenced: .all))
  }

  @Test func commandsTakeEffectAtOnce() throws {
    var director = live()
    try director.perform(.pause, at: .zero)
    #expect(director.plan == Plan(video: .pauseStill, audio: .silence, lamp: .unconfirmed))
    try director.perform(.resume, at: .milliseconds(1))
    #expect(director.plan.video == .camera)
    #expect(director.plan.lamp == .unconfirmed)
    director.update(fine, at: .milliseconds(2))
    #expect(director.plan.lamp == .live)
  }

  /// The camera's state neither delays nor ends the still; the lamp is live once the server has the still.
  @Test func videoIsOffAtOnceWhateverTheCameraDoes() throws {
    var director = live()
    var lost = fine
    lost.camera = .lost
    director.update(lost, at: .seconds(10))
    try director.perform(.videoOff, at: .milliseconds(10_100))
    #expect(
      director.plan == Plan(video: .videoOffStill, audio: .microphone, lamp: .unconfirmed))
    director.update(lost, at: .milliseconds(10_200))
    #expect(director.plan.lamp == .noCamera, "the camera is still lost")
    for milliseconds in [10_300, 20_000] {
      director.update(fine, at: .milliseconds(milliseconds))
      #expect(director.plan == Plan(video: .videoOffStill, audio: .microphone, lamp: .live))
    }
    try director.perform(.videoOn, at: .seconds(21))
    #expect(director.plan.video == .camera && director.plan.lamp == .unconfirmed)
  }

  @Test func aCommandForTheCurrentStateChangesNothing() throws {
    var director = live()
    #expect(try director.perform(.resume, at: .zero) == false)
    #expect(director.plan.lamp == .live)
  }

  /// A pause follows its settings at once; what it has not begun with it cannot show.
  @Test func aPauseFollowsItsSettings() throws {
    var shown = fine
    shown.hasLastFrame = true
    var director = Director(
      intent: Intent(broadcast: .live), conditions: shown,
      pause: PausePlan(.last, silenced: .all))
    // Live video is not touched.
    director.setPause(PausePlan(.none, silenced: .all))
    #expect(director.plan == Plan(video: .camera, audio: .microphone, lamp: .live))
    director.setPause(PausePlan(.last, silenced: .all))
    try director.perform(.pause, at: .zero)
    #expect(director.plan == Plan(video: .lastFrame, audio: .silence, lamp: .unconfirmed))
    director.update(shown, at: .milliseconds(10))
    #expect(director.plan.lamp == .paused)
    director.setPause(PausePlan(.image, silenced: .all))
    #expect(director.plan == Plan(video: .pauseStill, audio: .silence, lamp: .unconfirmed))
    director.update(fine, at: .milliseconds(20))
    director.setPause(PausePlan(.last, silenced: .all))
    #expect(director.plan == Plan(video: .pauseStill, audio: .silence, lamp: .paused))
    director.setPause(PausePlan(.none, silenced: .none))
    #expect(director.plan == Plan(video: .soundOnly, audio: .microphone, lamp: .unconfirmed))
    // A frame that is lost, as at a restart, gives way to the image at once.
    director.setPause(PausePlan(.last, silenced: .all))
    director.update(shown, at: .milliseconds(30))
    #expect(director.plan.video == .lastFrame)
    director.update(fine, at: .milliseconds(40))
    #expect(director.plan.video == .pauseStill)
  }

  /// The lamp shows "paused" when the server has the still, not when the pause is only requested.
  @Test func theLampWaitsForTheStill() throws {
    var director = live()
    try director.perform(.pause, at: .zero)
    var conditions = fine
    conditions.videoDelivered = false
    director.update(conditions, at: .milliseconds(100))
    #expect(director.plan.lamp == .unconfirmed)
    conditions.videoDelivered = true
    director.update(conditions, at: .milliseconds(200))
    #expect(director.plan.lamp == .paused)
  }

  @Test func aLostCameraIsReplacedAtOnceAndReturnsAfterADelay() {
    var director = live()
    var lost = fine
    lost.camera = .lost
    director.update(lost, at: .seconds(10))
    #expect(director.plan.video == .noCameraStill)
    director.update(lost, at: .milliseconds(10_500))
    #expect(director.plan.lamp == .noCamera)
    director.update(fine, at: .seconds(11))
    #expect(director.plan.video == .noCameraStill)
    #expect(director.plan.lamp == .noCamera, "viewers still see the still")
    director.update(fine, at: .milliseconds(11_999))
    #expect(director.plan.video == .noCameraStill)
    #expect(director.plan.lamp == .noCamera)
    director.update(fine, at: .seconds(12))
    #expect(director.plan.video == .camera)
    #expect(director.plan.lamp == .unconfirmed, "the server has the still")
    director.update(fine, at: .milliseconds(12_100))
    #expect(director.plan.lamp == .live)
  }

  /// Guests have kept the still of a lost camera away. After the last one it does not wait: nothing else would be seen.
  @Test func theStillFollowsTheLastGuestAtOnce() {
    var director = live()
    var conditions = fine
    conditions.camera = .lost
    director.update(conditions, at: .seconds(10))
    conditions.showsGuests = true
    director.update(conditions, at: .seconds(12))
    #expect(director.plan.video == .camera)
    conditions.showsGuests = false
    director.update(conditions, at: .milliseconds(12_050))
    #expect(director.plan.video == .noCameraStill)
  }

  /// A source that stalls again and again for a moment, on a machine that is too busy: viewers see the still for two
  /// seconds each time, which the lamp and the page tell also when the server has got it after the stall.
  @Test func aStillThatStaysAfterAShortStallIsTold() {
    var director = live()
    var conditions = fine
    conditions.camera = .lost
    conditions.videoDelivered = false
    director.update(conditions, at: .seconds(10))
    #expect(director.plan.video == .noCameraStill)
    conditions.camera = .good
    director.update(conditions, at: .milliseconds(10_050))
    #expect(director.plan.lamp == .unconfirmed)
    director.update(fine, at: .milliseconds(10_100))
    #expect(director.plan.video == .noCameraStill)
    #expect(director.plan.lamp == .noCamera)
    func said() -> Situation {
      Situation(
        director.intent, director.plan, director.conditions, lamp: director.plan.lamp, relays: 0)
    }
    #expect(said().state == .noCamera && said().grade == .poor && said().audience == .all)
    director.update(fine, at: .seconds(12))
    #expect(said().grade == .starting)
    director.update(fine, at: .milliseconds(12_100))
    #expect(said().state == .live && said().grade == .good)
  }

  /// A microphone that is being opened is silence to viewers, and no alarm.
  @Test func aMicrophoneThatOpensIsNotGood() {
    var director = live()
    var conditions = fine
    conditions.microphone = .opening
    director.update(conditions, at: .seconds(10))
    let said = Situation(
      director.intent, director.plan, conditions, lamp: director.plan.lamp, relays: 0)
    #expect(director.plan.lamp == .unconfirmed)
    #expect(said.state == .live && said.grade == .starting && said.audience == .all)
  }

  @Test func thePoorNetworkStillDoesNotWait() {
    var director = live()
    var conditions = fine
    conditions.camera = .lost
    director.update(conditions, at: .seconds(10))
    conditions.link = .poor
    director.update(conditions, at: .milliseconds(10_100))
    #expect(director.plan.video == .poorNetworkStill)
    director.update(fine, at: .milliseconds(10_200))
    #expect(director.plan.video == .poorNetworkStill)
    director.update(director.conditions, at: .milliseconds(12_100))
    #expect(director.plan.video == .camera)
  }

  @Test func aDeferredChangeIsCancelledWhenItsReasonIsGone() {
    var director = live()
    var lost = fine
    lost.camera = .lost
    director.update(lost, at: .seconds(10))
    director.update(fine, at: .seconds(11))
    director.update(lost, at: .milliseconds(11_500))
    director.update(director.conditions, at: .seconds(20))
    #expect(director.plan.video == .noCameraStill)
  }

  /// Random conditions and commands: the promises hold after each step.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func aRandomWalkKeepsThePromises(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pause = Everything.pauses[Int(seed) % Everything.pauses.count]
    var director = Director(
      intent: Intent(), conditions: Conditions(), pause: pause)
    var now = Duration.zero
    var automaticAt: Duration?
    var failure: String?
    for step in 0..<often(250_000) where failure == nil {
      now += .milliseconds(Int.random(in: 0...900, using: &random))
      let before = director.plan.video
      var isCommand = false
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        isCommand = true
        _ = try? director.perform(Command.allCases.randomElement(using: &random) ?? .stop, at: now)
      case 1: director.update(director.conditions, at: now)
      default: director.update(.random(using: &random), at: now)
      }
      let plan = director.plan
      if !promisesHold(director.intent, director.conditions, pause: pause, plan) {
        failure = "step \(step): \(director)"
      }
      if !isCommand, plan.video != before {
        if plan.video == .camera || plan.video == .noCameraStill,
          let last = automaticAt, now - last < .seconds(2)
        {
          failure = "step \(step): \(before) to \(plan.video) after \(now - last)"
        }
        automaticAt = now
      }
      // Every fault can be recovered from.
      if step.isMultiple(of: 1_000) {
        var repaired = director
        repaired.update(fine, at: now)
        repaired.update(repaired.conditions, at: now + .seconds(2))
        repaired.update(fine, at: now + .seconds(2))
        let isWell: Bool =
          switch repaired.intent.broadcast {
          case .off: repaired.plan.lamp == .offAir
          case .live:
            repaired.plan.lamp == .live
              && repaired.plan.video == (repaired.intent.isVideoOff ? .videoOffStill : .camera)
          case .paused: repaired.plan.lamp == .paused && repaired.plan.video.isPause
          }
        if !isWell { failure = "step \(step): no recovery: \(repaired)" }
      }
    }
    #expect(failure == nil)
  }
}

extension Conditions {
  fileprivate static func random(using random: inout SplitMix64) -> Conditions {
    Conditions(
      camera: Input.allCases.randomElement(using: &random) ?? .good,
      microphone: Input.allCases.randomElement(using: &random) ?? .good,
      destination: Destination.allCases.randomElement(using: &random) ?? .delivered,
      link: LinkQuality.allCases.randomElement(using: &random) ?? .good,
      encoderFailed: Int.random(in: 0..<20, using: &random) == 0,
      videoDelivered: Bool.random(using: &random), hasLastFrame: Bool.random(using: &random))
  }
}
