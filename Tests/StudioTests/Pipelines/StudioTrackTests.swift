// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Media
import Settings
import TestSupport
import Testing

@testable import Director
@testable import Studio

/// A studio with several audio tracks and the AAC encoder, on a virtual clock.
struct StudioTrackTests {
  private let time = VirtualClock()
  private let studio: Studio

  init() throws {
    studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { _ in }
  }

  /// Moves the clock when the audio thread and those of the sources have done their work, however busy the machine is.
  private func run(sources: Int, until condition: () -> Bool) -> Bool {
    eventually {
      studio.supervise(time.now)
      guard time.waitingThreads > sources else { return false }
      time.advance(by: .milliseconds(10))
      return condition()
    }
  }

  /// Whether the loudest beep of a second becomes as loud as `peakDB`.
  /// - Parameter sources: how many beep.
  private func hears(_ peakDB: Double, sources: Int) -> Bool {
    var reader = LevelReader()
    var (begin, loudest) = (time.now, AudioLevels.silenceDB)
    return run(sources: sources) {
      loudest = max(loudest, studio.levels(&reader)?.peakDB ?? AudioLevels.silenceDB)
      guard time.now - begin > .milliseconds(1_200) else { return false }
      defer { (begin, loudest) = (time.now, AudioLevels.silenceDB) }
      return abs(loudest - peakDB) < 1
    }
  }

  /// Both tracks beep at the same moment, at -20 dB without gain.
  @Test func tracksJoinAreSilencedByNameAndLeave() throws {
    let user = studio.enter(.audio)
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    user.add(sink)
    #expect(hears(-20, sources: 1))
    let audio = try #require(studio.halves.audio)

    let louder = AudioPipeline.Adjustment(gain: TrackGain(gainDB: 6))
    studio.follow([TrackPlan(name: "music", source: .tone, adjustment: louder)])
    #expect(hears(-20 + 9.5, sources: 2))
    #expect(audio.health(time.now, track: "music") == .good)

    func present(_ silenced: SilencedTracks) {
      studio.present(Plan(video: .camera, audio: .tracks(silenced: silenced), lamp: .live))
    }
    present(.named(["main"]))
    let before = sink.count
    #expect(hears(-20 + 6, sources: 2))
    present(.named(["music"]))
    #expect(hears(-20, sources: 2))
    #expect(sink.taken.dropFirst(before).allSatisfy { $0.scene > 0 })
    present(.none)
    #expect(hears(-20 + 9.5, sources: 2))

    // Another gain goes without a new source, another source is a new track.
    studio.follow([TrackPlan(name: "music", source: .tone)])
    #expect(hears(-20 + 6, sources: 2))
    studio.follow([TrackPlan(name: "music", source: .silence)])
    #expect(hears(-20, sources: 1))
    studio.follow([])
    studio.supervise(time.now)
    #expect(audio.health(time.now, track: "music") == nil)
    #expect(studio.halves.audio === audio && audio.health(time.now) == .good)
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }
}
