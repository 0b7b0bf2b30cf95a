// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

@Suite struct PublishClockTests {
  private func at(_ milliseconds: Int64) -> MediaTime {
    MediaTime(nanos: 5_000_000_000 + .milliseconds(milliseconds))
  }

  @Test func beginsAtZeroAndRises() {
    var clock = PublishClock(start: at(0))
    #expect(clock.video(at(0)) == 0)
    #expect(clock.video(at(33) + 999_999) == 33)
    #expect(clock.video(at(33) + 999_999) == 34, "strictly rising")
    #expect(clock.video(at(10)) == 35, "never back")
    #expect(clock.video(at(67)) == 67)
    #expect(clock.audio(at(21)) == 21)
    #expect(clock.audio(at(20)) == 21, "never back")
  }

  @Test func wrapsAt32Bits() {
    var clock = PublishClock(start: at(0))
    #expect(clock.video(at(0xFFFF_FFFF)) == 0xFFFF_FFFF)
    #expect(clock.video(at(0x1_0000_0000)) == 0)
    #expect(clock.video(at(0x1_0000_0021)) == 33)
  }

  @Test func audioEndsWhenItIsAsLongAsVideo() {
    for (start, length) in [(Int64(0), Int64(1_000)), (15, 1_003), (21, 990)] {
      var span = StreamSpan()
      span.audioPacketNanos = 21_333_333
      let isTaken = span.admit(.keyframe, at(0), videoEnd: nil)
      #expect(isTaken)
      var sound = at(start)
      while span.admit(.audio, sound, videoEnd: at(length)) {
        sound = sound + span.audioPacketNanos
      }
      #expect(span.audioLag == .milliseconds(start))
      let difference = abs(sound - at(start) - .milliseconds(length))
      #expect(difference <= span.audioPacketNanos / 2 + 1)
    }
  }

  @Test func audioFromBeforeTheFirstFrameIsNotSent() {
    var span = StreamSpan()
    let taken = [
      span.admit(.keyframe, at(0), videoEnd: nil), span.admit(.audio, at(0) - 1, videoEnd: nil),
      span.admit(.audio, at(0), videoEnd: nil),
    ]
    #expect(taken == [true, false, true])
  }

  @Test func fullHeadersWhereShortOnesWouldBeWrong() {
    var plan = HeaderRule()
    func next(_ time: UInt32, _ bytes: Int) -> Bool {
      plan.needsFullHeader(time: time, bytes: bytes, type: 9)
    }
    #expect(next(0, 100))
    #expect(!next(0, 200))
    #expect(next(0, 200), "same time, size and type: librtmp would send no header at all")
    #expect(!next(33, 200))
    #expect(!next(66, 200))
    #expect(next(65, 300), "backwards")
  }
}
