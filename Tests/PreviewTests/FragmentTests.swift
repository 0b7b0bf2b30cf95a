// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Testing

@testable import Preview

/// Packets of real encoders, muxed on a virtual clock and read by ffmpeg.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: ffprobe)))
struct FragmentTests {
  /// The chunks of each initialization as a file of its own.
  static func files(_ chunks: [Chunk]) -> [[UInt8]] {
    var files: [[UInt8]] = []
    for chunk in chunks {
      if chunk.isInitialization { files.append([]) }
      files[files.count - 1] += chunk.bytes
    }
    return files
  }

  @Test func framesAndAudioArrive() throws {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(500)
    let video = try Encoded.video(frames: 90, from: start)
    let audio = try Encoded.audio(packets: 140, from: start)
    bench.sink.setVideo(video.header)
    bench.sink.setAudio(audio.header)
    var cursor = ReaderCursor()
    bench.play(video.packets + audio.packets)
    bench.advance(by: .seconds(1))
    let chunks = bench.read(&cursor)
    bench.stop()
    // The reader begins at the newest keyframe: frame 60. All fragments are kept, however.
    #expect(chunks.first?.codecs == "avc1.640014,mp4a.40.2")
    let file = bench.kept.reduce(into: bench.kept[0].initialization.bytes) { $0 += $1.bytes }
    let examined = try Examined()
    let path = try examined.write("all.mp4", file)
    let frames = try Examined.packets(path, "v")
    #expect(frames.count == 90)
    #expect(frames.indices.filter { frames[$0].isKey } == [0, 30, 60])
    for (one, next) in zip(frames, frames.dropFirst()) {
      #expect(abs(next.time - one.time - 1.0 / 30) < 0.000_1)
      #expect(abs(one.duration - 1.0 / 30) < 0.000_1)
    }
    // The file's origin is a second before the first frame.
    #expect(abs(frames[0].time - 1) < 0.000_1)
    let sounds = try Examined.packets(path, "a")
    // The audio packet with the encoder's priming is earlier than the first frame, but comes after it.
    #expect(sounds.count == 140)
    #expect(abs(sounds[0].time - 1 + 1_024.0 / 48_000) < 0.000_1)
    for (one, next) in zip(sounds, sounds.dropFirst()) {
      #expect(abs(next.time - one.time - 1_024.0 / 48_000) < 0.000_05)
    }
    #expect(try Examined.luma(path).count == 90)
    #expect(try Examined.samples(path) == 140 * 1_024)
    let joined = try examined.write("joined.mp4", Self.files(chunks)[0])
    #expect(try Examined.luma(joined).count == 30)
  }

  /// Each fragment holds about 200 ms, and is there 200 ms after its first packet was offered.
  @Test func fragmentsAreThereInTime() throws {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(500)
    let video = try Encoded.video(frames: 65, from: start)
    let audio = try Encoded.audio(packets: 100, from: start)
    bench.sink.setVideo(video.header)
    bench.sink.setAudio(audio.header)
    var seen = 0
    for packet in (video.packets + audio.packets).sorted(by: { $0.time < $1.time }) {
      bench.advance(to: packet.time)
      // All frames older than 200 ms are in fragments.
      let made = bench.kept.map(\.frameSizes.count).reduce(0, +)
      let due = video.packets.count { $0.time + .milliseconds(201) < bench.now }
      #expect(made >= due)
      seen = max(seen, made)
      packet.offer(to: bench.sink)
    }
    bench.stop()
    #expect(seen >= 58)
    let kept = bench.kept
    #expect(kept.allSatisfy { $0.duration <= .milliseconds(240) })
    #expect((10...16).contains(kept.count))
    #expect(kept.filter(\.beginsWithKeyframe).count == 3)
  }

  /// A change of size in the middle: a new initialization, on the same timeline.
  @Test func theTimelineContinuesAcrossAChangeOfHeader() throws {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(500)
    let first = try Encoded.video(frames: 45, from: start)
    let second = try Encoded.video(
      frames: 45, size: PictureSize(width: 640, height: 360),
      from: start + 45 * Encoded.frameNanos)
    let audio = try Encoded.audio(packets: 135, from: start)
    let change = second.packets[0].time
    bench.sink.setVideo(first.header)
    bench.sink.setAudio(audio.header)
    var cursor = ReaderCursor()
    var chunks: [Chunk] = []
    bench.play(first.packets + audio.packets.filter { $0.time + SinkBench.audioDelay < change })
    chunks += bench.read(&cursor)
    bench.sink.setVideo(second.header)
    #expect(bench.sink.needsKeyframe)
    bench.play(second.packets + audio.packets.filter { $0.time + SinkBench.audioDelay >= change })
    #expect(!bench.sink.needsKeyframe)
    bench.advance(by: .seconds(1))
    chunks += bench.read(&cursor)
    bench.stop()
    let files = Self.files(chunks)
    #expect(files.count == 2)
    #expect(chunks.compactMap(\.codecs) == ["avc1.640014,mp4a.40.2", "avc1.64001e,mp4a.40.2"])
    let examined = try Examined()
    let paths = try files.enumerated().map { try examined.write("\($0).mp4", $1) }
    for stream in ["v", "a"] {
      let packets = try paths.map { try Examined.packets($0, stream) }
      let length = stream == "v" ? 1.0 / 30 : 1_024.0 / 48_000
      let all = packets[0] + packets[1]
      #expect(packets[0].count > 10 && packets[1].count > 40)
      for (one, next) in zip(all, all.dropFirst()) {
        #expect(abs(next.time - one.time - length) < 0.000_1)
      }
    }
    #expect(try Examined.luma(paths[1]).count == 45)
  }

  @Test func videoAlone() throws {
    let bench = SinkBench()
    let video = try Encoded.video(frames: 75, from: bench.now + .milliseconds(100))
    bench.sink.setVideo(video.header)
    bench.play(video.packets)
    bench.advance(by: .seconds(1))
    bench.stop()
    let kept = bench.kept
    #expect(kept.map(\.frameSizes.count).reduce(0, +) == 75)
    #expect(kept.first?.initialization.codecs == "avc1.640014")
    let examined = try Examined()
    let path = try examined.write(
      "v.mp4", kept.reduce(into: kept[0].initialization.bytes) { $0 += $1.bytes })
    #expect(try Examined.luma(path).count == 75)
  }

  @Test func audioAlone() throws {
    let bench = SinkBench()
    let audio = try Encoded.audio(packets: 200, from: bench.now + .milliseconds(100))
    bench.sink.setAudio(audio.header)
    bench.play(audio.packets)
    bench.advance(by: .seconds(1))
    bench.stop()
    let kept = bench.kept
    #expect(kept.first?.initialization.codecs == "mp4a.40.2")
    #expect(kept.allSatisfy { $0.beginsWithKeyframe })
    #expect(Set(kept.compactMap(\.segment)).count == 3)
    let examined = try Examined()
    let path = try examined.write(
      "a.mp4", kept.reduce(into: kept[0].initialization.bytes) { $0 += $1.bytes })
    #expect(try Examined.samples(path) == 200 * 1_024)
  }
}
