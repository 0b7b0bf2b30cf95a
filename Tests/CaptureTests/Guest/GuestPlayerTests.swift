// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Capture

/// Recorded packets, decoded and written in virtual time.
@Suite(.enabled(if: MadeFiles.hasFFmpeg)) struct GuestPlayerTests {
  private static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
  private static let live = x264 + ["-tune", "zerolatency"]

  private static func bars(_ size: String, rate: Int = 30, seconds: Int = 4) -> [String] {
    ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds)"]
  }

  private func record(_ name: String, _ arguments: [String]) throws -> RecordedPackets {
    let files = try MadeFiles()
    return try RecordedPackets(files.encode(name, arguments))
  }

  @Test(arguments: [0.0, 0.15])
  func pictureAndSoundStayTogether(jitter: Double) throws {
    let recorded = try record(
      "a.flv",
      MadeFiles.flashAndBeep(seconds: 10) + GuestPlayerTests.live + ["-c:a", "aac", "-ac", "1"])
    var random = SplitMix64(seed: 3)
    let lab = PlayerLab()
    lab.play(
      recorded, line: { $0 + 0.03 + Double.random(in: 0...max(jitter, 1e-9), using: &random) },
      for: 12)
    let apart = lab.output.beepAfterFlash
    #expect(apart.count >= 9 && apart.allSatisfy { abs($0) < 25 })
    #expect(lab.output.pictures.count >= 245)
    // Once the jitter is known, everything is there in time, and the audio has no gap.
    let later = lab.start + .seconds(4)
    #expect(lab.output.pictures.filter { $0.dueAt > later }.allSatisfy { $0.writtenAt <= $0.dueAt })
    let blocks = lab.output.blocks.filter { $0.startsAt > later }
    #expect(blocks.allSatisfy { $0.startsAt - $0.writtenAt >= .milliseconds(40) })
    #expect(blocks.allSatisfy { $0.startsAt - $0.writtenAt <= .milliseconds(500) })
    if jitter == 0 { #expect(lab.output.gaps.isEmpty) }
  }

  /// In MPEG-TS, the first frame of a piece alone may have a timestamp; some cameras send none with their pictures.
  @Test(arguments: [GuestKind.audio, .video])
  func packetsWithoutTimestampsArePlayed(kind: GuestKind) throws {
    let recorded = try record(
      "a.flv",
      MadeFiles.flashAndBeep(seconds: 5) + GuestPlayerTests.live + ["-c:a", "aac", "-ac", "1"])
    let lab = PlayerLab()
    var count = 0
    lab.play(
      recorded, for: 6,
      isStamped: { packet in
        guard packet.kind == kind else { return true }
        count += 1
        return kind == .audio && count % 10 == 1
      })
    #expect(lab.output.beepAfterFlash.count >= 4)
    #expect(lab.output.beepAfterFlash.allSatisfy { abs($0) < 40 })
    #expect(lab.output.gaps.isEmpty)
    #expect(lab.output.pictures.count > 115)
  }

  /// A minute of packets at once, while nothing is played: the newest stay, and can be decoded.
  @Test func aFloodIsCut() throws {
    let recorded = try record(
      "a.flv",
      MadeFiles.flashAndBeep(seconds: 60) + GuestPlayerTests.live + ["-g", "25", "-c:a", "aac"])
    let lab = PlayerLab()
    for track in recorded.tracks { lab.buffer.begin(track) }
    for packet in recorded.packets {
      // As if each had come a little late, so that it counts as live.
      lab.put(packet, arrived: lab.start + packet.time * 4 / 5)
    }
    var kept = 0
    for kind in GuestKind.allCases {
      let first = lab.buffer.take(kind, now: .distantFuture, lead: 0)
      // What is needed to decode the rest.
      if case .track? = first {} else { Issue.record("no track") }
      while lab.buffer.take(kind, now: .distantFuture, lead: 0) != nil { kept += 1 }
    }
    // Of 1,500 frames and 2,800 blocks of audio.
    #expect((10...400).contains(kept))
  }

  @Test(arguments: [-0.02, 0.02])
  func aSendersClockIsFollowed(drift: Double) throws {
    let recorded = try record(
      "a.flv",
      MadeFiles.flashAndBeep(seconds: 100) + GuestPlayerTests.live + ["-c:a", "aac", "-ac", "1"])
    let lab = PlayerLab()
    lab.play(recorded, line: { $0 / (1 + drift) + 0.03 }, for: 98)
    #expect(lab.output.beepAfterFlash.allSatisfy { abs($0) < 40 })
    #expect(lab.output.beepAfterFlash.count > 90)
    // After a minute the drift is known: then there is neither a gap nor an overlap.
    let late = lab.output.blocks.filter { lab.seconds($0.startsAt) > 60 }
    #expect(zip(late, late.dropFirst()).allSatisfy { abs($1.startsAt - $0.end) < 2_000_000 })
    #expect(late.allSatisfy { $0.startsAt - $0.writtenAt >= .milliseconds(40) })
  }

  @Test func aStallEndsWithTheNewestPicture() throws {
    let recorded = try record(
      "a.flv",
      MadeFiles.flashAndBeep(seconds: 12) + GuestPlayerTests.live + ["-g", "300", "-c:a", "aac"])
    let lab = PlayerLab()
    lab.play(
      recorded, line: { (5..<8).contains($0) ? 8.03 + ($0 - 5) / 30 : $0 + 0.03 }, for: 13)
    let after = lab.output.pictures.filter { lab.seconds($0.writtenAt) > 8.3 }
    #expect(after.count > 80)
    #expect(after.allSatisfy { $0.dueAt - $0.writtenAt < .milliseconds(150) })
    #expect(lab.output.beepAfterFlash.suffix(3).allSatisfy { abs($0) < 40 })
  }

  @Test func aConnectionAnewWithOtherTimestampsGoesOn() throws {
    let recorded = try record(
      "a.flv", MadeFiles.flashAndBeep(seconds: 4) + GuestPlayerTests.live + ["-c:a", "aac"])
    let lab = PlayerLab()
    lab.play(recorded, for: 4)
    lab.play(recorded, for: 5, shift: -.seconds(40_000))
    #expect(lab.output.beeps.count == 8)
    #expect(lab.output.beepAfterFlash.allSatisfy { abs($0) < 40 })
  }

  @Test(arguments: [
    ("1280x720", PictureSize(width: 1280, height: 720), PictureSize(width: 1280, height: 720)),
    ("1920x1080", PictureSize(width: 1280, height: 720), PictureSize(width: 1280, height: 720)),
    ("720x1280", PictureSize(width: 1280, height: 720), PictureSize(width: 406, height: 720)),
    ("720x1280", PictureSize(width: 1280, height: 1280), PictureSize(width: 406, height: 720)),
    ("640x360", PictureSize(width: 320, height: 320), PictureSize(width: 320, height: 180)),
    ("16x16", PictureSize(width: 640, height: 360), PictureSize(width: 16, height: 16)),
    ("1022x18", PictureSize(width: 640, height: 360), PictureSize(width: 640, height: 12)),
  ])
  func framesAreScaledDown(source: String, largest: PictureSize, result: PictureSize) throws {
    let recorded = try record(
      "a.flv", GuestPlayerTests.bars(source, seconds: 1) + GuestPlayerTests.live)
    let lab = PlayerLab()
    lab.output.wants.largest = largest
    lab.play(recorded, for: 2)
    #expect(lab.output.pictures.count >= 28)
    #expect(lab.output.pictures.allSatisfy { $0.size == result })
  }

  @Test(arguments: [(60, 30, 30), (50, 30, 30), (25, 30, 25), (30, 25, 25), (30, 15, 15)])
  func theFrameRateIsLimited(rate: Int, wanted: Int, shown: Int) throws {
    let recorded = try record(
      "a.flv", GuestPlayerTests.bars("160x120", rate: rate) + GuestPlayerTests.live)
    let lab = PlayerLab()
    lab.output.wants.framesPerSecond = wanted
    lab.play(recorded, for: 5)
    #expect((shown * 4 - 3...shown * 4 + 2).contains(lab.output.pictures.count))
    let pictures = lab.output.pictures
    #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.dueAt < $1.dueAt })
  }

  /// A guest who waits costs one frame for each keyframe; when he is shown, the picture is there at once.
  @Test func whoIsAdmittedIsSeenWithoutAKeyframe() throws {
    let recorded = try record(
      "a.flv",
      GuestPlayerTests.bars("320x180", seconds: 8) + GuestPlayerTests.live + ["-g", "150"])
    let lab = PlayerLab()
    lab.output.wants.pictures = .few
    var before = (pictures: 0, decoded: 0)
    lab.play(
      recorded, for: 9,
      change: { [output = lab.output, pictures = lab.pictures] seconds in
        guard seconds > 4, output.wants.pictures == .few else { return }
        before = (output.pictures.count, pictures.decodedFrames)
        output.wants.pictures = .all
      })
    #expect(before == (1, 1))
    let shown = lab.output.pictures.dropFirst()
    #expect(shown.first.map { (4..<4.1).contains(lab.seconds($0.writtenAt)) } == true)
    #expect(shown.count > 110)
  }

  @Test func nothingIsWrittenThatIsNotWanted() throws {
    let recorded = try record(
      "a.flv", MadeFiles.flashAndBeep(seconds: 2) + GuestPlayerTests.live + ["-c:a", "aac"])
    let lab = PlayerLab()
    (lab.output.wants.pictures, lab.output.wants.sound) = (.none, false)
    lab.play(recorded, for: 3)
    #expect(lab.output.pictures.isEmpty && lab.output.blocks.isEmpty)
    #expect(lab.pictures.decodedFrames == 0 && lab.sound.decodedFrames == 0)
    #expect(lab.buffer.isEmpty)
  }

  @Test(arguments: [
    ("b.flv", ["-bf", "3", "-g", "50"]), ("b.ts", ["-bf", "3", "-g", "50"]),
    ("10.ts", ["-pix_fmt", "yuv420p10le"]), ("422.ts", ["-pix_fmt", "yuv422p"]),
    ("lace.ts", ["-x264-params", "interlaced=1:tff=1"]),
  ])
  func oddPictures(name: String, options: [String]) throws {
    let recorded = try record(
      name, GuestPlayerTests.bars("320x180", seconds: 3) + GuestPlayerTests.x264 + options)
    let lab = PlayerLab()
    lab.play(recorded, for: 4)
    let pictures = lab.output.pictures
    // The last ones need packets after them.
    #expect(pictures.count >= 84)
    #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.dueAt < $1.dueAt })
    #expect(pictures.dropFirst(15).allSatisfy { $0.writtenAt <= $0.dueAt })
    #expect(pictures.allSatisfy { $0.size == PictureSize(width: 320, height: 180) })
  }

  @Test(arguments: [
    ("mono.flv", 44_100, 1, "aac"), ("5.1.ts", 48_000, 6, "ac3"), ("low.ts", 22_050, 2, "mp2"),
    ("a.mkv", 48_000, 2, "libopus"),
  ])
  func oddSound(name: String, rate: Int, channels: Int, codec: String) throws {
    let layouts = [1: "mono", 2: "stereo", 6: "5.1"]
    let recorded = try record(
      name,
      [
        "-f", "lavfi", "-i", "sine=1000:r=\(rate):d=5", "-af",
        "volume=12dB,aformat=channel_layouts=\(layouts[channels]!)", "-c:a", codec,
      ])
    let lab = PlayerLab()
    lab.play(recorded, for: 6)
    #expect(lab.output.gaps.isEmpty)
    let samples = lab.output.blocks.flatMap(\.samples)
    #expect(abs(Double(samples.count) / 2 / 48_000 - 5) < 0.1)
    let middle = samples[samples.count / 4..<samples.count * 3 / 4]
    let level = (middle.map { $0 * $0 }.reduce(0, +) / Float(middle.count)).squareRoot()
    #expect((0.05...0.6).contains(level))
  }

  @Test func aSizeAndACodecMayChange() throws {
    let small = try record(
      "a.flv", GuestPlayerTests.bars("160x120", seconds: 1) + GuestPlayerTests.live)
    let large = try record(
      "b.ts", GuestPlayerTests.bars("640x360", seconds: 1) + ["-c:v", "mpeg2video", "-g", "15"])
    let lab = PlayerLab()
    lab.play(small, for: 1.2)
    lab.play(large, for: 2)
    #expect(
      lab.sizes == [PictureSize(width: 160, height: 120), PictureSize(width: 640, height: 360)])
    #expect(lab.output.pictures.last?.size == PictureSize(width: 640, height: 360))
    #expect(lab.output.pictures.count > 50)
  }
}
