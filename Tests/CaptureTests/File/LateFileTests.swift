// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Posix
import Testing

@testable import Capture

/// Files that are opened, or opened again, long after the program has started.
@Suite struct LateFileTests {
  @Test func theFirstToOpenAFileSaysWhenItStarts() throws {
    let files = try MadeFiles()
    let one = FileStamp(path: try files.write("one", [1]))
    let two = FileStamp(path: try files.write("two", [1, 2]))
    let epoch = MediaTime(nanos: .seconds(100))
    let starts = FileStarts(epoch)
    #expect(starts.start(of: "a", one, now: epoch + .seconds(-1)) == epoch)
    #expect(starts.start(of: "a", one, now: epoch + .seconds(3_600)) == epoch)
    // In time.
    #expect(starts.start(of: "b", one, now: epoch + .seconds(3)) == epoch)
    // Late, or another file: the second one to open it agrees.
    for name in ["a", "c"] {
      let now = epoch + .seconds(4)
      #expect(starts.start(of: name, two, now: now) == now)
      #expect(starts.start(of: name, two, now: now + .seconds(9)) == now)
    }
    let now = epoch + .seconds(2)
    #expect(starts.start(of: "b", two, now: now) == now)
  }

  private func late(_ name: String, _ files: borrowing MadeFiles) throws -> String {
    if name == "late.aac" {
      return try files.encode(name, ["-f", "lavfi", "-i", "sine=d=8", "-c:a", "aac"])
    }
    let codecs = ["-c:v", "mpeg2video", "-c:a", "mp2"]
    let parts = try ["0", "500"].map {
      try files.encode(
        "\($0).ts", MadeFiles.flashAndBeep(seconds: 4) + codecs + ["-output_ts_offset", $0])
    }
    return try files.join(name, parts)
  }

  /// Neither file says how long it is.
  @Test(
    .enabled(if: MadeFiles.hasFFmpeg),
    arguments: [("late.aac", MediaFile.Kind.audio), ("late.ts", .audio), ("late.ts", .video)])
  func afterAnHourOnePassIsDecodedToCatchUp(name: String, kind: MediaFile.Kind) throws {
    let files = try MadeFiles()
    let path = try late(name, files)
    let time = SourceClock()
    let epoch = time.now
    let starts = FileStarts(epoch)
    #expect(starts.start(of: path, FileStamp(path: path), now: epoch) == epoch)
    time.stall(nanos: .seconds(3_605))
    let loop = try FileLoop(
      path: path, kind: kind, starts: starts, openings: FileOpenings(),
      worker: Worker(name: "late", clock: time.clock)
    ) { _ in }
    var passes = 0
    catchUp: while passes < 10 {
      switch try loop.next() {
      case .frame(let due): if time.now - due < .milliseconds(100) { break catchUp }
      case .passEnded:
        passes += 1
        try loop.beginNextPass()
      case .replaced, .stopped: Issue.record("nobody replaced or stopped it")
      }
    }
    #expect(passes <= 2)
    // It plays where it would be if it had never been late.
    let duration = try #require(loop.clock.duration)
    #expect((7_900_000_000...8_300_000_000).contains(duration))
    #expect((loop.clock.passStart - epoch) % duration == 0)
    #expect(time.now < loop.clock.passEnd)
  }

  /// The beep is 0.4 s after the start of the file.
  @Test(.enabled(if: MadeFiles.hasFFmpeg), arguments: ["late.aac", "late.wav"])
  func aFileThatComesLateBeginsAtItsStart(name: String) throws {
    let files = try MadeFiles()
    let made = try files.encode(
      "made-" + name,
      [
        "-f", "lavfi", "-i",
        "aevalsrc=0.5*sin(2*PI*1000*t)*between(t\\,0.4\\,0.5):s=48000:d=7.3",
      ])
    let path = files.folder + "/" + name
    let time = SourceClock()
    let queue = PCMQueue(channels: 1)
    let reports = Reports()
    let source = FileAudio(
      path: path, starts: FileStarts(time.now), queue: queue, clock: time.clock,
      report: reports.listener)
    source.start()
    time.run(until: time.now + .milliseconds(120_500))
    try FileManager.default.moveItem(atPath: made, toPath: path)
    let chunks = time.chunks(of: queue, until: time.now + .milliseconds(3_000))
    source.stop(by: .now() + .seconds(30))
    #expect(reports.codes == ["missing", "running"])
    let first = try #require(chunks.first)
    let loud = try #require(chunks.first { $0.samples.contains { abs($0) > 0.2 } })
    #expect((360_000_000...480_000_000).contains(loud.startsAt - first.startsAt))
  }
}
