// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

@testable import Capture

@Suite struct SyntheticSourceTests {
  /// 2026-01-02 03:04:05.678 UTC at 1,000 s on the monotonic clock.
  static let wall: Int64 = 1_767_323_045_678_000_000

  @Test func anInstantIsConvertedToLocalTime() {
    // In a zone of +05:30.
    let beat = SecondBeat(
      wallOffset: SyntheticSourceTests.wall - 1_000_000_000_000,
      secondsEastOfUTC: 5 * 3600 + 1800)
    let moment = beat.moment(at: MediaTime(nanos: 1_000_000_000_000))
    #expect(moment.hours == 8 && moment.minutes == 34 && moment.seconds == 5)
    #expect(moment.milliseconds == 678 && moment.nanosIntoSecond == 678_000_000)
    #expect(moment.secondStartsAt.nanos == 1_000_000_000_000 - 678_000_000)
    #expect(!moment.isBeat)
    #expect(beat.moment(at: moment.secondStartsAt).isBeat)
    #expect(!beat.moment(at: moment.secondStartsAt + SecondBeat.beepNanos).isBeat)
    #expect(beat.moment(at: moment.secondStartsAt - 1).seconds == 4)
  }

  @Test func theMachinesClocksAreMeasured() {
    let before = Date()
    let moment = SecondBeat().moment(at: .now())
    let after = Date()
    let offset = TimeZone.current.secondsFromGMT(for: before)
    let second = moment.hours * 3600 + moment.minutes * 60 + moment.seconds
    // Within a second, in case one clock ticks over in between.
    let possible = Int(before.timeIntervalSince1970) - 1...Int(after.timeIntervalSince1970) + 1
    #expect(possible.contains { ($0 + offset) % 86_400 == second })
  }

  /// Flash and beep start 250 ms before each full second of the virtual clock.
  private let beat = SecondBeat(wallOffset: .milliseconds(250), secondsEastOfUTC: 0)

  @Test func theToneBeepsAtTheStartOfEachSecond() throws {
    let time = SourceClock()
    let queue = PCMQueue(channels: 2)
    let reports = Reports()
    let tone = Tone(beat: beat, queue: queue, clock: time.clock, report: reports.listener)
    let start = time.now
    tone.start()
    let chunks = time.chunks(of: queue, until: start + .milliseconds(3200))
    #expect(tone.stop(by: .now() + .seconds(30)))
    #expect(reports.codes == ["running"])
    // One chunk each 20 ms, without a gap.
    #expect(chunks.count == 160)
    for (index, chunk) in chunks.enumerated() {
      #expect(abs(chunk.startsAt - (start + Int64(index) * .milliseconds(20))) <= 1)
      #expect(chunk.samples.count == 960 * 2)
    }
    var onsets: [Int64] = []
    var isSilent = true
    for chunk in chunks {
      for frame in 0..<(chunk.samples.count / 2) {
        #expect(chunk.samples[frame * 2] == chunk.samples[frame * 2 + 1])
        let at = chunk.startsAt + PCM.nanos(frames: frame)
        let isLoud = abs(chunk.samples[frame * 2]) > 0.001
        if isLoud, isSilent { onsets.append(at - start) }
        if isLoud { isSilent = false }
        if !beat.moment(at: at).isBeat {
          #expect(!isLoud)
          isSilent = true
        }
      }
    }
    #expect(onsets.map { $0 / 1_000_000 } == [750, 1750, 2750])
    for onset in onsets { #expect(onset % 1_000_000 < 100_000) }
  }

  @Test func afterAStallTheToneSkipsTheMissedTime() throws {
    let time = SourceClock()
    let queue = PCMQueue(channels: 1)
    let tone = Tone(beat: beat, queue: queue, clock: time.clock, report: { _ in })
    let start = time.now
    tone.start()
    _ = time.chunks(of: queue, until: start + .milliseconds(20))
    time.stall(nanos: .seconds(1))
    let stalled = time.now
    let chunks = time.chunks(of: queue, until: stalled + .milliseconds(40))
    #expect(tone.stop(by: .now() + .seconds(30)))
    #expect(
      chunks.map { $0.startsAt - start }
        == [.milliseconds(20), .milliseconds(1020), .milliseconds(1040)])
  }

  @Test func theTestPatternMovesAndFlashes() throws {
    let time = SourceClock()
    let frames = FrameQueue()
    let reports = Reports()
    let pattern = TestPattern(
      size: PictureSize(width: 160, height: 90), framesPerSecond: 25, beat: beat, frames: frames,
      clock: time.clock, report: reports.listener)
    let start = time.now
    pattern.start()
    var times: [Int64] = []
    var flashes: [Bool] = []
    var contents: Set<[UInt8]> = []
    time.run(until: start + .seconds(2)) {
      guard let frame = frames.takeNow() else { return }
      times.append(frame.capturedAt - start)
      // The middle of the upper quarter is the square that flashes.
      flashes.append(unsafe frame.bytes[160 * 10 + 80] > 128)
      contents.insert(unsafe Array(frame.bytes))
    }
    #expect(pattern.stop(by: .now() + .seconds(30)))
    #expect(reports.codes == ["running"])
    #expect(frames.dropped == 0)
    #expect(times == (0...50).map { $0 * .milliseconds(40) })
    for (time, flash) in zip(times, flashes) {
      #expect(flash == beat.moment(at: start + time).isBeat)
    }
    #expect(contents.count == times.count, "each frame differs from the others")
  }

  @Test func afterAStallTheTestPatternSkipsTheMissedFrames() {
    let time = SourceClock()
    let frames = FrameQueue()
    let pattern = TestPattern(
      size: PictureSize(width: 160, height: 90), framesPerSecond: 25, beat: beat, frames: frames,
      clock: time.clock, report: { _ in })
    let start = time.now
    pattern.start()
    _ = time.frames(of: frames, until: start)
    time.stall(nanos: .seconds(1))
    let seen = time.frames(of: frames, until: start + .milliseconds(1080))
    #expect(pattern.stop(by: .now() + .seconds(30)))
    #expect(seen.map { ($0.capturedAt - start) / 1_000_000 } == [40, 1040, 1080])
  }
}
