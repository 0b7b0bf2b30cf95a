// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Preview

/// A pause hides from the preview what it hides from viewers.
struct CutTests {
  /// Feeds video and audio of scene 1 for two seconds.
  private func bench() throws -> (SinkBench, start: MediaTime, end: MediaTime) {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(500)
    let video = try Encoded.video(frames: 60, from: start, scene: 1)
    let audio = try Encoded.audio(packets: 90, from: start, scene: 1)
    bench.sink.setVideo(video.header)
    bench.sink.setAudio(audio.header)
    bench.play(video.packets + audio.packets)
    return (bench, start, start + 60 * Encoded.frameNanos)
  }

  @Test func aPauseHidesWhatWasMade() throws {
    let (bench, _, end) = try bench()
    var before = ReaderCursor()
    var joins = ReaderCursor()
    #expect(bench.read(&before).count > 3)
    #expect(bench.kept.count > 8)
    bench.advance(by: .milliseconds(50))

    bench.sink.cut(video: 2, audio: 2)
    #expect(bench.kept.isEmpty)
    #expect(bench.fragments.size.bytes == 0)
    #expect(bench.sink.needsKeyframe)
    #expect(bench.sink.dueAt == .distantFuture, "nothing of the old scene waits")
    #expect(bench.read(&before).isEmpty && bench.read(&joins).isEmpty)

    // The rest of the old scene, which an encoder still had.
    let late = try Encoded.video(frames: 3, from: end + .milliseconds(10), scene: 1)
    bench.play(late.packets)
    let still = try Encoded.video(frames: 30, from: end + .milliseconds(200), scene: 2) { _ in 90 }
    let silence = try Encoded.audio(packets: 45, from: end + .milliseconds(200), scene: 2)
    bench.sink.setVideo(still.header)
    bench.play(still.packets + silence.packets)
    bench.advance(by: .milliseconds(300))
    bench.stop()
    #expect(bench.kept.allSatisfy { $0.videoScene >= 2 && $0.audioScene >= 2 })
    #expect(bench.kept.map(\.frameSizes.count).reduce(0, +) == 30)
    // Both readers get the new scene with its initialization.
    for cursor in [before, joins] {
      var cursor = cursor
      let chunks = bench.read(&cursor)
      #expect(chunks.first?.isInitialization == true)
      #expect(chunks.count == bench.kept.count + 1)
    }
  }

  /// A mute hides the audio that nobody has heard yet; video goes on without a new keyframe.
  @Test func aMuteKeepsTheVideo() throws {
    let (bench, start, end) = try bench()
    var cursor = ReaderCursor()
    let more = try Encoded.video(frames: 75, from: start, scene: 1, keyEvery: 100)
    // Frames of the same encoder's course wait in the ring.
    for packet in more.packets[60..<64] {
      bench.advance(to: packet.time)
      packet.offer(to: bench.sink)
    }
    let first = bench.read(&cursor)
    let before = bench.kept.map(\.frameSizes.count).reduce(0, +)
    bench.sink.cut(video: 0, audio: 2)
    #expect(!bench.sink.needsKeyframe)
    let muted = try Encoded.audio(packets: 20, from: end + .milliseconds(100), scene: 2)
    bench.play(Array(more.packets[64...]) + muted.packets)
    bench.advance(by: .milliseconds(300))
    bench.stop()
    #expect(!first.isEmpty)
    #expect(bench.kept.allSatisfy { $0.audioScene >= 2 })
    let chunks = bench.read(&cursor)
    #expect(chunks.count >= 2 && chunks.allSatisfy { !$0.isInitialization })
    #expect(bench.kept.map(\.frameSizes.count).reduce(0, +) == 75 - before)
  }

  /// A mute without video, when the first fragment has not been made yet, and later.
  @Test func aMuteOfAudioAlone() throws {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(100)
    let loud = try Encoded.audio(packets: 80, from: start, scene: 1)
    let silent = try Encoded.audio(
      packets: 80, from: start + .milliseconds(1_800), scene: 2)
    bench.sink.setAudio(loud.header)
    bench.play(Array(loud.packets[..<4]))
    bench.sink.cut(video: 0, audio: 1)
    bench.play(Array(loud.packets[4...]))
    bench.sink.cut(video: 0, audio: 2)
    #expect(bench.kept.isEmpty)
    bench.play(silent.packets)
    bench.advance(by: .seconds(1))
    bench.stop()
    #expect(bench.kept.count > 5)
    #expect(bench.kept.allSatisfy { $0.audioScene == 2 && $0.beginsWithKeyframe })
  }

  /// A cut that comes while the fragment is being made.
  @Test func aFragmentOfAnEarlierSceneIsRefused() {
    let fragments = Fragments()
    fragments.cut(video: 3, audio: 4)
    #expect(!fragments.append(Made.fragment(at: 0, video: 2, audio: 4)))
    #expect(!fragments.append(Made.fragment(at: 0, video: 3, audio: 3)))
    #expect(fragments.append(Made.fragment(at: 0, video: 3, audio: 4)))
    #expect(fragments.append(Made.fragment(at: 0, video: 5, audio: .max)))
  }
}
