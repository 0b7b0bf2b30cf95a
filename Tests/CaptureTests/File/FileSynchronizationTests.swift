// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

@testable import Capture

/// Video and audio of files that ffmpeg encodes, as the sources play them on a virtual clock.
@Suite(.enabled(if: MadeFiles.hasFFmpeg))
struct FileSynchronizationTests {
  @Test(
    arguments: [
      ("clip.mp4", ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
      ("clip.mkv", ["-c:v", "libx264", "-bf", "2", "-c:a", "libmp3lame"]),
      ("clip.ts", ["-c:v", "mpeg2video", "-c:a", "aac", "-ar", "44100"]),
    ]) func flashAndBeepStayTogetherInEachPass(name: String, codecs: [String]) throws
  {
    let files = try MadeFiles()
    let path = try files.encode(name, MadeFiles.flashAndBeep() + codecs)
    let played = Played(path, seconds: 6.3)
    for frame in played.video { #expect(frame.arrivedAt == frame.capturedAt) }
    let (flashes, beeps) = (played.flashes, played.beeps)
    try #require(flashes.count == 6 && beeps.count == 6)
    for (flash, beep) in zip(flashes, beeps) { #expect(abs(flash - beep) < 5_000_000) }
    #expect(abs(beeps[0] - 400_000_000) < 30_000_000)
    // The container's duration is that of the longer stream: two seconds and at most the rest of the last packet.
    let duration = flashes[2] - flashes[0]
    #expect((1_990_000_000...2_100_000_000).contains(duration))
    #expect(flashes[4] - flashes[2] == duration)
  }

  /// A recorder that was interrupted leaves the duration that it wrote at the start.
  @Test func aFileLongerThanStatedIsPlayedToItsEnd() throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "clip.mkv",
      [
        "-f", "lavfi", "-i", "color=black:s=64x48:r=10:d=4,geq=lum='16+5*N':cb=128:cr=128",
        "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*1000*t):s=48000:d=4",
        "-c:v", "mpeg4", "-q:v", "1", "-c:a", "pcm_s16le",
      ])
    // Set the element Duration (RFC 9559, section 5.1.2.10) to one second, in milliseconds.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let element: [UInt8] = [0x44, 0x89, 0x88]
    let at = try #require(bytes.firstRange(of: element)).upperBound
    for place in 0..<8 {
      bytes[at + place] = UInt8(truncatingIfNeeded: 1_000.0.bitPattern >> (56 - 8 * place))
    }
    let short = try files.write("short.mkv", bytes)

    let played = Played(short, seconds: 7.5)
    let (video, audio, epoch) = (played.video, played.audio, played.epoch)
    // Except for half a second after the stated end, until that is known to be wrong.
    let checked = video.filter { !(1_000..<1_600).contains(($0.capturedAt - epoch) / 1_000_000) }
    #expect(
      checked.map { ($0.capturedAt - epoch + 500_000) / 100_000_000 } == Array(0...9)
        + Array(16...75))
    for frame in checked {
      let index = (frame.capturedAt - epoch + 500_000) / 100_000_000 % 40
      #expect(abs(Int(frame.y) - 16 - 5 * Int(index)) <= 6)
    }
    let heard = audio.filter { $0.startsAt < epoch + .seconds(7) }.map(\.samples.count).reduce(0, +)
    #expect(heard > 6 * PCM.sampleRate && heard <= 7 * PCM.sampleRate + PCMQueue.chunkFrames)
  }

  /// Both are played on, in step, with at most a frame's length between them and the next pass.
  private func expectInStep(_ played: Played, parts: Int, passes: Int) {
    let (flashes, beeps) = (played.flashes, played.beeps)
    #expect(
      flashes.count == parts * passes && beeps.count == parts * passes, "\(flashes) \(beeps)")
    for (flash, beep) in zip(flashes, beeps) { #expect(abs(flash - beep) < 45_000_000) }
    for (a, b) in zip(flashes, flashes.dropFirst()) {
      #expect((900_000_000...1_150_000_000).contains(b - a))
    }
    #expect(played.videoReports.codes == ["running"] && played.audioReports.codes == ["running"])
  }

  /// Transport streams that were joined: the times of the second one are later, earlier or the same.
  @Test(arguments: [3_600.0, 7.5, 0, -3_600, -40, 26.0 * 3_600])
  func joinedStreamsPlayOn(offset: Double) throws {
    let files = try MadeFiles()
    let codecs = ["-c:v", "mpeg2video", "-c:a", "mp2"]
    let first = try files.encode(
      "a.ts",
      MadeFiles.flashAndBeep() + codecs + ["-output_ts_offset", offset < 0 ? "\(-offset)" : "0"])
    let second = try files.encode(
      "b.ts",
      MadeFiles.flashAndBeep() + codecs + ["-output_ts_offset", offset > 0 ? "\(offset)" : "0"])
    let played = Played(try files.join("joined.ts", [first, second]), seconds: 12.2)
    expectInStep(played, parts: 4, passes: 3)
  }

  /// Times that leap within one file, in both streams, the picture alone, or the sound alone.
  @Test(
    arguments: ["leap.mkv", "leap.flv", "leap.ts", "leap.nut"],
    [(true, true), (true, false), (false, true)])
  func leapsWithinAFilePlayOn(name: String, leaping: (video: Bool, audio: Bool)) throws {
    let files = try MadeFiles()
    let leap = "setpts='PTS+gte(T\\,1)*500/TB'"
    let codecs =
      name == "leap.flv"
      ? ["-c:v", "flv", "-c:a", "aac", "-ar", "44100"] : ["-c:v", "mpeg4", "-c:a", "mp2"]
    let path = try files.encode(
      name,
      MadeFiles.flashAndBeep() + codecs + ["-vf", leaping.video ? leap : "null"]
        + ["-af", leaping.audio ? "a" + leap : "anull", "-fps_mode", "passthrough", "-bf", "0"])
    let played = Played(path, seconds: 4.2)
    if leaping.video && leaping.audio || name == "leap.ts" {
      expectInStep(played, parts: 2, passes: 2)
    } else {
      // Where one stream leaps alone, ffmpeg writes all of the other one first. What comes then may be played after it, but
      // each pass begins in step.
      let (flashes, beeps) = (played.flashes, played.beeps)
      try #require(flashes.count >= 3 && beeps.count >= 3)
      #expect(abs(flashes[0] - beeps[0]) < 45_000_000, "\(flashes) \(beeps)")
      let last = (flashes.last ?? 0) - (beeps.last ?? 0)
      #expect(abs(last) < 45_000_000, "\(flashes) \(beeps)")
    }
  }

  /// A sound that is shorter than the picture, or begins later, is silence meanwhile, and no failure.
  @Test(arguments: ["-t", "-itsoffset"]) func pausesOfTheSoundAreSilence(option: String) throws {
    let files = try MadeFiles()
    var inputs = MadeFiles.flashAndBeep(seconds: 4)
    let sound = try #require(inputs.lastIndex(of: "-f"))
    inputs.insert(contentsOf: [option, "2"], at: sound)
    let path = try files.encode("clip.mkv", inputs + ["-c:v", "mpeg4", "-c:a", "pcm_s16le"])
    let played = Played(path, seconds: 4.4)
    for (a, b) in zip(played.audio, played.audio.dropFirst()) {
      #expect(b.startsAt - a.startsAt - PCM.nanos(frames: a.samples.count) <= .milliseconds(101))
    }
    #expect(
      played.beeps.allSatisfy {
        option == "-t" ? $0 < .seconds(2) || $0 > .seconds(4) : $0 > .seconds(2)
      })
    #expect(!played.beeps.isEmpty)
    #expect(played.audioReports.codes == ["running"])
  }
}
