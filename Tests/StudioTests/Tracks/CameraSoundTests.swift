// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Director
import Media
import TestSupport
import Testing

@testable import Studio

/// The sum of all tracks but those of guests, on a virtual clock.
@Suite struct CameraSoundTests {
  private static let frames = 480

  private let time = VirtualClock()
  private let sink = SampleSink()
  private let camera: CameraSound
  private let sum: AudioPipeline

  init() {
    let renditions = Renditions()
    camera = CameraSound(
      channels: 2, sampleRate: 48_000, bitrateKbps: 64, renditions: renditions,
      encoders: PrivatePauseTests.encoders, clock: time.clock, fatal: { _ in })
    sum = AudioPipeline(
      tracks: [], channels: 2, arrival: Signal(), bitrateKbps: 64, renditions: renditions,
      clock: time.clock, fatal: { _ in })
    renditions.add(sink, choice: .camera)
  }

  private func track(_ name: String) -> AudioPipeline.Track {
    AudioPipeline.Track(name: name, queue: PCMQueue(channels: 2, clock: time.clock))
  }

  /// A second of each track at a constant level.
  /// - Returns: when it began.
  private func feed(_ tracks: [(track: AudioPipeline.Track, level: Float)]) -> MediaTime {
    let begin = time.now
    for _ in 0..<100 {
      for (track, level) in tracks {
        let chunk = [Float](repeating: level, count: 2 * Self.frames)
        unsafe track.queue.put(chunk, frames: Self.frames, startsAt: time.now)
      }
      time.advance(by: .milliseconds(10))
      // The encoder holds two blocks.
      #expect(
        eventually { sink.packets.last.map { $0.time >= time.now - .milliseconds(200) } ?? false })
    }
    return begin
  }

  /// The levels in the middle of a second, rounded to tenths.
  private func levels(_ begin: MediaTime) -> Set<Float> {
    let middle = begin + .milliseconds(300)..<begin + .milliseconds(700)
    var levels: Set<Float> = []
    for packet in sink.packets {
      for (place, sample) in packet.samples.enumerated()
      where middle.contains(packet.time + PCM.nanos(frames: place / 2)) {
        levels.insert((sample * 10).rounded() / 10)
      }
    }
    return levels
  }

  @Test func guestsAreNotInIt() {
    let (main, desk, guest) = (
      track("main"), track("desk"), track(GuestScene.track("anna"))
    )
    var scene = AudioScene()
    camera.cut(to: scene)
    camera.follow([main, guest], bitrateKbps: 64, sum: sum)
    camera.start()
    // Nothing is encoded before its thread runs.
    #expect(
      eventually {
        let chunk = [Float](repeating: 0, count: 2 * Self.frames)
        unsafe main.queue.put(chunk, frames: Self.frames, startsAt: time.now)
        time.advance(by: .milliseconds(10))
        return !sink.packets.isEmpty
      })
    let alone = feed([(main, 0.2), (guest, 0.5)])
    camera.follow([main, guest, desk], bitrateKbps: 64, sum: sum)
    let both = feed([(main, 0.2), (guest, 0.5), (desk, 0.3)])
    camera.follow([main, desk], bitrateKbps: 64, sum: sum)
    camera.follow([main], bitrateKbps: 64, sum: sum)
    let again = feed([(main, 0.2), (desk, 0.3)])
    _ = scene.cut(to: .all, now: time.now)
    camera.cut(to: scene)
    let paused = feed([(main, 0.2)])
    #expect(camera.stop(by: .now() + .seconds(60)))
    #expect(levels(alone) == [0.2])
    #expect(levels(both) == [0.5])
    #expect(levels(again) == [0.2])
    #expect(levels(paused) == [0])
  }
}
