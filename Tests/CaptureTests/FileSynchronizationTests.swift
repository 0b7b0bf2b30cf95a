// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import Testing

@testable import Capture

private let ffmpeg = "/usr/bin/ffmpeg"

/// Video and audio of files that ffmpeg encodes, as the sources play them on a virtual clock.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg)))
struct FileSynchronizationTests {
  /// Runs ffmpeg with `arguments`, which write the file `path`.
  private func encode(_ arguments: [String], to path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ffmpeg)
    process.arguments = ["-v", "error"] + arguments + [path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Plays the video and the audio of a file, each on its own clock. Both clocks start at the same instant.
  private func play(
    _ path: String, seconds: Double
  ) -> (video: [Seen], audio: [AudioChunk], epoch: MediaTime) {
    let videoTime = SourceClock()
    let audioTime = SourceClock()
    let epoch = videoTime.now + .milliseconds(300)
    let end = epoch + Int64(seconds * 1e9)
    let frames = FrameQueue()
    let queue = PCMQueue(channels: 1)
    let video = FileVideo(
      path: path, epoch: epoch, frames: frames, clock: videoTime.clock, report: { _ in })
    let audio = FileAudio(
      path: path, epoch: epoch, queue: queue, clock: audioTime.clock, report: { _ in })
    video.start()
    audio.start()
    let seen = videoTime.frames(of: frames, until: end)
    let chunks = audioTime.chunks(of: queue, until: end)
    #expect(video.stop(by: .now() + .seconds(30)) && audio.stop(by: .now() + .seconds(30)))
    #expect(frames.dropped == 0 && queue.dropped == 0)
    return (seen, chunks, epoch)
  }

  @Test(
    arguments: [
      ("clip.mp4", ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
      ("clip.mkv", ["-c:v", "libx264", "-bf", "2", "-c:a", "libmp3lame"]),
      ("clip.ts", ["-c:v", "mpeg2video", "-c:a", "aac", "-ar", "44100"]),
    ]) func flashAndBeepStayTogetherInEachPass(name: String, codecs: [String]) throws
  {
    let files = try MadeFiles()
    let path = files.folder + "/" + name
    // Flash and beep start at 0.4 s and 1.4 s of two seconds.
    try encode(
      [
        "-f", "lavfi", "-i",
        "color=black:s=160x120:r=25:d=2,"
          + "geq=lum='if(between(mod(N\\,25)\\,10\\,13)\\,235\\,16)':cb=128:cr=128",
        "-f", "lavfi", "-i",
        "aevalsrc=0.5*sin(2*PI*1000*t)*between(mod(t\\,1)\\,0.4\\,0.52):s=48000:d=2",
      ] + codecs + ["-pix_fmt", "yuv420p"], to: path)
    let (video, audio, epoch) = play(path, seconds: 6.3)
    for frame in video { #expect(frame.arrivedAt == frame.capturedAt) }

    var flashes: [Int64] = []
    for (a, b) in zip(video, video.dropFirst()) where a.y < 100 && b.y > 180 {
      flashes.append(b.capturedAt - epoch)
    }
    var beeps: [Int64] = []
    var lastLoud = MediaTime.distantPast
    for chunk in audio {
      for (frame, sample) in chunk.samples.enumerated() where abs(sample) > 0.2 {
        let time = chunk.startsAt + PCM.nanos(frames: frame)
        if time - lastLoud > 300_000_000 { beeps.append(time - epoch) }
        lastLoud = time
      }
    }
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
    let path = files.folder + "/clip.mkv"
    try encode(
      [
        "-f", "lavfi", "-i", "color=black:s=64x48:r=10:d=4,geq=lum='16+5*N':cb=128:cr=128",
        "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*1000*t):s=48000:d=4",
        "-c:v", "mpeg4", "-q:v", "1", "-c:a", "pcm_s16le",
      ], to: path)
    // Set the element Duration (RFC 9559, section 5.1.2.10) to one second, in milliseconds.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let element: [UInt8] = [0x44, 0x89, 0x88]
    let at = try #require(bytes.firstRange(of: element)).upperBound
    for place in 0..<8 {
      bytes[at + place] = UInt8(truncatingIfNeeded: 1_000.0.bitPattern >> (56 - 8 * place))
    }
    let short = try files.write("short.mkv", bytes)

    let (video, audio, epoch) = play(short, seconds: 7.5)
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
}
