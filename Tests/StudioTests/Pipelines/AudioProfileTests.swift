// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Studio

/// A studio whose sound has a lower sample rate, on a virtual clock.
struct AudioProfileTests {
  private let time = VirtualClock()

  private func run(_ studio: Studio, until condition: () -> Bool) -> Bool {
    eventually {
      studio.supervise(time.now)
      guard time.waitingThreads > 1 else { return false }
      time.advance(by: .milliseconds(10))
      return condition()
    }
  }

  /// 1,024 samples a packet, without a gap: 21.3 ms at 48 kHz, 64 ms at 16 kHz, 128 ms at 8 kHz.
  @Test(arguments: [("basic", 64), ("low", 128)])
  func packetsFollowOneAnother(profile: String, milliseconds: Int64) throws {
    let studio = Studio(
      settings: try StudioTests.settings("audio.profile=\(profile)"), clock: time.clock
    ) { _ in }
    let user = studio.enter(.audio)
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    user.add(sink)
    #expect(run(studio) { sink.count > 20 })
    let times = sink.taken.map(\.time)
    for (before, after) in zip(times, times.dropFirst()) {
      #expect(abs(after - before - .milliseconds(milliseconds)) < 1_000)
    }
    // The tone beeps once a second.
    var reader = LevelReader()
    #expect(run(studio) { studio.levels(&reader)?.peakDB ?? -100 > -25 })
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }

  /// As another number of channels, another rate takes another encoder, when a broadcast begins.
  @Test func aBroadcastBeginsWithTheProfileOfTheSettings() throws {
    let studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { _ in }
    let view = studio.enter(.audio)
    studio.supervise(time.now)
    weak let audio = studio.halves.audio
    studio.change(try StudioTests.settings("audio.profile=low", "audio.channels=2"))
    studio.supervise(time.now)
    #expect(audio != nil && studio.halves.audio === audio)
    let broadcast = studio.enter(.audio, leads: true)
    studio.supervise(time.now)
    #expect(studio.halves.audio != nil && studio.halves.audio !== audio)
    view.leave()
    broadcast.leave()
    studio.supervise(time.now)
  }
}
