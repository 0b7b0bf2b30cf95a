// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Settings
import Testing

@testable import Events

@Suite struct StallRulesTests {
  private func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(nanos: .milliseconds(milliseconds))
  }

  /// Stalls that follow each other are reported once, and their end with the sum of their lengths.
  @Test func stallsThatFollowEachOtherAreOneReport() {
    var rules = StallRules()
    var reports: [(Int64, StallRules.Report)] = []
    for tick in stride(from: Int64(0), through: 30_000, by: 50) {
      let isLacking = (1_000...3_000).contains(tick) || (6_000...9_000).contains(tick)
      if let report = rules.check(isLost: isLacking, now: time(tick)) {
        reports.append((tick, report))
      }
      #expect(rules.isStalled == (isLacking && tick >= 1_500))
    }
    #expect(reports.map(\.0) == [1_500, 19_000])
    #expect(reports.map(\.1) == [.begun, .over(seconds: 5)])
  }

  @Test func aShortStallIsNotReported() {
    var rules = StallRules()
    for tick in stride(from: Int64(0), through: 20_000, by: 50) {
      let report = rules.check(isLost: (1_000...1_450).contains(tick), now: time(tick))
      #expect(report == nil)
    }
  }

  /// A pause hides the still, but the source is no better: the stall goes on, and the pause does not count.
  @Test func aPauseDoesNotEndAStall() {
    var rules = StallRules()
    var reports: [(Int64, StallRules.Report)] = []
    for tick in stride(from: Int64(0), through: 60_000, by: 50) {
      let report = rules.check(
        isLost: (1_000...40_000).contains(tick), isShown: !(3_000..<38_000).contains(tick),
        now: time(tick))
      if let report { reports.append((tick, report)) }
      if (3_000..<38_000).contains(tick) { #expect(rules.isStalled) }
    }
    #expect(reports.map(\.0) == [1_500, 50_000])
    #expect(reports.map(\.1) == [.begun, .over(seconds: 4)])
    for tick in stride(from: Int64(70_000), through: 80_000, by: 50) {
      #expect(rules.check(isLost: true, isShown: false, now: time(tick)) == nil, "nobody misses it")
    }
  }

  /// A source that gives its own reason, and a broadcast that ends, take the place of the report.
  @Test func aReasonTakesThePlaceOfTheReport() {
    var rules = StallRules()
    #expect(rules.check(isLost: true, now: time(0)) == nil)
    #expect(rules.check(isLost: true, now: time(600)) == .begun)
    #expect(rules.check(isLost: nil, now: time(700)) == nil)
    #expect(rules.check(isLost: false, now: time(20_000)) == nil)
    #expect(!rules.isStalled)
  }

  /// Each kind of source is called what it is.
  @Test func eachSourceHasItsOwnSentence() {
    let videos: [VideoSource] = [
      .camera(path: nil), .pattern, .pipe(path: nil), .file(path: "a"), .guest(name: "a"),
    ]
    let audios: [AudioSource] = [
      .microphone(pcm: nil), .tone, .file(path: "a"), .pipe(path: "a"),
    ]
    let sentences =
      videos.map { OpenSources(($0, nil)).stalledSentence(.video) }
      + audios.map { OpenSources((nil, $0)).stalledSentence(.audio) }
    #expect(Set(sentences).count == 9)
    let cameras = videos.map {
      LampCause.camera.sentence(OpenSources(($0, nil))).contains("camera")
    }
    #expect(cameras == [true, false, false, false, false])
    let microphones = audios.map {
      LampCause.microphone.sentence(OpenSources((nil, $0))).contains("microphone")
    }
    #expect(microphones == [true, false, false, false])
  }
}
