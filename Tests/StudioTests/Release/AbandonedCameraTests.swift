// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Director
@testable import Studio

/// A camera with a mask whose thread does not end when another camera takes its place, on a clock that the test moves.
@Suite struct AbandonedCameraTests {
  private let time = VirtualClock()
  private let studio: Studio
  private let sink = QueueSink(capacity: 100_000)
  private let record = Looking.Record()
  private let made = Made()

  private final class Made: Sendable {
    let all = Mutex<[FakeCamera]>([])
  }

  init() throws {
    let made = self.made
    studio = Studio(
      settings: try Self.settings(
        "video.source=camera:/dev/video0", "filter.window.kind=mask", "filter.window.x=0.4",
        "filter.window.y=0.4", "filter.window.width=0.2", "filter.window.height=0.2"),
      encoders: record.factory, clock: time.clock,
      cameras: { _, frames, _, report in
        let camera = FakeCamera(frames, report)
        made.all.withLock { $0.append(camera) }
        return camera
      }
    ) { _ in }
  }

  private static func settings(_ overrides: String...) throws -> Settings {
    try Configuration.load(
      file: nil, overrides: ["video.size=160x90", "audio.source=silence"] + overrides,
      environment: [:]
    ).settings
  }

  /// Lets time pass, with the supervisor's looks each 50 ms, until a condition holds.
  private func run(until condition: () -> Bool) -> Bool {
    var looked = MediaTime.distantPast
    return eventually {
      time.advance(by: .milliseconds(5))
      if time.now - looked >= .milliseconds(50) {
        looked = time.now
        studio.present(Plan(video: .camera, audio: .microphone, lamp: .live))
        studio.supervise(time.now)
      }
      for camera in made.all.withLock({ $0 }) { camera.work(time.now) }
      return condition()
    }
  }

  private var count: Int { record.frames.withLock { $0.count } }

  /// Luma of the newest frame in a corner, and behind the mask.
  private var seen: [UInt8]? { record.frames.withLock { $0.last.map { [$0.open, $0.middle] } } }

  @Test func itsMaskCountsUntilItHasEnded() throws {
    let user = studio.enter(.video)
    sink.start()
    user.add(sink, isMain: true)
    #expect(run { seen == [90, 16] })
    let first = try #require(made.all.withLock { $0.first })
    first.state.withLock { $0.goesOn = true }
    let before = count
    studio.change(try Self.settings("video.source=camera:/dev/video1"))
    #expect(run { made.all.withLock { $0.count } == 2 })
    // Frames of both cameras come, and nobody can tell them apart.
    var last = time.now
    #expect(
      run {
        if time.now - last >= .milliseconds(40) {
          last = time.now
          first.deliver(capturedAt: last)
        }
        return count >= before + 60
      })
    #expect(seen == [90, 16])
    record.frames.withLock { all in #expect(all.allSatisfy { $0.middle == 16 }) }
    // One is still in the queue when it ends.
    first.deliver(capturedAt: time.now)
    first.state.withLock { $0.goesOn = false }
    #expect(run { seen == [90, 90] })
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }
}
