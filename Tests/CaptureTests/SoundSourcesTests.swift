// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Synchronization
import Testing

@testable import Capture

/// Reports in the order in which they came.
final class Reports: Sendable {
  private let list = Mutex<[SourceReport]>([])
  var all: [SourceReport] { list.withLock { $0 } }
  var listener: SourceListener { { report in self.list.withLock { $0.append(report) } } }
}

/// Everything that comes out of a queue until `deadline`.
func drain(_ queue: PCMQueue, until deadline: MediaTime) -> [(start: MediaTime, samples: [Float])] {
  var pieces: [(start: MediaTime, samples: [Float])] = []
  var room = [Float](repeating: 0, count: PCMQueue.chunkFrames * queue.channels)
  while MediaTime.now() < deadline {
    let piece = unsafe room.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe queue.take(into: $0, until: deadline) }
    }
    guard let piece else { break }
    pieces.append((piece.startsAt, Array(room.prefix(piece.frames * queue.channels))))
  }
  return pieces
}

@Suite struct SoundSourcesTests {
  @Test func secondsAsTheWallClockTellsThem() {
    // 2026-01-02 03:04:05.678 UTC, in a zone of +05:30, at 1,000 s of monotonic time.
    let wall: Int64 = 1_767_323_045_678_000_000
    let beat = SecondBeat(
      wallOffset: wall - 1_000_000_000_000, secondsEastOfUTC: 5 * 3600 + 1800)
    let moment = beat.moment(at: MediaTime(nanos: 1_000_000_000_000))
    #expect(moment.hours == 8 && moment.minutes == 34 && moment.seconds == 5)
    #expect(moment.milliseconds == 678 && moment.nanosIntoSecond == 678_000_000)
    #expect(moment.secondStartsAt.nanos == 1_000_000_000_000 - 678_000_000)
    #expect(!moment.isBeat)
    #expect(beat.moment(at: moment.secondStartsAt).isBeat)
    #expect(!beat.moment(at: moment.secondStartsAt + SecondBeat.beepNanos).isBeat)
    #expect(beat.moment(at: moment.secondStartsAt - 1).seconds == 4)
  }

  @Test func theToneBeepsWhenTheSecondBegins() throws {
    let queue = PCMQueue(channels: 2, capacity: 400)
    let beat = SecondBeat()
    let reports = Reports()
    let tone = Tone(beat: beat, queue: queue, report: reports.listener)
    let began = MediaTime.now()
    tone.start()
    let pieces = drain(queue, until: began + .milliseconds(3200))
    let asked = MediaTime.now()
    #expect(tone.stop(by: asked + .seconds(1)))
    #expect(MediaTime.now() - asked < .seconds(1))
    #expect(reports.all.map(\.code) == ["running"])
    #expect(pieces.count > 150)
    var onsets: [MediaTime] = []
    var silent = true
    for piece in pieces {
      for frame in 0..<(piece.samples.count / 2) {
        #expect(piece.samples[frame * 2] == piece.samples[frame * 2 + 1])
        let time = piece.start + PCM.nanos(frames: frame)
        let loud = abs(piece.samples[frame * 2]) > 0.001
        if loud, silent { onsets.append(time) }
        // A sine is 0 now and then, and may be just where it begins.
        if loud { silent = false }
        if !beat.moment(at: time).isBeat {
          #expect(!loud)
          silent = true
        }
      }
    }
    let whole = onsets.dropFirst()
    #expect(!whole.isEmpty)
    for onset in whole { #expect(beat.moment(at: onset).nanosIntoSecond < 100_000) }
  }

  @Test func theToneKeepsThePaceOfTheClock() {
    let queue = PCMQueue(channels: 1, capacity: 100)
    let tone = Tone(beat: SecondBeat(), queue: queue, report: { _ in })
    let began = MediaTime.now()
    tone.start()
    let pieces = drain(queue, until: began + .milliseconds(600))
    tone.stop(by: .now() + .seconds(1))
    #expect((20...31).contains(pieces.count))
    for (a, b) in zip(pieces, pieces.dropFirst()) {
      #expect(abs(b.start - a.start - 20_000_000) <= 1)
    }
  }

  @Test func aMicrophoneThatIsNotThereIsToldOnceAndTriedAgain() {
    let reports = Reports()
    let microphone = Microphone(
      pcm: "hw:7,7", queue: PCMQueue(channels: 1), report: reports.listener)
    microphone.start()
    (MediaTime.now() + .milliseconds(2300)).sleepUntil()
    let asked = MediaTime.now()
    #expect(microphone.stop(by: asked + .seconds(1)))
    #expect(MediaTime.now() - asked < .milliseconds(300))
    #expect(reports.all.map(\.code) == ["missing"])
    #expect(reports.all.first?.sentence.contains("hw:7,7") == true)
  }

  @Test func everyTroubleNamesCauseAndRemedy() {
    let all: [MicrophoneTrouble] = [
      .none, .missing(pcm: "x"), .busy(pcm: "x"), .forbidden(pcm: "x"), .noUsableFormat(pcm: "x"),
      .lost(pcm: "x"), .stuck(pcm: "x"), .failed(pcm: "x", call: "read", errno: 5),
    ]
    for trouble in all {
      #expect(trouble.sentence.hasSuffix("."))
      #expect(trouble.sentence.contains(":") || trouble.sentence.contains("Plug"))
    }
    #expect(MicrophoneTrouble.of(-16, call: "open", pcm: "x", open: false) == .busy(pcm: "x"))
    #expect(MicrophoneTrouble.of(-13, call: "open", pcm: "x", open: false) == .forbidden(pcm: "x"))
    #expect(MicrophoneTrouble.of(-19, call: "read", pcm: "x", open: true) == .lost(pcm: "x"))
  }
}
