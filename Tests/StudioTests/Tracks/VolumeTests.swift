// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Studio

/// The volume of the main track, which follows from the settings and from the volume of all voices.
struct VolumeTests {
  private final class Rounds: Sendable {
    let wanted = Atomic(0)
    let done = Atomic(0)
  }

  /// A change of the settings and one of the voices' volume at the same moment: both count.
  @Test func changesAtTheSameMomentBothCount() throws {
    let time = VirtualClock()
    let studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { _ in }
    let user = studio.enter(.audio)
    studio.supervise(time.now)
    let audio = try #require(studio.halves.audio)
    let makers = try #require(studio.state.withLock { $0.sharedParts?.makers })
    let choices = try [20, 80].map { try StudioTests.settings("audio.volume=\($0)").audio }
    let (rounds, count) = (Rounds(), often(20_000))
    let other = MediaThread(name: "volume", urgency: .ordinary) {
      for round in 1...count {
        while rounds.wanted.load(ordering: .acquiring) < round {}
        audio.set(voiceVolume: round % 100)
        rounds.done.store(round, ordering: .releasing)
      }
    }
    var lost = 0
    for round in 1...count {
      let settings = choices[round % 2]
      rounds.wanted.store(round, ordering: .releasing)
      _ = audio.change(settings, makers: makers, followsBitrate: true, by: .now())
      while rounds.done.load(ordering: .acquiring) < round {}
      let wanted = TrackPlan(settings, voiceVolume: round % 100).adjustment
      if audio.openTracks[0].present != wanted { lost += 1 }
    }
    #expect(lost == 0)
    #expect(other.join(until: .now() + .seconds(30)))
    user.leave()
    studio.supervise(time.now)
  }
}
