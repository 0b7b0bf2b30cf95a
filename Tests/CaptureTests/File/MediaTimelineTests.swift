// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Capture

@Suite struct MediaTimelineTests {
  private static let frame = Int64.milliseconds(40)
  private static let block = Int64.milliseconds(20)

  /// A file of one second and a second one, with video in stream 0 and audio in stream 1, in the order of their times.
  /// - Returns: stream, time in the file, and the time at which it should be played.
  private func joined(videoLeap: Int64, audioLeap: Int64, audioLag: Int64) -> [(Int, Int64, Int64)]
  {
    let half = Int64.seconds(1)
    var packets: [(Int, Int64, Int64)] = []
    for index in Int64(0)..<50 {
      let time = index * MediaTimelineTests.frame
      packets.append((0, time + (time >= half ? videoLeap : 0), time))
    }
    for index in Int64(0)..<100 {
      let time = index * MediaTimelineTests.block
      packets.append((1, time + (time >= half ? audioLeap : 0), time))
    }
    return packets.enumerated().sorted {
      ($0.element.2 + Int64($0.element.0) * audioLag, $0.offset)
        < ($1.element.2 + Int64($1.element.0) * audioLag, $1.offset)
    }.map(\.element)
  }

  private static let leaps: [Int64] = [
    .seconds(-3_600), .seconds(-5), .milliseconds(-500), .milliseconds(1_500), .seconds(7),
    .seconds(60), .seconds(3_600), .seconds(95_443),
  ]

  @Test(arguments: leaps, [-Int64.milliseconds(700), 0, .milliseconds(700)])
  func streamsThatLeapTogetherGoOnInStep(leap: Int64, audioLag: Int64) {
    var timeline = MediaTimeline(hasSingleKind: false)
    for (stream, time, wanted) in joined(videoLeap: leap, audioLeap: leap, audioLag: audioLag) {
      let length = stream == 0 ? MediaTimelineTests.frame : MediaTimelineTests.block
      let shift = timeline.shift(stream: stream, at: time, lasting: length)
      #expect(time + shift == wanted)
    }
    #expect(timeline.hasLeapt)
  }

  @Test(arguments: leaps, [0, 1])
  func aStreamThatLeapsAloneGoesOnInStep(leap: Int64, stream: Int) {
    var timeline = MediaTimeline(hasSingleKind: false)
    let packets = joined(
      videoLeap: stream == 0 ? leap : 0, audioLeap: stream == 1 ? leap : 0, audioLag: 0)
    for (stream, time, wanted) in packets {
      let length = stream == 0 ? MediaTimelineTests.frame : MediaTimelineTests.block
      #expect(time + timeline.shift(stream: stream, at: time, lasting: length) == wanted)
    }
  }

  @Test(arguments: leaps.filter { $0 < 0 || $0 > .seconds(10) })
  func aSingleStreamGoesOn(leap: Int64) {
    var timeline = MediaTimeline(hasSingleKind: true)
    for (stream, time, wanted) in joined(videoLeap: leap, audioLeap: 0, audioLag: 0)
    where stream == 0 {
      #expect(
        time + timeline.shift(stream: 0, at: time, lasting: MediaTimelineTests.frame) == wanted)
    }
  }

  @Test func leapsMayFollowEachOther() {
    var timeline = MediaTimeline(hasSingleKind: false)
    var wanted: Int64 = 0
    for part in Int64(0)..<20 {
      for index in Int64(0)..<10 {
        let time = (part * 7919) % 13 * .seconds(600) + index * MediaTimelineTests.frame
        for stream in 0...1 {
          let shift = timeline.shift(stream: stream, at: time, lasting: MediaTimelineTests.frame)
          #expect(time + shift == wanted)
        }
        wanted += MediaTimelineTests.frame
      }
    }
  }

  /// Nor is a sound that begins late, a picture that stands for minutes while the sound goes on, or a slide show.
  @Test func aPauseIsNoLeap() {
    var timeline = MediaTimeline(hasSingleKind: false)
    for index in Int64(0)..<1_000 {
      let time = index * .milliseconds(500)
      #expect(timeline.shift(stream: 1, at: time, lasting: .milliseconds(500)) == 0)
      if index % 400 == 100 {
        #expect(timeline.shift(stream: 0, at: time, lasting: MediaTimelineTests.frame) == 0)
      }
    }
    var alone = MediaTimeline(hasSingleKind: true)
    for index in Int64(0)..<10 {
      #expect(
        alone.shift(stream: 0, at: index * .seconds(9), lasting: MediaTimelineTests.frame) == 0)
    }
    #expect(alone.shift(stream: 0, at: .seconds(90), lasting: .seconds(300)) == 0)
    #expect(alone.shift(stream: 0, at: .seconds(390), lasting: .seconds(300)) == 0)
    #expect(!timeline.hasLeapt && !alone.hasLeapt)
  }

  @Test func whereTheOthersHaveEndedAStreamMayPause() {
    var timeline = MediaTimeline(hasSingleKind: false)
    for index in Int64(0)..<50 {
      #expect(
        timeline.shift(stream: 1, at: index * .milliseconds(20), lasting: .milliseconds(20)) == 0)
    }
    for index in Int64(0)..<25 {
      #expect(
        timeline.shift(stream: 0, at: index * .milliseconds(40), lasting: .milliseconds(40)) == 0)
    }
    // The sound ends after one second, the picture goes on, and then stands.
    for time: Int64 in [1_000, 1_700, 2_400, 8_000, 17_000, 26_900] {
      #expect(timeline.shift(stream: 0, at: .milliseconds(time), lasting: .milliseconds(40)) == 0)
    }
    #expect(!timeline.hasLeapt)
    let leap = Int64.seconds(3_600)
    #expect(
      timeline.shift(stream: 0, at: leap, lasting: .milliseconds(40)) == .milliseconds(26_940)
        - leap)
  }

  /// A slide that is shown for a shorter time than it states.
  @Test func aPacketMayComeBeforeTheEndOfTheOneBefore() {
    var timeline = MediaTimeline(hasSingleKind: false)
    for time in Int64(0)..<30 {
      #expect(timeline.shift(stream: 1, at: .seconds(time), lasting: .seconds(1)) == 0)
      if time % 5 == 0 {
        #expect(timeline.shift(stream: 0, at: .seconds(time), lasting: .seconds(8)) == 0)
      }
    }
    #expect(!timeline.hasLeapt)
  }

  /// Times of presentation do not come in their order.
  @Test func reorderedTimesAreNoLeap() {
    var timeline = MediaTimeline(hasSingleKind: true)
    for index: Int64 in [0, 8, 4, 2, 1, 3, 6, 5, 7, 16, 12, 10, 9, 11, 14, 13, 15] {
      let time = index * MediaTimelineTests.frame
      let shift = timeline.shift(
        stream: 0, at: time, lasting: MediaTimelineTests.frame, hasDecodingTime: false)
      #expect(shift == 0)
    }
  }

  @Test func aDamagedTimeLeavesTheOthersAlone() {
    var timeline = MediaTimeline(hasSingleKind: false)
    for index in Int64(0)..<50 {
      let wanted = index * MediaTimelineTests.frame
      let time = index == 20 ? .seconds(40_000_000) : wanted
      #expect(
        time + timeline.shift(stream: 0, at: time, lasting: MediaTimelineTests.frame) == wanted)
      #expect(timeline.shift(stream: 1, at: wanted, lasting: MediaTimelineTests.frame) == 0)
    }
  }

  @Test func afterASeekPacketsMayBeEarlier() {
    var timeline = MediaTimeline(hasSingleKind: false)
    timeline.seek(to: .seconds(100))
    #expect(timeline.shift(stream: 0, at: .seconds(60), lasting: MediaTimelineTests.frame) == 0)
    #expect(timeline.shift(stream: 1, at: .seconds(99), lasting: MediaTimelineTests.frame) == 0)
    #expect(!timeline.hasLeapt)
    timeline.seek(to: .seconds(100))
    _ = timeline.shift(stream: 0, at: .seconds(3_600), lasting: MediaTimelineTests.frame)
    #expect(timeline.hasLeapt)
  }
}
