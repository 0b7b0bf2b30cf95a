// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import Testing

@testable import Capture

/// Flash and beep of a real container stay together, from pass to pass.
@Suite(.serialized) struct FileStepTests {
  static let ffmpeg = "/usr/bin/ffmpeg"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg)),
    arguments: [
      ("clip.mp4", ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
      ("clip.mkv", ["-c:v", "libx264", "-bf", "2", "-c:a", "libmp3lame"]),
      ("clip.ts", ["-c:v", "mpeg2video", "-c:a", "aac", "-ar", "44100"]),
    ]) func flashAndBeepBelongTogether(name: String, codecs: [String]) throws
  {
    let files = try MadeFiles()
    let path = files.folder + "/" + name
    let process = Process()
    process.executableURL = URL(fileURLWithPath: FileStepTests.ffmpeg)
    process.arguments =
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=160x120:r=25:d=2,"
          + "geq=lum='if(between(mod(N\\,25)\\,10\\,13)\\,235\\,16)':cb=128:cr=128",
        "-f", "lavfi", "-i",
        "aevalsrc=0.5*sin(2*PI*1000*t)*between(mod(t\\,1)\\,0.4\\,0.52):s=48000:d=2",
      ] + codecs + ["-pix_fmt", "yuv420p", path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)

    let epoch = MediaTime.now() + .milliseconds(300)
    let end = epoch + .milliseconds(6300)
    let frames = NewestFrame()
    let queue = PCMQueue(channels: 1, capacity: 1500)
    let pictures = FilePictures(path: path, epoch: epoch, frames: frames, report: { _ in })
    let sound = FileSound(path: path, epoch: epoch, queue: queue, report: { _ in })
    pictures.start()
    sound.start()
    let seen = watch(frames, until: end)
    pictures.stop(by: .now() + .seconds(1))
    // The queue holds it all: a frame of 1,024 samples makes two pieces.
    let pieces = drain(queue, until: .now() + .milliseconds(200))
    sound.stop(by: .now() + .seconds(1))

    var flashes: [Int64] = []
    for (a, b) in zip(seen, seen.dropFirst()) where a.y < 100 && b.y > 180 {
      flashes.append(b.capturedAt - epoch)
    }
    var beeps: [Int64] = []
    var lastLoud = MediaTime.distantPast
    for piece in pieces {
      for (frame, sample) in piece.samples.enumerated() where abs(sample) > 0.2 {
        let time = piece.start + PCM.nanos(frames: frame)
        if time - lastLoud > 300_000_000 { beeps.append(time - epoch) }
        lastLoud = time
      }
    }
    #expect(flashes.count >= 5 && beeps.count >= 6)
    // A machine that is busy may lose the picture with which a flash begins, or a flash.
    let together = beeps.filter { beep in flashes.contains { abs($0 - beep) < 5_000_000 } }
    let apart = beeps.filter { beep in
      beep < end - epoch - 100_000_000 && !flashes.contains { abs($0 - beep) < 100_000_000 }
    }
    #expect(together.count >= 4 && apart.count <= 1)
    let length = beeps.count >= 3 ? beeps[2] - beeps[0] : 0
    // The container's length is the longer stream's: two seconds and at most the last packet's rest.
    #expect((1_990_000_000...2_100_000_000).contains(length))
  }

  /// A recorder that was cut off leaves the length that it began with.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg)))
  func aFileLongerThanItSaysIsPlayedToItsEnd() throws {
    let files = try MadeFiles()
    let path = files.folder + "/clip.mkv"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: FileStepTests.ffmpeg)
    process.arguments = [
      "-v", "error", "-f", "lavfi", "-i",
      "color=black:s=64x48:r=10:d=4,geq=lum='16+5*N':cb=128:cr=128",
      "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*1000*t):s=48000:d=4",
      "-c:v", "mpeg4", "-q:v", "1", "-c:a", "pcm_s16le", path,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    // The element Duration (RFC 9559, section 5.1.2.10), in milliseconds: one second.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let element: [UInt8] = [0x44, 0x89, 0x88]
    let at = try #require(bytes.firstRange(of: element)).upperBound
    for place in 0..<8 {
      bytes[at + place] = UInt8(truncatingIfNeeded: 1_000.0.bitPattern >> (56 - 8 * place))
    }
    let short = try files.write("short.mkv", bytes)

    let epoch = MediaTime.now() + .milliseconds(300)
    let end = epoch + .milliseconds(7_500)
    let frames = NewestFrame()
    let queue = PCMQueue(channels: 1, capacity: 1500)
    let pictures = FilePictures(path: short, epoch: epoch, frames: frames, report: { _ in })
    let sound = FileSound(path: short, epoch: epoch, queue: queue, report: { _ in })
    pictures.start()
    sound.start()
    let seen = watch(frames, until: end)
    pictures.stop(by: .now() + .seconds(1))
    let pieces = drain(queue, until: .now() + .milliseconds(200))
    sound.stop(by: .now() + .seconds(1))
    // But for half a second behind the stated end, until that is known to be wrong.
    let judged = seen.filter { !(900...1_600).contains(($0.capturedAt - epoch) / 1_000_000) }
    let right = judged.filter { picture in
      let into = (picture.capturedAt - epoch) % 4_000_000_000
      return abs(Int(picture.y) - 16 - 5 * Int(into / 100_000_000)) <= 6
    }
    // A machine that is busy may lose some.
    #expect(right.count > 30 && right.count * 10 >= judged.count * 9)
    #expect(seen.contains { $0.y > 200 })
    let heard = pieces.filter { $0.start < epoch + .seconds(7) }.map(\.samples.count).reduce(0, +)
    #expect(heard > 6 * PCM.sampleRate)
  }
}
