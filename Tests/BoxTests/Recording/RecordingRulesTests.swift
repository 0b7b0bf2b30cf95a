// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Testing

@testable import Box

/// What begins a recording, and what ends it.
@Suite struct RecordingRulesTests {
  private func rules(_ start: RecordingStart) -> RecordingRules { RecordingRules(start: start) }

  private let live = Intent(broadcast: .live)

  @Test func eachStartBeginsWhereItSays() {
    #expect(rules(.hand).cause(isOnAir: true) == nil)
    #expect(rules(.hand).cause(isOnAir: false) == nil)
    #expect(rules(.broadcast).cause(isOnAir: true) == .broadcast)
    #expect(rules(.broadcast).cause(isOnAir: false) == nil)
    #expect(rules(.always).cause(isOnAir: true) == .always)
    #expect(rules(.always).cause(isOnAir: false) == .always)
  }

  @Test func aPersonBeginsAndEndsIt() {
    for start in RecordingStart.allCases {
      var rules = rules(start)
      rules.begin(.init(title: "", isOffAir: false))
      #expect(rules.cause(isOnAir: true) == .hand)
      rules.stop()
      #expect(rules.cause(isOnAir: true) == nil)
      #expect(rules.cause(isOnAir: false) == nil)
      rules.beginBroadcast()
      #expect((rules.cause(isOnAir: true) != nil) == (start != .hand), "with the next broadcast")
    }
  }

  @Test func aRecordingOfABroadcastEndsWithIt() {
    var rules = rules(.hand)
    rules.begin(.init(title: "", isOffAir: false))
    rules.endBroadcast(live)
    #expect(rules.cause(isOnAir: false) == nil)
  }

  @Test func aRecordingFromOffAirGoesOnAfterABroadcast() {
    var rules = rules(.hand)
    rules.begin(.init(title: "", isOffAir: true))
    rules.beginBroadcast()
    #expect(rules.cause(isOnAir: true) == .hand)
    rules.endBroadcast(live)
    #expect(rules.cause(isOnAir: false) == .hand)
  }

  /// What was private at the end of a broadcast stays private, until a person or a broadcast begins anew.
  @Test func whatWasHiddenIsNotRecordedAfterTheBroadcast() {
    let hidden = [
      Intent(broadcast: .paused), Intent(broadcast: .live, isMuted: true),
      Intent(broadcast: .live, isVideoOff: true), Intent(broadcast: .live, isAudioOff: true),
    ]
    for intent in hidden {
      for isOffAir in [true, false] {
        var rules = rules(.always)
        rules.begin(.init(title: "", isOffAir: isOffAir))
        rules.beginBroadcast()
        rules.endBroadcast(intent)
        #expect(rules.cause(isOnAir: false) == nil, "\(intent)")
        rules.beginBroadcast()
        #expect(rules.cause(isOnAir: true) == .always)
      }
    }
  }

  @Test func aPrivateRoomIsNotRecordedAtTheStart() {
    let rules = RecordingRules(start: .always, isStopped: true)
    #expect(rules.cause(isOnAir: false) == nil)
  }
}
