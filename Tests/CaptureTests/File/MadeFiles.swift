// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

@testable import Capture

/// Small media files in a temporary folder, in formats that need no encoder: Y4M, WAV and PPM.
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

  /// Frame n is uniform: Y = 16 + n, Cb 100, Cr 200.
  func y4m(
    _ name: String = "a:b c.y4m", size: PictureSize, frames: Int, fps: Int = 25
  ) throws -> String {
    var bytes = Array("YUV4MPEG2 W\(size.width) H\(size.height) F\(fps):1 Ip A1:1 C420jpeg\n".utf8)
    let chroma = ((size.width + 1) / 2) * ((size.height + 1) / 2)
    for frame in 0..<frames {
      bytes += Array("FRAME\n".utf8)
      bytes += [UInt8](repeating: UInt8(16 + frame), count: size.width * size.height)
      bytes += [UInt8](repeating: 100, count: chroma) + [UInt8](repeating: 200, count: chroma)
    }
    return try write(name, bytes)
  }

  /// 16-bit; `sample` returns the sample at an index.
  func wav(
    rate: Int, channels: Int, frames: Int, sample: (Int) -> Int16,
    gain: (Int) -> Int16 = { _ in 1 }
  ) throws -> String {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = (0..<frames).flatMap { index in
      (0..<channels).flatMap { number(Int(sample(index) * gain($0)), 2) }
    }
    var bytes = Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8)
    bytes += number(16, 4) + number(1, 2) + number(channels, 2) + number(rate, 4)
    bytes += number(rate * channels * 2, 4) + number(channels * 2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(data.count, 4) + data
    return try write("sound.wav", bytes)
  }

  /// One image of a uniform colour.
  func ppm(size: PictureSize, rgb: [UInt8]) throws -> String {
    let pixels = (0..<(size.width * size.height)).flatMap { _ in rgb }
    return try write(
      "still.ppm", Array("P6\n\(size.width) \(size.height)\n255\n".utf8) + pixels)
  }

  static let ffmpeg = "/usr/bin/ffmpeg"
  static var hasFFmpeg: Bool { FileManager.default.isExecutableFile(atPath: ffmpeg) }

  /// Runs ffmpeg with `arguments`, which write the file `name`.
  func encode(_ name: String, _ arguments: [String]) throws -> String {
    let path = folder + "/" + name
    let process = Process()
    process.executableURL = URL(fileURLWithPath: MadeFiles.ffmpeg)
    process.arguments = ["-v", "error", "-nostdin", "-y"] + arguments + [path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments)")
    return path
  }

  /// Two files one after the other, byte by byte.
  func join(_ name: String, _ paths: [String]) throws -> String {
    try write(name, paths.flatMap { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) })
  }

  /// Inputs of ffmpeg: flash and beep start at 0.4 s of each second, and last 0.16 and 0.12 s.
  static func flashAndBeep(seconds: Int = 2, rate: Int = 25) -> [String] {
    [
      "-f", "lavfi", "-i",
      "color=black:s=160x120:r=\(rate):d=\(seconds),"
        + "geq=lum='if(between(mod(N\\,\(rate))\\,\(rate * 2 / 5)\\,\(rate * 2 / 5 + 3))\\,235\\,16)'"
        + ":cb=128:cr=128",
      "-f", "lavfi", "-i",
      "aevalsrc=0.5*sin(2*PI*1000*t)*between(mod(t\\,1)\\,0.4\\,0.52):s=48000:d=\(seconds)",
      "-pix_fmt", "yuv420p",
    ]
  }
}

/// What a file's video and audio are on virtual clocks that start at the same instant.
struct Played {
  var video: [Seen] = []
  var audio: [AudioChunk] = []
  var epoch: MediaTime
  var videoReports = Reports()
  var audioReports = Reports()
  /// Frames that the reader of this test was too slow for.
  let dropped: Int

  /// - Parameter isWatched: whether every frame has to come in its time, as those of whole files do.
  init(_ path: String, seconds: Double, channels: Int = 1, isWatched: Bool = true) {
    let videoTime = SourceClock()
    let audioTime = SourceClock()
    epoch = videoTime.now + .milliseconds(300)
    let end = epoch + Int64(seconds * 1e9)
    let frames = FrameQueue()
    let queue = PCMQueue(channels: channels)
    let starts = FileStarts(epoch)
    let video = FileVideo(
      path: path, starts: starts, frames: frames, clock: videoTime.clock,
      report: videoReports.listener)
    let audio = FileAudio(
      path: path, starts: starts, queue: queue, clock: audioTime.clock,
      report: audioReports.listener)
    video.start()
    audio.start()
    self.video = videoTime.frames(of: frames, until: end)
    self.audio = audioTime.chunks(of: queue, until: end)
    #expect(video.stop(by: .now() + .seconds(30)) && audio.stop(by: .now() + .seconds(30)))
    dropped = Int(frames.dropped)
    if isWatched { #expect(dropped == 0 && queue.dropped == 0) }
  }

  /// When the picture turns bright, from the epoch on.
  var flashes: [Int64] {
    zip(video, video.dropFirst()).filter { $0.y < 100 && $1.y > 180 }.map { $1.capturedAt - epoch }
  }

  /// When the sound begins after 0.3 s of silence.
  var beeps: [Int64] {
    var beeps: [Int64] = []
    var lastLoud = MediaTime.distantPast
    for chunk in audio {
      for (frame, sample) in chunk.samples.enumerated() where abs(sample) > 0.2 {
        let time = chunk.startsAt + PCM.nanos(frames: frame)
        if time - lastLoud > 300_000_000 { beeps.append(time - epoch) }
        lastLoud = time
      }
    }
    return beeps
  }
}

extension MadeFiles {
  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
