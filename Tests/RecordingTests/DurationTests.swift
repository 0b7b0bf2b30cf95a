// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux
@testable import Recording

/// A file is as long as what is in it, whatever the frame rate, and whatever is missing.
struct DurationTests {
  private static let seconds = 30

  /// Video with this many frames a second.
  private func video(fps: Int, seconds: Range<Int>) -> [Film.Sample] {
    zip(seconds.lowerBound * fps..<seconds.upperBound * fps, Film.frames(0..<seconds.count * fps))
      .map { number, sample in
        var sample = sample
        sample.time = Film.start + Int64(number) * 1_000_000_000 / Int64(fps)
        return sample
      }
  }

  private func sound(seconds: Range<Int>) -> [Film.Sample] {
    Film.sounds(seconds.lowerBound * 48_000 / 1_024..<seconds.upperBound * 48_000 / 1_024)
  }

  /// The finished files of what is played.
  private func files(_ packets: [Film.Sample]) -> [ReadMovie] {
    let bench = RecorderBench()
    bench.play(packets)
    bench.stop()
    return bench.movies
  }

  @Test(arguments: [1, 5, 10, 60])
  func atEachFrameRate(fps: Int) throws {
    let packets = video(fps: fps, seconds: 0..<Self.seconds)
    let movies = files(packets + sound(seconds: 0..<Self.seconds))
    let movie = try #require(movies.first)
    #expect(movies.count == 1)
    #expect(abs(movie.seconds - Double(Self.seconds)) <= 1 / Double(fps) + 0.03)
    let frames = movie.tracks[0].samples
    #expect(frames.map(\.bytes) == packets.map(\.bytes))
    let frameNanos = 1_000_000_000 / Int64(fps)
    #expect(frames.allSatisfy { abs($0.duration - frameNanos) < 100_000 })
  }

  /// Frames stop for half of the time, such as in a pause that viewers hear alone.
  @Test func aGapInTheVideoKeepsItsLength() throws {
    let packets =
      video(fps: 10, seconds: 0..<10) + video(fps: 10, seconds: 20..<30)
      + sound(seconds: 0..<Self.seconds)
    let movies = files(packets)
    #expect(movies.count == 1)
    let frames = try #require(movies.first).tracks[0].samples
    #expect(abs((movies.first?.seconds ?? 0) - Double(Self.seconds)) < 0.13)
    #expect(frames.count == 200)
    #expect(abs(frames[100].nanos - .seconds(20)) < 1_000_000)
  }

  @Test func aGapInTheSoundKeepsItsPlace() throws {
    let packets =
      video(fps: 10, seconds: 0..<Self.seconds) + sound(seconds: 0..<10) + sound(seconds: 20..<30)
    let movies = files(packets)
    let shown = movies.flatMap { $0.tracks[1].samples }
    #expect(abs(movies.reduce(0) { $0 + $1.seconds } - Double(Self.seconds)) < 0.13)
    // None of the sound from after the gap is earlier than it was.
    let after = try #require(shown.last)
    #expect(abs(after.nanos - .seconds(Int64(Self.seconds))) < .milliseconds(50), "\(after.nanos)")
  }
}
