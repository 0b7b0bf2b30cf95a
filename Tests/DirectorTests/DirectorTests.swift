// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director

@Suite struct DirectorTests {
  private let fine = Conditions(
    camera: .good, microphone: .good, destination: .delivered, videoDelivered: true)

  private func live(at now: Duration = .zero) -> Director {
    Director(intent: Intent(broadcast: .live), conditions: fine, keepsSound: false)
  }

  @Test func aPersonIsObeyedAtOnce() throws {
    var director = live()
    try director.perform(.pause, at: .zero)
    #expect(director.plan == Plan(video: .pauseStill, audio: .silence, lamp: .unconfirmed))
    try director.perform(.resume, at: .milliseconds(1))
    #expect(director.plan.video == .camera)
    #expect(director.plan.lamp == .unconfirmed)
    director.note(fine, at: .milliseconds(2))
    #expect(director.plan.lamp == .live)
  }

  @Test func whatIsSoAlreadyChangesNothing() throws {
    var director = live()
    #expect(try director.perform(.resume, at: .zero) == false)
    #expect(director.plan.lamp == .live)
  }

  /// The lamp says "paused" when the still is there, and not when it is only wanted.
  @Test func theLampWaitsForTheStill() throws {
    var director = live()
    try director.perform(.pause, at: .zero)
    var conditions = fine
    conditions.videoDelivered = false
    director.note(conditions, at: .milliseconds(100))
    #expect(director.plan.lamp == .unconfirmed)
    conditions.videoDelivered = true
    director.note(conditions, at: .milliseconds(200))
    #expect(director.plan.lamp == .paused)
  }

  @Test func aLostCameraIsReplacedAtOnceAndTakenBackWithCalm() {
    var director = live()
    var lost = fine
    lost.camera = .lost
    director.note(lost, at: .seconds(10))
    #expect(director.plan.video == .noCameraStill)
    director.note(fine, at: .seconds(11))
    #expect(director.plan.video == .noCameraStill)
    #expect(director.reviewAt == .seconds(12))
    director.review(at: .milliseconds(11_999))
    #expect(director.plan.video == .noCameraStill)
    director.review(at: .seconds(12))
    #expect(director.plan.video == .camera)
    #expect(director.reviewAt == nil)
  }

  @Test func aLinkThatHasNoRoomDoesNotWait() {
    var director = live()
    var conditions = fine
    conditions.camera = .lost
    director.note(conditions, at: .seconds(10))
    conditions.link = .poor
    director.note(conditions, at: .milliseconds(10_100))
    #expect(director.plan.video == .poorNetworkStill)
    director.note(fine, at: .milliseconds(10_200))
    #expect(director.plan.video == .poorNetworkStill)
    director.review(at: .milliseconds(12_100))
    #expect(director.plan.video == .camera)
  }

  @Test func whatWasPutOffIsForgottenWhenItIsNoLongerSo() {
    var director = live()
    var lost = fine
    lost.camera = .lost
    director.note(lost, at: .seconds(10))
    director.note(fine, at: .seconds(11))
    director.note(lost, at: .milliseconds(11_500))
    #expect(director.reviewAt == nil)
    director.review(at: .seconds(20))
    #expect(director.plan.video == .noCameraStill)
  }

  /// Anything may happen in any order; the promises hold after each of a million steps.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func aRandomWalkKeepsThePromises(_ seed: UInt64) {
    var random = Generator(state: seed)
    let keepsSound = seed.isMultiple(of: 2)
    var director = Director(intent: Intent(), conditions: Conditions(), keepsSound: keepsSound)
    var now = Duration.zero
    var automaticAt: Duration?
    var failure: String?
    for step in 0..<250_000 where failure == nil {
      now += .milliseconds(Int.random(in: 0...900, using: &random))
      let before = director.plan.video
      var isPersons = false
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        isPersons = true
        _ = try? director.perform(Command.allCases.randomElement(using: &random) ?? .stop, at: now)
      case 1: director.review(at: now)
      default: director.note(.random(using: &random), at: now)
      }
      let plan = director.plan
      if !promisesHold(director.intent, director.conditions, keepsSound: keepsSound, plan) {
        failure = "step \(step): \(director)"
      }
      if !isPersons, plan.video != before {
        if plan.video == .camera || plan.video == .noCameraStill,
          let last = automaticAt, now - last < .seconds(2)
        {
          failure = "step \(step): \(before) to \(plan.video) after \(now - last)"
        }
        automaticAt = now
      }
      // Every fault has a way back.
      if step.isMultiple(of: 1_000) {
        var mended = director
        mended.note(fine, at: now)
        mended.review(at: now + .seconds(2))
        mended.note(fine, at: now + .seconds(2))
        let isWell: Bool =
          switch mended.intent.broadcast {
          case .off: mended.plan.lamp == .offAir
          case .live: mended.plan.lamp == .live && mended.plan.video == .camera
          case .paused: mended.plan.lamp == .paused && mended.plan.video == .pauseStill
          }
        if !isWell { failure = "step \(step): no way back: \(mended)" }
      }
    }
    #expect(failure == nil)
  }
}

extension Conditions {
  fileprivate static func random(using random: inout Generator) -> Conditions {
    Conditions(
      camera: Input.allCases.randomElement(using: &random) ?? .good,
      microphone: Input.allCases.randomElement(using: &random) ?? .good,
      destination: Destination.allCases.randomElement(using: &random) ?? .delivered,
      link: Link.allCases.randomElement(using: &random) ?? .good,
      encoderFailed: Int.random(in: 0..<20, using: &random) == 0,
      videoDelivered: Bool.random(using: &random))
  }
}

/// SplitMix64: the same walk at each run.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
