// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Recording

/// Audio tracks beside the sum, and names from before the clock was set.
struct TracksTests {
  /// A number of packets of audio for some seconds.
  private static func sounds(_ seconds: Range<Int>) -> [Film.Sample] {
    Film.sounds(seconds.lowerBound * 48_000 / 1_024..<seconds.upperBound * 48_000 / 1_024)
  }

  /// A track that comes, and one that goes, begin a new file. Nothing of the sum or the video is missing at the joint.
  @Test func eachTrackIsInTheFilesOfItsTime() throws {
    let bench = RecorderBench()
    let (video, audio) = (Film.frames(0..<900), Self.sounds(0..<30))
    let parts = [0..<10, 10..<20, 20..<30]
    func part<Packets: Sequence<Film.Sample>>(_ packets: Packets, _ seconds: Range<Int>)
      -> [Film.Sample]
    {
      packets.filter { packet in
        let at = (packet.time - Film.start) / 1_000_000_000
        return seconds.contains(Int(at))
      }
    }
    bench.play(part(video + audio, parts[0]))
    let one = try #require(bench.recorder.addAudioTrack("main"))
    let two = try #require(bench.recorder.addAudioTrack("desk"))
    for sink in [one, two] { sink.setAudio(Film.audio) }
    bench.play(
      part(video + audio, parts[1]),
      and: [(one, part(audio, parts[1])), (two, part(audio, parts[1]))])
    bench.recorder.removeAudioTracks()
    // What is still on its way is left out.
    bench.play(part(video + audio, parts[2]), and: [(one, part(audio, 20..<21))])
    bench.stop()
    let movies = bench.movies
    #expect(movies.map(\.tracks.count) == [2, 4, 2])
    #expect(movies.flatMap { $0.tracks[0].samples.map(\.bytes) } == video.map(\.bytes))
    #expect(movies.flatMap { $0.tracks[1].shown } == audio.map(\.bytes))
    for track in movies[1].tracks.dropFirst(2) {
      let heard = track.shown
      #expect(heard == part(audio, parts[1]).map(\.bytes).suffix(heard.count))
      #expect(heard.count > 9 * 46)
    }
  }

  @Test func thereAreAtMostNineTracksAndEachOnce() throws {
    let bench = RecorderBench()
    for number in 1..<Recorder.mostAudioTracks {
      #expect(bench.recorder.addAudioTrack("\(number)") != nil)
    }
    #expect(bench.recorder.addAudioTrack("one more") == nil)
    #expect(bench.recorder.addAudioTrack("3") != nil, "it is there already")
    bench.recorder.removeAudioTracks()
    #expect(bench.recorder.addAudioTrack("one more") != nil)
    bench.stop()
  }

  /// What is reserved for a film is free space for it: a small disk is not full at once.
  @Test func aSmallDiskIsRecordedOn() throws {
    let disk = FakeDisk()
    disk.capacity.store(66_000_000, ordering: .relaxed)
    let bench = RecorderBench(RecorderOptions(keepFreeMB: 20), disk: disk)
    let video = Film.frames(0..<900)
    bench.play(video)
    #expect(bench.recorder.status.state == .recording && bench.recorder.status.gaps == 0)
    #expect(bench.recorder.status.freeBytes ?? 0 > 60_000_000)
    bench.stop()
    #expect(bench.movies.flatMap { $0.tracks[0].samples.map(\.bytes) } == video.map(\.bytes))
  }

  /// A file gets the name of its beginning when the clock was set before its end. It keeps its marks.
  @Test func aFileFromBeforeTheClockWasSetGetsItsName() throws {
    let bench = RecorderBench(clockIsSet: false)
    bench.play(Film.frames(0..<120) + Self.sounds(0..<4))
    #expect(bench.recorder.status.name == "before-clock-000001.mp4")
    bench.setClock()
    bench.play(Film.frames(120..<300) + Self.sounds(4..<10))
    bench.stop()
    // The clock of the bench begins at 19:01:29.
    #expect(bench.disk.names == ["2025-11-25_19-01-29.mp4"])
    #expect(bench.recorder.status.newestName == "2025-11-25_19-01-29.mp4")
    let other = RecorderBench(clockIsSet: false)
    other.play(Film.frames(0..<120))
    other.stop()
    #expect(other.disk.names == ["before-clock-000001.mp4"])
  }
}
