// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director

/// What the box says of itself, over every combination of intent, conditions, relays and lamp.
@Suite struct SituationTests {
  private struct Case {
    var intent: Intent
    var plan: Plan
    var conditions: Conditions
    var lamp: LampSignal
    var relays: Int
    var situation: Situation
  }

  private static func everything(_ body: (Case) -> Void) {
    for (intent, conditions, pause) in Everything() {
      let plan = Plan(intent, conditions, pause: pause)
      // The station puts these in the place of a lamp that would say that all is well, or of "off air".
      let others: [LampSignal] =
        [.live, .paused, .offAir].contains(plan.lamp)
        ? [.unconfirmed, .fault(.unsaved), .fault(.unsupervised), .fault(.noServer)] : []
      for lamp in [plan.lamp] + others {
        for relays in [0, 1] {
          body(
            Case(
              intent: intent, plan: plan, conditions: conditions, lamp: lamp, relays: relays,
              situation: Situation(intent, plan, conditions, lamp: lamp, relays: relays)))
        }
      }
    }
  }

  /// A claim about viewers or the room, and what has to be so.
  @Test func nothingIsSaidThatIsNotSo() {
    var wrong: [String] = []
    SituationTests.everything { one in
      let said = one.situation
      let isTaken = one.conditions.destination == .delivered || one.relays > 0
      let isNearlyTaken = isTaken || one.conditions.destination == .unconfirmed
      let isWished: Bool =
        switch said.state {
        case .liveVideoOff: one.intent.isVideoOff && !one.intent.isAudioOff
        case .liveAudioOff: one.intent.isAudioOff && !one.intent.isVideoOff
        case .liveBothOff: one.intent.isVideoOff && one.intent.isAudioOff
        default: true
        }
      let truths: [(String, Bool)] = [
        ("live", said.word != .live || one.intent.broadcast == .live && isTaken),
        ("off", (said.audience == .none) == (one.intent.broadcast == .off)),
        (
          "nobody",
          said.audience != .nobody || one.intent.broadcast != .off && !isNearlyTaken
        ),
        ("relays", said.audience != .relays || one.relays > 0),
        (
          "all",
          said.audience != .all
            || one.conditions.destination == .delivered
              && ![.fault(.encoder), .fault(.unsupervised)].contains(one.lamp)
        ),
        ("not on air", said.word != .notOnAir || !isTaken || one.lamp == .fault(.noServer)),
        (
          "private",
          said.word != .private
            || one.intent.broadcast == .paused && one.plan.video != .camera
              && one.plan.video != .lastFrame && one.plan.audio != .microphone
        ),
        ("paused", said.word != .paused || one.intent.broadcast == .paused),
        (
          "good",
          said.grade != .good
            || !one.intent.isMuted && !one.intent.isVideoOff && !one.intent.isAudioOff
              && one.lamp == .live && one.conditions.videoDelivered
              && one.conditions.destination == .delivered
        ),
        // A broadcast that the server has does not begin anew while a mute or its end is saved.
        (
          "going live",
          said.state != .goingLive
            || one.conditions.destination != .delivered || !one.conditions.videoDelivered
            || one.conditions.isReopening
        ),
        ("seen", said.state != .pausedSeen || one.plan.video == .lastFrame),
        ("muted", said.state != .liveMuted || one.intent.isMuted),
        ("switched off", isWished),
        ("poor", (said.grade == .poor) || one.lamp.cause == nil || one.intent.broadcast != .live),
        (
          "no camera",
          ![.noCamera, .noInputs].contains(said.state) || one.conditions.camera == .lost
        ),
        (
          "no microphone",
          ![.noMicrophone, .noInputs].contains(said.state) || one.conditions.microphone == .lost
        ),
        // A normal start is no alarm.
        ("alarm", said.state != .unconfirmed || one.conditions.isOverdue),
      ]
      for (name, isTrue) in truths where !isTrue && wrong.count < 5 {
        wrong.append("\(name): \(one)")
      }
    }
    #expect(wrong == [])
  }

  @Test func everyRowIsReached() {
    var states: Set<Situation.State> = []
    var words: Set<Situation.Word> = []
    var grades: Set<Situation.Grade> = []
    var audiences: Set<Situation.Audience> = []
    var advice: Set<Situation.Advice> = []
    SituationTests.everything { one in
      states.insert(one.situation.state)
      words.insert(one.situation.word)
      grades.insert(one.situation.grade)
      audiences.insert(one.situation.audience)
      for isExplained in [false, true] {
        _ = one.situation.advice(isExplained: isExplained).map { advice.insert($0) }
      }
    }
    #expect(states == Set(Situation.State.allCases))
    #expect(words == Set(Situation.Word.allCases))
    #expect(grades == Set(Situation.Grade.allCases))
    #expect(audiences == Set(Situation.Audience.allCases))
    #expect(advice == Set(Situation.Advice.allCases))
  }

  /// A red lamp has a cause, and it is one of those that the status has a sentence for; nothing else is red.
  @Test func aRedLampHasACauseThatIsPresent() {
    let red: Set<LampPattern> = [.reconnecting, .noCamera, .fault]
    var wrong: [String] = []
    SituationTests.everything { one in
      let causes =
        Plan.causes(one.intent, one.conditions) + [.unsaved, .unsupervised, .noServer]
      let isRight =
        red.contains(one.lamp.pattern) == (one.lamp.cause != nil)
        && one.lamp.cause.map { causes.contains($0) } ?? true
      if !isRight, wrong.count < 5 { wrong.append("\(one)") }
    }
    #expect(wrong == [])
  }

  @Test func adviceDoesNotRepeatATrouble() {
    var (alone, told): (Set<Situation.Advice?>, Set<Situation.Advice?>) = ([], [])
    SituationTests.everything { one in
      alone.insert(one.situation.advice(isExplained: false))
      told.insert(one.situation.advice(isExplained: true))
    }
    #expect(!alone.contains(.seeBelow))
    #expect(told.isDisjoint(with: [.useCable, .lookAtPlatform]))
  }
}
