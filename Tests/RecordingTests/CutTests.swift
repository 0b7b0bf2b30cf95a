// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Mux
@testable import Recording

/// Files that follow one another are the stream: nothing is missing or twice.
struct CutTests {
  /// Plays some seconds of video and audio, and compares what is in the files.
  private func compare(seconds: Int, _ options: RecorderOptions) throws -> [ReadMovie] {
    let bench = RecorderBench(options)
    let video = Film.frames(0..<seconds * 30)
    let audio = Film.sounds(0..<seconds * 48_000 / 1_024)
    bench.play(video + audio)
    bench.stop()
    let movies = bench.movies
    #expect(movies.flatMap { $0.tracks[0].samples.map(\.bytes) } == video.map(\.bytes))
    #expect(movies.flatMap { $0.tracks[1].shown } == audio.map(\.bytes))
    for (number, movie) in movies.enumerated() {
      // Video begins with a keyframe at 0; audio has the packet before it, which is not heard.
      #expect(movie.tracks[0].syncs.first == 1 && movie.tracks[0].samples[0].nanos == 0)
      let first = try #require(movie.tracks[1].samples.first)
      #expect(number == 0 || first.nanos < 0)
    }
    return movies
  }

  @Test func byLength() throws {
    let minutes = countsAreFull ? 60 : 3
    let movies = try compare(
      seconds: minutes * 60, RecorderOptions(cutMinutes: 1, keepFreeMB: 0))
    #expect(movies.count == minutes)
    #expect(movies.allSatisfy { abs($0.seconds - 60) < 2.1 }, "\(movies.map(\.seconds))")
    #expect(abs(movies.reduce(0) { $0 + $1.seconds } - Double(minutes * 60)) < 0.5)
  }

  @Test func bySize() throws {
    let minutes = countsAreFull ? 60 : 3
    let movies = try compare(
      seconds: minutes * 60, RecorderOptions(cutMinutes: 0, cutMB: 1, keepFreeMB: 0))
    #expect(movies.count >= minutes / 6 + 1)
  }

  /// While no video comes, sound has a file of its own. The last of its sound comes after the video is back.
  @Test func withoutVideo() {
    let bench = RecorderBench()
    let video = Film.frames(0..<150) + Film.frames(600..<750)
    let audio = Film.sounds(0..<25 * 48_000 / 1_024)
    bench.play(video + audio)
    bench.stop()
    let movies = bench.movies
    #expect(movies.map(\.tracks.count) == [2, 1, 2])
    let tracks = movies.flatMap(\.tracks)
    #expect(tracks.filter(\.isVideo).flatMap { $0.samples.map(\.bytes) } == video.map(\.bytes))
    #expect(tracks.filter { !$0.isVideo }.flatMap(\.shown) == audio.map(\.bytes))
  }
}
