// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import Testing

@testable import Capture

/// Small media files, made here: Y4M, WAV and PPM need no tool.
struct MadeFiles: ~Copyable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "onair-file-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Picture n is Y = 16 + n all over, Cb 100, Cr 200.
  func y4m(
    _ name: String = "a:b c.y4m", size: PictureSize, pictures: Int, fps: Int = 25
  ) throws -> String {
    var bytes = Array("YUV4MPEG2 W\(size.width) H\(size.height) F\(fps):1 Ip A1:1 C420jpeg\n".utf8)
    let chroma = ((size.width + 1) / 2) * ((size.height + 1) / 2)
    for picture in 0..<pictures {
      bytes += Array("FRAME\n".utf8)
      bytes += [UInt8](repeating: UInt8(16 + picture), count: size.width * size.height)
      bytes += [UInt8](repeating: 100, count: chroma) + [UInt8](repeating: 200, count: chroma)
    }
    return try write(name, bytes)
  }

  /// 16-bit; each sample by `sample`, of its index.
  func wav(
    rate: Int, channels: Int, frames: Int, sample: (Int) -> Int16
  ) throws -> String {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = (0..<frames).flatMap { index in
      (0..<channels).flatMap { _ in number(Int(sample(index)), 2) }
    }
    var bytes = Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8)
    bytes += number(16, 4) + number(1, 2) + number(channels, 2) + number(rate, 4)
    bytes += number(rate * channels * 2, 4) + number(channels * 2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(data.count, 4) + data
    return try write("sound.wav", bytes)
  }

  /// All of one colour.
  func ppm(size: PictureSize, rgb: [UInt8]) throws -> String {
    let pixels = (0..<(size.width * size.height)).flatMap { _ in rgb }
    return try write(
      "still.ppm", Array("P6\n\(size.width) \(size.height)\n255\n".utf8) + pixels)
  }
}

/// What of a frame the tests look at.
struct Seen {
  var format: FrameFormat
  var capturedAt: MediaTime
  var arrived: MediaTime
  var y: UInt8
  var cb: UInt8
  var cr: UInt8
}

func watch(_ frames: NewestFrame, until deadline: MediaTime) -> [Seen] {
  var seen: [Seen] = []
  while let frame = frames.take(until: deadline) {
    let size = frame.format.size
    let row = frame.format.bytesPerRow
    let middle = row * (size.height / 2) + size.width / 2
    let chroma = row * size.height
    let within = row / 2 * (size.height / 4) + size.width / 4
    seen.append(
      Seen(
        format: frame.format, capturedAt: frame.capturedAt, arrived: .now(),
        y: unsafe frame.bytes[middle], cb: unsafe frame.bytes[chroma + within],
        cr: unsafe frame.bytes[chroma + row / 2 * (size.height / 2) + within]))
    if MediaTime.now() >= deadline { break }
  }
  return seen
}

@Suite(.serialized) struct FileTests {
  @Test func passesFollowEachOther() {
    var clock = LoopClock(epoch: MediaTime(nanos: 1000), duration: 10_000_000_000)
    #expect(clock.begin(at: MediaTime(nanos: 500)) == 0)
    #expect(clock.due(7) == MediaTime(nanos: 1007))
    clock.passEnded(at: 9_900_000_000)
    #expect(clock.passStart == MediaTime(nanos: 10_000_001_000))
    #expect(clock.begin(at: MediaTime(nanos: 35_000_001_000)) == 5_000_000_000)
    #expect(clock.passStart == MediaTime(nanos: 30_000_001_000))
    clock.passEnded(at: 9_900_000_000)
    #expect(clock.passStart == MediaTime(nanos: 40_000_001_000))
    // Cut short: looped at the cut, wherever it was begun.
    var cut = LoopClock(epoch: MediaTime(nanos: 0), duration: 10_000_000_000)
    cut.passEnded(at: 4_000_000_000)
    #expect(cut.passStart == MediaTime(nanos: 4_000_000_000))
    cut.passEnded(at: 4_000_000_000)
    #expect(cut.passStart == MediaTime(nanos: 8_000_000_000))
    // Not known: measured.
    var unknown = LoopClock(epoch: MediaTime(nanos: 0), duration: nil)
    #expect(unknown.begin(at: MediaTime(nanos: 100)) == 0)
    #expect(unknown.passEnd == .distantFuture)
    unknown.passEnded(at: 3_000_000_000)
    #expect(unknown.passEnd == MediaTime(nanos: 6_000_000_000))
    // Longer than the container says: to the end, and looped there.
    var short = LoopClock(epoch: MediaTime(nanos: 0), duration: 2_000_000_000)
    short.goesOn(to: 2_400_000_000)
    #expect(short.passEnd == MediaTime(nanos: 2_000_000_000))
    short.goesOn(to: 2_600_000_000)
    #expect(short.passEnd == .distantFuture)
    short.passEnded(at: 7_000_000_000)
    #expect(short.passStart == MediaTime(nanos: 7_000_000_000))
    short.goesOn(to: 7_600_000_000)
    #expect(short.passEnd == MediaTime(nanos: 14_000_000_000))
  }

  @Test func picturesComeWhenTheyAreDueAndAgain() throws {
    let files = try MadeFiles()
    let path = try files.y4m(size: PictureSize(width: 64, height: 48), pictures: 10)
    let frames = NewestFrame()
    let reports = Reports()
    let epoch = MediaTime.now() + .milliseconds(300)
    let source = FilePictures(
      path: path, epoch: epoch, frames: frames, report: reports.listener)
    source.start()
    let seen = watch(frames, until: epoch + .milliseconds(1000))
    let asked = MediaTime.now()
    #expect(source.stop(by: asked + .seconds(1)))
    #expect(MediaTime.now() - asked < .milliseconds(300))
    // Two and a half passes of 400 ms.
    #expect((20...26).contains(seen.count))
    for picture in seen {
      let into = (picture.capturedAt - epoch) % 400_000_000
      #expect(Int(picture.y) - 16 == Int((into + 1_000_000) / 40_000_000))
      #expect(picture.cb == 100 && picture.cr == 200)
      #expect(picture.format.size == PictureSize(width: 64, height: 48))
      #expect(picture.arrived >= picture.capturedAt)
    }
    #expect(source.passes >= 2)
    #expect(reports.all.map(\.code) == ["running"])
  }

  @Test(arguments: [(1, 1), (3, 5), (65, 47), (2000, 3)])
  func oddSizesBecomeEven(width: Int, height: Int) throws {
    let files = try MadeFiles()
    let path = try files.y4m(size: PictureSize(width: width, height: height), pictures: 2)
    let frames = NewestFrame()
    let source = FilePictures(path: path, epoch: .now(), frames: frames, report: { _ in })
    source.start()
    let seen = watch(frames, until: .now() + .milliseconds(300))
    source.stop(by: .now() + .seconds(1))
    #expect(seen.count >= 2)
    for picture in seen {
      #expect(picture.format.size.width % 2 == 0 && picture.format.size.height % 2 == 0)
      #expect(picture.format.size.width <= 1920)
      #expect((16...17).contains(picture.y) && picture.cb == 100)
    }
  }

  @Test func aStillIsShownForEverInItsColour() throws {
    let files = try MadeFiles()
    let path = try files.ppm(size: PictureSize(width: 320, height: 240), rgb: [255, 0, 0])
    let frames = NewestFrame()
    let source = FilePictures(path: path, epoch: .now(), frames: frames, report: { _ in })
    source.start()
    let seen = watch(frames, until: .now() + .milliseconds(1200))
    source.stop(by: .now() + .seconds(1))
    #expect((9...16).contains(seen.count))
    for picture in seen {
      // BT.601, limited range: red is 81, 90, 240.
      #expect(picture.format.colour.matrix == 6 && !picture.format.colour.fullRange)
      #expect(abs(Int(picture.y) - 81) <= 2)
      #expect(abs(Int(picture.cb) - 90) <= 2 && abs(Int(picture.cr) - 240) <= 2)
    }
    for (a, b) in zip(seen, seen.dropFirst()) { #expect(b.capturedAt > a.capturedAt) }
  }

  @Test(arguments: [(44_100, 1, 2), (48_000, 2, 2), (22_050, 2, 1)])
  func soundLiesWhereTheFileHasIt(rate: Int, from: Int, to: Int) throws {
    let files = try MadeFiles()
    // A second, with an impulse in its middle.
    let path = try files.wav(rate: rate, channels: from, frames: rate) {
      $0 == rate / 2 ? 30_000 : 0
    }
    let queue = PCMQueue(channels: to, capacity: 300)
    let epoch = MediaTime.now() + .milliseconds(200)
    let source = FileSound(path: path, epoch: epoch, queue: queue, report: { _ in })
    source.start()
    let pieces = drain(queue, until: epoch + .milliseconds(2700))
    source.stop(by: .now() + .seconds(1))
    var peaks: [Int64: (value: Float, time: MediaTime)] = [:]
    for piece in pieces {
      for frame in 0..<(piece.samples.count / to) {
        let time = piece.start + PCM.nanos(frames: frame)
        let value = abs(piece.samples[frame * to])
        let pass = (time - epoch) / 1_000_000_000
        if value > peaks[pass]?.value ?? 0.1 { peaks[pass] = (value, time) }
      }
    }
    #expect(peaks.count == 3)
    for (pass, peak) in peaks {
      let due = epoch + pass * 1_000_000_000 + 500_000_000
      #expect(abs(peak.time - due) < 50_000)
    }
    let first = try #require(pieces.first).start
    #expect(abs(first - epoch) < 1000)
    for (a, b) in zip(pieces, pieces.dropFirst()) {
      let gap = b.start - a.start - PCM.nanos(frames: a.samples.count / to)
      #expect((-1000...50_000).contains(gap))
    }
  }

  @Test func whatIsWrongIsToldOnce() throws {
    let files = try MadeFiles()
    let text = try files.write("notes.txt", Array("nothing to see or hear".utf8))
    let empty = try files.write("empty.mp4", [])
    let sound = try files.wav(rate: 48_000, channels: 1, frames: 4800) { _ in 0 }
    // Lists of other files, which nobody writes to: opening them would take for ever.
    #expect(unsafe mkfifo(files.folder + "/pipe.mp4", 0o600) == 0)
    let concat = try files.write("list.txt", Array("ffconcat version 1.0\nfile pipe.mp4\n".utf8))
    let playlist = try files.write(
      "list.m3u8",
      Array("#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\npipe.mp4\n#EXT-X-ENDLIST\n".utf8))
    let cases = [
      (files.folder + "/none.mp4", "missing"), (text, "not_media"), (empty, "not_media"),
      (sound, "no_stream"), (concat, "not_media"), (playlist, "not_media"),
    ]
    for (path, code) in cases {
      let reports = Reports()
      let source = FilePictures(
        path: path, epoch: .now(), frames: NewestFrame(), report: reports.listener)
      source.start()
      (MediaTime.now() + .milliseconds(1300)).sleepUntil()
      source.stop(by: .now() + .seconds(1))
      #expect(reports.all.map(\.code) == [code])
      #expect(reports.all.first?.sentence.contains(path) == true)
    }
  }

  @Test(arguments: [50, 3_999, 4_000])
  func ratesThatNobodyRecordsAtAreRefused(rate: Int) throws {
    let files = try MadeFiles()
    let path = try files.wav(rate: rate, channels: 1, frames: rate) { _ in 0 }
    let reports = Reports()
    let source = FileSound(
      path: path, epoch: .now(), queue: PCMQueue(channels: 1, capacity: 300),
      report: reports.listener)
    source.start()
    let deadline = MediaTime.now() + .seconds(5)
    while reports.all.isEmpty, MediaTime.now() < deadline {
      (MediaTime.now() + .milliseconds(20)).sleepUntil()
    }
    source.stop(by: .now() + .seconds(1))
    #expect(reports.all.map(\.code) == [rate < 4_000 ? "unfit_rate" : "running"])
  }

  /// What changes with each picture would fill the log.
  @Test func theSizeIsToldOnce() throws {
    let files = try MadeFiles()
    let bytes = try (1...20).flatMap { index in
      let path = try files.ppm(
        size: PictureSize(width: 16 * (1 + index % 2), height: 16), rgb: [0, 0, 0])
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let path = try files.write("changing.ppm", bytes)
    let frames = NewestFrame()
    let reports = Reports()
    let source = FilePictures(
      path: path, epoch: .now(), frames: frames, report: reports.listener)
    source.start()
    let seen = watch(frames, until: .now() + .seconds(2))
    source.stop(by: .now() + .seconds(1))
    #expect(Set(seen.map(\.format.size.width)).count == 2)
    #expect(reports.all.map(\.code) == ["running"])
  }
}
