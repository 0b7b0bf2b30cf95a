// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

@testable import Capture

@Suite struct LoopClockTests {
  @Test func passesFollowEachOther() {
    var clock = LoopClock(epoch: MediaTime(nanos: 1000), duration: 10_000_000_000)
    #expect(clock.goToPass(at: MediaTime(nanos: 500)) == 0)
    #expect(clock.due(7) == MediaTime(nanos: 1007))
    clock.passEnded(at: 9_900_000_000)
    #expect(clock.passStart == MediaTime(nanos: 10_000_001_000))
    #expect(clock.goToPass(at: MediaTime(nanos: 35_000_001_000)) == 5_000_000_000)
    #expect(clock.passStart == MediaTime(nanos: 30_000_001_000))
    clock.passEnded(at: 9_900_000_000)
    #expect(clock.passStart == MediaTime(nanos: 40_000_001_000))
  }

  @Test func aTruncatedFileIsLoopedWhereItIsCut() {
    var cut = LoopClock(epoch: MediaTime(nanos: 0), duration: 10_000_000_000)
    cut.passEnded(at: 4_000_000_000)
    #expect(cut.passStart == MediaTime(nanos: 4_000_000_000))
    cut.passEnded(at: 4_000_000_000)
    #expect(cut.passStart == MediaTime(nanos: 8_000_000_000))
  }

  @Test func anUnknownDurationIsMeasured() {
    var unknown = LoopClock(epoch: MediaTime(nanos: 0), duration: nil)
    #expect(unknown.goToPass(at: MediaTime(nanos: 100)) == 0)
    #expect(unknown.passEnd == .distantFuture)
    unknown.passEnded(at: 3_000_000_000)
    #expect(unknown.passEnd == MediaTime(nanos: 6_000_000_000))
  }

  @Test func aFileLongerThanStatedIsLoopedAtItsEnd() {
    var short = LoopClock(epoch: MediaTime(nanos: 0), duration: 2_000_000_000)
    short.contentReaches(2_400_000_000)
    #expect(short.passEnd == MediaTime(nanos: 2_000_000_000))
    short.contentReaches(2_600_000_000)
    #expect(short.passEnd == .distantFuture)
    short.passEnded(at: 7_000_000_000)
    #expect(short.passStart == MediaTime(nanos: 7_000_000_000))
    short.contentReaches(7_600_000_000)
    #expect(short.passEnd == MediaTime(nanos: 14_000_000_000))
  }
}

@Suite struct FileSourceTests {
  @Test func framesArePutWhenTheyAreDueInALoop() throws {
    let files = try MadeFiles()
    let path = try files.y4m(size: PictureSize(width: 64, height: 48), frames: 10)
    let time = SourceClock()
    let frames = FrameQueue()
    let reports = Reports()
    let epoch = time.now + .milliseconds(300)
    let source = FileVideo(
      path: path, starts: FileStarts(epoch), frames: frames, clock: time.clock,
      report: reports.listener)
    source.start()
    let seen = time.frames(of: frames, until: epoch + .milliseconds(1000))
    // The clock stands still, so the stop ends the wait for the next frame.
    #expect(source.stop(by: .now() + .seconds(30)))
    // Two and a half passes of 400 ms.
    let due: [Int64] = (0...25).map { Int64.milliseconds(40) * $0 }
    #expect(seen.map { $0.capturedAt - epoch } == due)
    let greys: [UInt8] = (0...25).map { 16 + UInt8($0 % 10) }
    #expect(seen.map(\.y) == greys)
    for frame in seen {
      #expect(frame.arrivedAt == frame.capturedAt)
      #expect(frame.cb == 100 && frame.cr == 200)
      #expect(frame.format.size == PictureSize(width: 64, height: 48))
    }
    #expect(frames.dropped == 0)
    #expect(reports.codes == ["running"])
  }

  @Test func afterAStallLateFramesAreSkipped() throws {
    let files = try MadeFiles()
    let path = try files.y4m(size: PictureSize(width: 64, height: 48), frames: 100)
    let time = SourceClock()
    let frames = FrameQueue()
    let epoch = time.now
    let source = FileVideo(
      path: path, starts: FileStarts(epoch), frames: frames, clock: time.clock, report: { _ in })
    source.start()
    _ = time.frames(of: frames, until: epoch + .milliseconds(80))
    // Frame 3 was decoded before the stall. Frames 4 to 9 are more than 100 ms late, frames 10 to 12 are not.
    time.stall(nanos: .milliseconds(420))
    let seen = time.frames(of: frames, until: epoch + .milliseconds(560))
    source.stop(by: .now() + .seconds(30))
    #expect(frames.dropped == 1)
    #expect(seen.map(\.y) == [26, 27, 28, 29, 30].map { UInt8($0) })
    #expect(seen.map { ($0.capturedAt - epoch) / 1_000_000 } == [400, 440, 480, 520, 560])
  }

  @Test(arguments: [(1, 1), (3, 5), (65, 47), (2000, 3)])
  func oddSizesBecomeEven(width: Int, height: Int) throws {
    let files = try MadeFiles()
    let path = try files.y4m(size: PictureSize(width: width, height: height), frames: 2)
    let time = SourceClock()
    let frames = FrameQueue()
    let source = FileVideo(
      path: path, starts: FileStarts(time.now), frames: frames, clock: time.clock, report: { _ in })
    source.start()
    let seen = time.frames(of: frames, until: time.now + .milliseconds(300))
    source.stop(by: .now() + .seconds(30))
    #expect(seen.count >= 4)
    for frame in seen {
      #expect(frame.format.size.width % 2 == 0 && frame.format.size.height % 2 == 0)
      #expect(frame.format.size.width <= 1920)
      #expect((16...17).contains(frame.y) && frame.cb == 100)
    }
  }

  @Test func aStillIsRepeatedInItsColour() throws {
    let files = try MadeFiles()
    let path = try files.ppm(size: PictureSize(width: 320, height: 240), rgb: [255, 0, 0])
    let time = SourceClock()
    let frames = FrameQueue()
    let epoch = time.now
    let source = FileVideo(
      path: path, starts: FileStarts(epoch), frames: frames, clock: time.clock, report: { _ in })
    source.start()
    let seen = time.frames(of: frames, until: epoch + .milliseconds(1200))
    source.stop(by: .now() + .seconds(30))
    #expect(seen.map { ($0.capturedAt - epoch) / 1_000_000 } == (0...12).map { $0 * 100 })
    for frame in seen {
      // BT.601, limited range: red is 81, 90, 240.
      #expect(frame.format.colour.matrix == 6 && !frame.format.colour.fullRange)
      #expect(abs(Int(frame.y) - 81) <= 2)
      #expect(abs(Int(frame.cb) - 90) <= 2 && abs(Int(frame.cr) - 240) <= 2)
    }
  }

  @Test(arguments: [(44_100, 1, 2), (48_000, 2, 2), (22_050, 2, 1)])
  func audioIsWhereTheFileHasIt(rate: Int, from: Int, to: Int) throws {
    let files = try MadeFiles()
    // One second, with an impulse in the middle.
    let path = try files.wav(rate: rate, channels: from, frames: rate) {
      $0 == rate / 2 ? 30_000 : 0
    }
    let time = SourceClock()
    let queue = PCMQueue(channels: to)
    let epoch = time.now + .milliseconds(200)
    let source = FileAudio(
      path: path, starts: FileStarts(epoch), queue: queue, clock: time.clock, report: { _ in })
    source.start()
    let chunks = time.chunks(of: queue, until: epoch + .milliseconds(2700))
    source.stop(by: .now() + .seconds(30))
    #expect(queue.dropped == 0)
    var peaks: [Int64: (value: Float, time: MediaTime)] = [:]
    for chunk in chunks {
      for frame in 0..<(chunk.samples.count / to) {
        let time = chunk.startsAt + PCM.nanos(frames: frame)
        let value = abs(chunk.samples[frame * to])
        let pass = (time - epoch) / 1_000_000_000
        if value > peaks[pass]?.value ?? 0.1 { peaks[pass] = (value, time) }
      }
    }
    #expect(peaks.keys.sorted() == [0, 1, 2])
    for (pass, peak) in peaks {
      let due = epoch + pass * 1_000_000_000 + 500_000_000
      #expect(abs(peak.time - due) < 50_000)
    }
    let first = try #require(chunks.first).startsAt
    #expect(abs(first - epoch) < 1000)
    for (a, b) in zip(chunks, chunks.dropFirst()) {
      let gap = b.startsAt - a.startsAt - PCM.nanos(frames: a.samples.count / to)
      #expect((-1000...50_000).contains(gap))
    }
  }

  @Test func eachTroubleIsReportedOnce() throws {
    let files = try MadeFiles()
    let text = try files.write("notes.txt", Array("nothing to see or hear".utf8))
    let empty = try files.write("empty.mp4", [])
    let sound = try files.wav(rate: 48_000, channels: 1, frames: 4800) { _ in 0 }
    // Playlists of a FIFO without a writer: opening it would block for ever.
    #expect(unsafe mkfifo(files.folder + "/pipe.mp4", 0o600) == 0)
    let concat = try files.write("list.txt", Array("ffconcat version 1.0\nfile pipe.mp4\n".utf8))
    let playlist = try files.write(
      "list.m3u8",
      Array("#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\npipe.mp4\n#EXT-X-ENDLIST\n".utf8))
    let cases = [
      (files.folder + "/none.mp4", "missing"), (text, "not_media"), (empty, "not_media"),
      (sound, "no_stream"), (concat, "not_media"), (playlist, "not_media"),
      (files.folder, "not_a_file"), (files.folder + "/pipe.mp4", "not_a_file"),
    ]
    for (path, code) in cases {
      let time = SourceClock()
      let reports = Reports()
      let source = FileVideo(
        path: path, starts: FileStarts(time.now), frames: FrameQueue(), clock: time.clock,
        report: reports.listener)
      source.start()
      // Three attempts, a second apart.
      for _ in 0..<3 {
        #expect(time.nextDeadline() == time.now + .seconds(1))
        time.stall(nanos: .seconds(1))
      }
      #expect(time.nextDeadline() == time.now + .seconds(1))
      #expect(source.stop(by: .now() + .seconds(30)))
      #expect(reports.codes == [code])
      #expect(reports.all.first?.sentence.contains(path) == true)
    }
  }

  @Test(arguments: [(50, "unfit_rate"), (3_999, "unfit_rate"), (4_000, "running")])
  func unusualSampleRatesAreRefused(rate: Int, code: String) throws {
    let files = try MadeFiles()
    let path = try files.wav(rate: rate, channels: 1, frames: rate) { _ in 0 }
    let time = SourceClock()
    let reports = Reports()
    let queue = PCMQueue(channels: 1)
    let source = FileAudio(
      path: path, starts: FileStarts(time.now), queue: queue, clock: time.clock,
      report: reports.listener)
    source.start()
    _ = time.chunks(of: queue, until: time.now + .milliseconds(1500))
    source.stop(by: .now() + .seconds(30))
    #expect(reports.codes == [code])
  }

  /// A report for each change of size would fill the log.
  @Test func theSizeIsReportedOnce() throws {
    let files = try MadeFiles()
    let bytes = try (1...20).flatMap { index in
      let path = try files.ppm(
        size: PictureSize(width: 16 * (1 + index % 2), height: 16), rgb: [0, 0, 0])
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let path = try files.write("changing.ppm", bytes)
    let time = SourceClock()
    let frames = FrameQueue()
    let reports = Reports()
    let source = FileVideo(
      path: path, starts: FileStarts(time.now), frames: frames, clock: time.clock,
      report: reports.listener)
    source.start()
    let seen = time.frames(of: frames, until: time.now + .seconds(2))
    source.stop(by: .now() + .seconds(30))
    #expect(Set(seen.map(\.format.size.width)) == [16, 32])
    #expect(reports.codes == ["running"])
  }
}
