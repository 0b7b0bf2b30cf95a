// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Director
import Media
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Studio

/// What headphones get to hear, and what becomes of the rest when they fail.
@Suite struct StudioMonitorTests {
  /// The largest sample in a queue, by the time of its chunk.
  private func levels(_ queue: PCMQueue) throws -> [(at: MediaTime, level: Float)] {
    var samples = [Float](repeating: 0, count: PCMQueue.chunkFrames)
    var found: [(at: MediaTime, level: Float)] = []
    try unsafe samples.withUnsafeMutableBufferPointer { buffer in
      let base = try unsafe #require(buffer.baseAddress)
      while let chunk = unsafe queue.takeNow(into: base) {
        found.append((chunk.startsAt, unsafe buffer.prefix(chunk.frames).max() ?? 0))
      }
    }
    return found
  }

  /// In a pause the programme is silent on the headphones, too. A track is heard as its source delivers it.
  @Test func whatIsPrivateIsNotInTheProgramme() throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queue = PCMQueue(channels: 1, capacity: 200, arrival: arrival, clock: time.clock)
    let track = AudioPipeline.Track(
      name: "main", queue: queue,
      adjustment: AudioPipeline.Adjustment(gain: TrackGain(gainDB: -20)))
    let pipeline = AudioPipeline(
      tracks: [track], channels: 1, arrival: arrival, bitrateKbps: 64, renditions: Renditions(),
      clock: time.clock, fatal: { _ in })
    let (programme, voice) = (
      PCMQueue(channels: 1, capacity: 500), PCMQueue(channels: 1, capacity: 500)
    )
    pipeline.programme.add(programme)
    queue.tap.add(voice)
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    let chunk = [Float](repeating: 0.25, count: 480)
    var scene = AudioScene()
    var paused: [Range<MediaTime>] = []
    var pausedAt: MediaTime?
    for index in 0..<400 {
      time.advance(by: .milliseconds(10))
      unsafe queue.put(chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
      guard index % 37 == 36 else { continue }
      _ = scene.cut(to: pausedAt == nil ? .all : .none, now: time.now)
      pipeline.cut(to: scene)
      if let began = pausedAt { paused.append(began..<time.now) }
      pausedAt = pausedAt == nil ? time.now : nil
    }
    let heard = try levels(programme)
    #expect(heard.contains { $0.level > 0.02 } && heard.allSatisfy { $0.level < 0.03 })
    // A chunk has up to 20 ms.
    for (at, level) in heard
    where paused.contains(where: { $0.contains(at) && $0.contains(at + .milliseconds(20)) }) {
      #expect(level == 0, "\(at - start)")
    }
    let said = try levels(voice)
    #expect(said.count == 400 && said.allSatisfy { $0.level == 0.25 })
    // Nobody listens any more.
    queue.tap.remove(voice)
    unsafe queue.put(chunk, frames: 480, startsAt: time.now)
    #expect(voice.first == nil)
    let ended = Signal()
    let mover = MediaThread(name: "clock", urgency: .ordinary) { [time] in
      while !ended.wait(until: .now() + .milliseconds(1)) { time.advance(by: .milliseconds(10)) }
    }
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    ended.signal()
    #expect(mover.join(until: .now() + .seconds(60)))
  }

  /// Headphones that are not there are told, and nothing else changes; so are settings that change meanwhile.
  @Test func headphonesThatAreMissingHarmNothing() throws {
    let codes = Mutex<[String]>([])
    let studio = Studio(
      settings: try StudioTests.settings("audio.monitor=hw:31,7", "audio.monitor_source=main")
    ) { report in
      switch report {
      case .monitor(let report): codes.withLock { $0.append(report.code) }
      case .monitorClosed: codes.withLock { $0.append("closed") }
      default: break
      }
    }
    #expect(studio.monitor?.isOpen == false)
    let user = studio.enter([.audio])
    #expect(studio.adjust())
    #expect(eventually { codes.withLock { $0 } == ["missing"] })
    #expect(studio.monitor?.report?.code == "missing" && studio.monitor?.delayNanos == nil)
    #expect(eventually { studio.halves.audio?.hasDelivered == true })
    studio.change(
      try StudioTests.settings("audio.monitor=hw:31,7", "audio.monitor_volume=100"))
    #expect(studio.adjust())
    // Another source is another beginning.
    #expect(eventually { codes.withLock { $0 } == ["missing", "missing"] })
    #expect(studio.monitor?.settings.gain == 2)
    studio.change(try StudioTests.settings())
    #expect(studio.adjust())
    #expect(codes.withLock { $0 } == ["missing", "missing", "closed"])
    #expect(studio.monitor == nil)
    #expect(studio.health(.now()).audio == .good)
    withExtendedLifetime(user) {}
    #expect(studio.stop(by: .now() + .seconds(30)))
  }
}
