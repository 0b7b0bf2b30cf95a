// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Testing

@testable import Preview

struct PlaylistTests {
  private func text(_ fragments: Fragments) -> String {
    let listed = fragments.listedSegments
    return Playlist.text(
      listed, longest: listed.map(\.duration).max() ?? 0, folder: "preview/")
  }

  /// A fragment with sound alone has the time of its sound, which may be before the frames that have come already.
  @Test func aFragmentWithEarlierSoundShortensNoSegment() {
    let fragments = Fragments()
    var sound = Made.fragment(at: 800)
    sound.duration = 0
    _ = fragments.append(Made.fragment(at: 1_000, key: true))
    _ = fragments.append(sound)
    Made.fill(fragments, from: 6, count: 11)
    #expect(text(fragments).contains("#EXTINF:0.200,"))
  }

  @Test func aPlaylistListsCompleteSegments() {
    let fragments = Fragments()
    Made.fill(fragments, count: 10)
    #expect(fragments.listedSegments.isEmpty, "the first segment goes on")
    Made.fill(fragments, from: 10, count: 15)
    #expect(
      text(fragments) == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:2
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-DISCONTINUITY-SEQUENCE:1
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="preview/1.mp4"
        #EXTINF:2.000,
        preview/0.m4s
        #EXTINF:2.000,
        preview/1.m4s

        """)
    // A new format, after which the segment before it is complete though it is short.
    Made.fill(fragments, from: 25, count: 11, epoch: 2)
    let second = text(fragments)
    #expect(
      second.hasSuffix(
        """
        #EXTINF:1.000,
        preview/2.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-MAP:URI="preview/2.mp4"
        #EXTINF:2.000,
        preview/3.m4s

        """))
    #expect(fragments.segment(3)?.count == 100)
    #expect(fragments.segment(4) == nil, "not complete")
    #expect(fragments.initialization(1) == [1] && fragments.initialization(2) == [2])
    // The first ones leave the list before they leave the store.
    Made.fill(fragments, from: 36, count: 20, epoch: 2)
    let third = text(fragments)
    #expect(third.contains("#EXT-X-MEDIA-SEQUENCE:3\n"))
    #expect(third.contains("#EXT-X-DISCONTINUITY-SEQUENCE:2\n"))
    #expect(!third.contains("#EXT-X-DISCONTINUITY\n"))
  }

  /// The numbers of the listed segments follow each other, whatever was cut away.
  @Test func aCutLeavesNoGapInTheNumbers() {
    let fragments = Fragments()
    Made.fill(fragments, count: 25)
    #expect(fragments.listedSegments.map(\.number) == [0, 1])
    fragments.cut(video: 2, audio: 0)
    #expect(fragments.listedSegments.isEmpty)
    #expect(fragments.segment(1) == nil)
    for index in 30..<55 {
      _ = fragments.append(
        Made.fragment(at: Int64(index) * 200, key: index % 10 == 0, epoch: 2, video: 2))
    }
    #expect(fragments.listedSegments.map(\.number) == [2, 3])
    #expect(fragments.listedSegments.map(\.discontinuities) == [2, 2])
  }

  /// A segment without its beginning is not listed.
  @Test func aSegmentThatLostItsBeginningIsNotListed() {
    let fragments = Fragments()
    Made.fill(fragments, count: 5)
    fragments.cut(video: 0, audio: 2)
    for index in 5..<31 {
      _ = fragments.append(
        Made.fragment(at: Int64(index) * 200, key: index % 10 == 0, audio: 2))
    }
    #expect(fragments.listedSegments.map(\.number) == [0, 1])
    #expect(fragments.listedSegments.first?.time == Made.start + .seconds(2))
  }

  @Test func longKeyframeIntervalsStillGiveASegment() {
    let fragments = Fragments()
    for index in 0..<200 {
      _ = fragments.append(Made.fragment(at: Int64(index) * 200, key: index % 20 == 0))
      if index > 45 { #expect(!fragments.listedSegments.isEmpty) }
    }
  }

  /// What players get: decoded by ffmpeg, across a change of format.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg)))
  func ffmpegPlaysIt() throws {
    let bench = SinkBench()
    let start = bench.now + .milliseconds(500)
    let first = try Encoded.video(frames: 90, from: start) { UInt8(40 + $0) }
    let second = try Encoded.video(
      frames: 91, size: PictureSize(width: 640, height: 360),
      from: start + 90 * Encoded.frameNanos
    ) { UInt8(140 + $0) }
    let audio = try Encoded.audio(packets: 290, from: start)
    let change = second.packets[0].time
    bench.sink.setVideo(first.header)
    bench.sink.setAudio(audio.header)
    bench.play(first.packets + audio.packets.filter { $0.time + SinkBench.audioDelay < change })
    bench.sink.setVideo(second.header)
    bench.play(second.packets + audio.packets.filter { $0.time + SinkBench.audioDelay >= change })
    bench.advance(by: .milliseconds(300))
    bench.stop()
    let examined = try Examined()
    // Without an end, ffmpeg would wait for more.
    let path = try examined.write(
      "preview.m3u8", (text(bench.fragments) + "#EXT-X-ENDLIST\n").utf8)
    for segment in bench.fragments.listedSegments {
      let bytes = try #require(bench.fragments.segment(segment.number))
      _ = try examined.write("preview/\(segment.number).m4s", bytes)
      let initialization = try #require(bench.fragments.initialization(segment.initialization))
      _ = try examined.write("preview/\(segment.initialization).mp4", initialization)
    }
    let luma = try Examined.luma(path)
    #expect(luma.count == 180)
    #expect(zip(luma, luma.dropFirst()).allSatisfy { $0 < $1 + 4 })
    let samples = try Examined.samples(path)
    #expect((270 * 1_024...286 * 1_024).contains(samples))
  }
}
