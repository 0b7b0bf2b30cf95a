// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Capture

/// A sender in virtual time, and the timeline of its packets.
struct TimelineLab {
  var timestamps = GuestTimestamps()
  var timeline: GuestTimeline
  /// How much faster the sender's clock is than the reader's.
  var drift = 0.0
  /// The delay of the line for a packet that is sent at a time in seconds.
  var line: (Double) -> Double = { _ in 0.03 }
  /// The delays for one kind alone.
  var lines: [GuestKind: (Double) -> Double] = [:]
  /// What the sender states for a time of its clock, in nanoseconds.
  var stated: (GuestKind, Int64) -> Int64 = { $1 }
  var hasVideo = true
  var hasAudio = true
  var seconds = 30.0

  struct Packet {
    var kind: GuestKind
    /// When it was made, in seconds.
    var made: Double
    var arrived: Double
    /// When it was due by the timeline when it arrived, and how much later than it was made.
    var due: Double
    var delay: Double
    /// By how much it came too late.
    var late: Double { max(0, arrived - due) }
  }

  init(pace: GuestTimeline.Pace = .sender) { timeline = GuestTimeline(pace: pace) }

  private static let start = MediaTime(nanos: .seconds(1_000))

  mutating func run() -> [Packet] {
    var sent: [(GuestKind, made: Double, own: Double)] = []
    for (kind, interval, isSent) in [
      (GuestKind.video, 1 / 30.0, hasVideo), (.audio, 1024 / 48_000.0, hasAudio),
    ] where isSent {
      var own = 0.0
      while own / (1 + drift) < seconds {
        sent.append((kind, own / (1 + drift), own))
        own += interval
      }
    }
    sent.sort { $0.made < $1.made }
    var result: [Packet] = []
    // A connection delivers in order.
    var last = 0.0
    var lastOfKind: [GuestKind: Double] = [:]
    var arrivals = sent.map { kind, made, own in
      last = max(last, made + line(made))
      let ofKind = lines[kind].map { max(lastOfKind[kind] ?? 0, made + $0(made)) } ?? last
      lastOfKind[kind] = ofKind
      return (kind, made, own, arrives: ofKind)
    }
    // Stable, so that packets of a track stay in order.
    arrivals = arrivals.enumerated()
      .sorted { ($0.element.arrives, $0.offset) < ($1.element.arrives, $1.offset) }.map(\.element)
    for (kind, made, own, arrives) in arrivals {
      let arrived = TimelineLab.start + Int64(arrives * 1e9)
      let time = stated(kind, Int64(own * 1e9))
      let place = timestamps.place(
        kind, stated: time, arrived: arrived, expected: timeline.expected(kind, arrived))
      timeline.advance(to: arrived)
      if place.isMoving { timeline.note(kind, time: time + place.shift, arrived: arrived) }
      let due = timeline.due(time + place.shift).map { Double($0 - TimelineLab.start) / 1e9 } ?? 0
      result.append(
        Packet(kind: kind, made: made, arrived: arrives, due: due, delay: due - made))
    }
    return result
  }
}

extension [TimelineLab.Packet] {
  func from(_ seconds: Double) -> Self { filter { $0.made >= seconds } }
  var longest: Double { map(\.delay).max() ?? .infinity }
  var shortest: Double { map(\.delay).min() ?? -.infinity }
  var lateCount: Int { count { $0.late > 0 } }
  /// The largest change of the delay from a packet to the next.
  var largestStep: Double {
    zip(self, dropFirst()).map { abs($1.delay - $0.delay) }.max() ?? 0
  }
}

@Suite struct GuestTimelineTests {
  @Test func anEvenLineHasTheShortestDelay() {
    var lab = TimelineLab()
    let packets = lab.run()
    #expect(packets.lateCount == 0)
    // The line has 30 ms, and audio has to be there 50 ms before.
    #expect(packets.from(25).longest < 0.03 + 0.06)
    #expect(packets.from(25).shortest > 0.03 + 0.049)
    #expect(packets.from(1.5).largestStep < 0.001)
  }

  @Test(arguments: [0.05, 0.1, 0.2, 0.4])
  func theDelayCoversTheJitter(jitter: Double) {
    var random = SplitMix64(seed: UInt64(jitter * 1000))
    var lab = TimelineLab()
    lab.line = { _ in 0.03 + Double.random(in: 0...jitter, using: &random) }
    lab.seconds = 60
    let packets = lab.run()
    // The first packets of such a line are late; later ones are not.
    #expect(packets.from(10).lateCount == 0)
    #expect(packets.from(20).longest < 0.03 + jitter * 1.25 + 0.06)
    #expect(packets.from(20).shortest > 0.03 + jitter * 0.7)
  }

  @Test func theDelayGrowsAtOnceAndShrinksSlowly() {
    var lab = TimelineLab()
    // One packet is 300 ms late, and those behind it wait.
    lab.line = { (10...10.3).contains($0) ? 0.03 + (10.3 - $0) : 0.03 }
    lab.seconds = 120
    let packets = lab.run()
    #expect(packets.from(10.4).first.map { $0.delay > 0.03 + 0.3 } == true)
    #expect(packets.from(10.4).lateCount == 0)
    #expect(packets.filter { (11..<29).contains($0.made) }.shortest > 0.3)
    // Half a hundredth is the fastest that audio is stretched.
    #expect(packets.from(11).largestStep < 0.001)
    #expect(packets.from(110).longest < 0.03 + 0.06)
  }

  @Test(arguments: [-0.02, -0.005, -0.0001, 0.0001, 0.005, 0.02])
  func aSendersDriftIsFollowed(drift: Double) {
    var lab = TimelineLab()
    lab.drift = drift
    lab.seconds = 180
    let packets = lab.run()
    #expect(packets.from(30).lateCount == 0)
    #expect(packets.from(30).longest < 0.03 + 0.2)
    #expect(packets.from(60).largestStep < 0.002)
    #expect(abs(lab.timeline.rate + drift) < 0.002)
    #expect(abs(lab.timeline.drift + drift) < 0.001)
  }

  @Test func driftAndJitterTogether() {
    var random = SplitMix64(seed: 7)
    var lab = TimelineLab()
    lab.drift = -0.01
    lab.line = { _ in 0.05 + Double.random(in: 0...0.1, using: &random) }
    lab.seconds = 180
    let packets = lab.run()
    #expect(Double(packets.from(60).lateCount) < 0.001 * Double(packets.count))
    #expect(packets.from(60).longest < 0.05 + 0.1 + 0.2)
  }

  /// In MPEG-TS, audio may come in pieces of a third of a second, and video several frames before it is shown.
  @Test func aTrackThatComesLateIsWaitedFor() {
    var lab = TimelineLab()
    lab.lines[.audio] = { made in
      0.2 + (made / 0.35).rounded(.up) * 0.35 - made
    }
    let packets = lab.run()
    #expect(packets.from(4).lateCount == 0)
    #expect(packets.from(4).longest < 0.2 + 0.35 + 0.1)
  }

  /// The line stands still for 3 s; what has waited comes in a burst.
  @Test func afterAStallTheNewestIsShown() {
    var lab = TimelineLab()
    lab.line = { (10..<13).contains($0) ? 0.03 + (13 - $0) * 1.1 : 0.03 }
    let packets = lab.run()
    #expect(packets.filter { (10..<12.4).contains($0.made) }.allSatisfy { $0.late > 0 })
    #expect(packets.from(14).lateCount == 0)
    #expect(packets.from(14).longest < 0.03 + 0.1)
  }

  /// The line has become two seconds longer for good.
  @Test func aLongerLineIsFollowedWithinSeconds() {
    var lab = TimelineLab()
    lab.line = { $0 < 10 ? 0.03 : 2.03 }
    let packets = lab.run()
    #expect(packets.from(12).lateCount == 0)
    #expect(packets.from(13).longest < 2.03 + 0.15)
  }

  /// A server sends what it has kept for four seconds when the reader connects.
  @Test func whatAServerHasKeptIsSkipped() {
    var lab = TimelineLab()
    lab.line = { $0 < 4 ? 4.1 - $0 : 0.1 }
    let packets = lab.run()
    #expect(packets.from(4.2).lateCount == 0)
    #expect(packets.from(4.2).longest < 0.1 + 0.11)
    #expect(lab.timeline.pace == .sender)
  }

  /// A file that is sent as fast as it is read.
  @Test func whatIsNotLiveIsPlayedAtItsOwnPace() {
    var lab = TimelineLab()
    lab.line = { 1 - $0 + $0 / 50 }
    lab.seconds = 60
    let packets = lab.run()
    #expect(lab.timeline.pace == .reader)
    // From then on, media time and real time go on together.
    let rest = packets.from(20)
    #expect(rest.largestStep < 0.001)
  }

  @Test func atItsOwnPaceALateePieceMovesTheRest() {
    var lab = TimelineLab(pace: .reader)
    // Pieces of 2 s that come when they are complete; the sixth comes 3 s late.
    lab.line = { made in
      let piece = (made / 2).rounded(.down)
      return (piece + 1) * 2 - made + (piece == 5 ? 3 : 0)
    }
    let packets = lab.run()
    #expect(packets.filter { $0.made < 9.9 }.lateCount == 0)
    #expect(packets.from(12).lateCount == 0)
    #expect(packets.from(12).largestStep < 0.001)
    #expect(packets.from(12).longest < 2 + 3 + 0.6)
  }

  @Test func anExtraDelayIsAdded() {
    var (plain, later) = (GuestTimeline(), GuestTimeline(extraDelay: .seconds(3)))
    let now = MediaTime(nanos: .seconds(5))
    plain.note(.video, time: 0, arrived: now)
    later.note(.video, time: 0, arrived: now)
    #expect(later.due(0).map { $0 - .seconds(3) } == plain.due(0))
    #expect(GuestTimeline().due(0) == nil)
  }
}

@Suite struct GuestTimestampTests {
  /// Both tracks jump, one packet apart: neither is early or late, and they stay together.
  @Test(arguments: [
    Int64.seconds(-3_600), .seconds(3_600), .seconds(-2), .seconds(2), .milliseconds(-500),
    -(1 << 33) * 100_000 / 9,
    -(1 << 32) * 1_000_000,
  ])
  func aJumpMendsItself(jump: Int64) {
    var lab = TimelineLab()
    lab.stated = { $1 >= .seconds(10) ? $1 + jump : $1 }
    let packets = lab.run()
    #expect(packets.lateCount == 0)
    #expect(packets.from(2).largestStep < 0.02)
    #expect(together(packets.from(11)))
  }

  @Test func timestampsThatStandStillMendThemselves() {
    var lab = TimelineLab()
    lab.stated = {
      $0 == .video && (Int64.seconds(10)..<Int64.seconds(15)).contains($1) ? .seconds(10) : $1
    }
    let packets = lab.run()
    let during = packets.filter { $0.kind == .video && (10.7..<14.9).contains($0.made) }
    #expect(during.lateCount == 0)
    #expect(during.map(\.delay).max() ?? 9 < 0.3)
    #expect(packets.from(15).lateCount == 0)
    #expect(together(packets.from(15.1)))
  }

  @Test func timestampsThatAlwaysStandStillMendThemselves() {
    var lab = TimelineLab()
    lab.stated = { _, _ in 0 }
    let packets = lab.run()
    #expect(packets.from(3).lateCount == 0)
    #expect(packets.from(3).longest < 0.7)
  }

  /// The sender drops what it cannot send: the timestamps move on as far as the clock.
  @Test func aGapIsNoJump() {
    var timestamps = GuestTimestamps()
    let before = timestamps.place(.video, stated: 0, arrived: at(0), expected: nil)
    let after = timestamps.place(
      .video, stated: .seconds(4), arrived: at(4.1), expected: .milliseconds(4_100))
    #expect(before.shift == 0 && after.shift == 0)
  }

  @Test func aTrackThatComesLaterIsTogetherWithTheOther() {
    var timestamps = GuestTimestamps()
    let hour = Int64.seconds(3_600)
    let video = timestamps.place(.video, stated: hour, arrived: at(0), expected: nil)
    #expect(video.shift == -hour)
    let audio = timestamps.place(
      .audio, stated: hour + .milliseconds(4_980), arrived: at(5), expected: .seconds(5))
    #expect(audio == video)
  }

  /// A track whose timestamps have nothing to do with the other's is placed by its arrival.
  @Test func tracksWithClocksOfTheirOwnAreBothInTime() {
    var lab = TimelineLab()
    lab.stated = { $0 == .audio ? $1 + .seconds(500) : $1 }
    let packets = lab.run()
    #expect(packets.from(1).lateCount == 0)
    #expect(packets.from(1).longest < 0.25)
  }

  private func at(_ seconds: Double) -> MediaTime { MediaTime(nanos: Int64(seconds * 1e9)) }

  /// Whether video and audio that were made at the same time are due within 40 ms of each other.
  private func together(_ packets: [TimelineLab.Packet]) -> Bool {
    let delays = { (kind: GuestKind) in packets.filter { $0.kind == kind }.map(\.delay) }
    let (video, audio) = (delays(.video), delays(.audio))
    guard let v = video.first, let a = audio.first else { return false }
    return abs(v - a) < 0.04
  }
}
