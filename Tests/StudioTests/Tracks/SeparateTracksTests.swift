// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Director
import Media
import Synchronization
import TestSupport
import Testing

@testable import Studio

/// Audio tracks that are encoded each by itself, on a virtual clock.
@Suite struct SeparateTracksTests {
  private static let frames = 480

  /// The sinks by the names of their tracks.
  private final class Sinks: Sendable {
    private let sinks = Mutex<[String: SampleSink]>([:])
    func make(_ name: String) -> (any PacketSink)? {
      guard name != "no room" else { return nil }
      let sink = SampleSink()
      sinks.withLock { $0[name] = sink }
      return sink
    }
    subscript(_ name: String) -> SampleSink? { sinks.withLock { $0[name] } }
    var names: [String] { sinks.withLock { $0.keys.sorted() } }
  }

  private let time = VirtualClock()
  private let sinks = Sinks()
  private let separate: SeparateTracks

  init() {
    separate = SeparateTracks(
      TrackSinks { [sinks] in sinks.make($0) }, channels: 2, sampleRate: 48_000, bitrateKbps: 64,
      encoders: PrivatePauseTests.encoders, clock: time.clock)
  }

  private func track(_ name: String, gain: Double = 50) -> AudioPipeline.Track {
    AudioPipeline.Track(
      name: name, queue: PCMQueue(channels: 2, clock: time.clock),
      adjustment: AudioPipeline.Adjustment(gain: TrackGain(volume: gain)))
  }

  /// 10 ms of each track at a constant level.
  /// - Parameter waits: whether to wait until it has been encoded.
  private func feed(
    _ tracks: [(track: AudioPipeline.Track, level: Float)], waits: Bool = true
  ) {
    for (track, level) in tracks {
      let chunk = [Float](repeating: level, count: 2 * Self.frames)
      unsafe track.queue.put(chunk, frames: Self.frames, startsAt: time.now)
    }
    time.advance(by: .milliseconds(10))
    // The encoder holds two blocks.
    guard waits else { return }
    #expect(
      eventually {
        sinks.names.allSatisfy {
          sinks[$0]?.packets.last.map { $0.time >= time.now - .milliseconds(200) } ?? false
        }
      })
  }

  /// The levels that were heard between two times, rounded to tenths.
  private func levels(_ name: String, from: MediaTime, to: MediaTime) -> Set<Float> {
    var levels: Set<Float> = []
    for packet in sinks[name]?.packets ?? [] {
      for (place, sample) in packet.samples.enumerated() {
        let at = packet.time + PCM.nanos(frames: place / 2)
        if at >= from, at < to { levels.insert((sample * 10).rounded() / 10) }
      }
    }
    return levels
  }

  private func reaches(_ name: String, _ time: MediaTime) -> Bool {
    eventually {
      self.time.advance(by: .milliseconds(5))
      return sinks[name]?.packets.last.map { $0.time >= time } ?? false
    }
  }

  @Test func eachTrackIsHeardAloneAndSilentInAPause() throws {
    let (main, desk) = (track("main"), track("desk"))
    var scene = AudioScene()
    separate.follow([main, desk, track("no room")]) {
      $0.cut(to: scene)
      return true
    }
    #expect(sinks.names == ["desk", "main"])
    let (mainSink, deskSink) = (try #require(sinks["main"]), try #require(sinks["desk"]))
    // Nothing is encoded before the threads run.
    #expect(
      eventually {
        feed([(main, 0.2), (desk, 0.4)], waits: false)
        return sinks.names.allSatisfy { sinks[$0]?.packets.isEmpty == false }
      })
    let start = time.now
    for _ in 0..<100 { feed([(main, 0.2), (desk, 0.4)]) }
    let pause = time.now
    _ = scene.cut(to: .all, now: pause)
    separate.cut(to: scene)
    for sink in [mainSink, deskSink] { sink.cut(video: 0, audio: scene.number) }
    for _ in 0..<100 { feed([(main, 0.2), (desk, 0.4)]) }
    let back = time.now
    _ = scene.cut(to: .none, now: back)
    separate.cut(to: scene)
    // The desk has gone, and comes back as another source with another volume.
    let other = track("desk", gain: 100)
    separate.follow([main]) { _ in true }
    separate.follow([main, other]) { _ in true }
    for _ in 0..<100 { feed([(main, 0.2), (desk, 0.9), (other, 0.3)]) }
    let end = time.now
    #expect(reaches("main", end) && reaches("desk", end))
    #expect(separate.stop(by: .now() + .seconds(60)))
    let middle = Int64.milliseconds(300)
    #expect(levels("main", from: start + middle, to: pause - middle) == [0.2])
    #expect(levels("desk", from: start + middle, to: pause - middle) == [0.4])
    for name in ["main", "desk"] { #expect(levels(name, from: pause, to: back) == [0]) }
    #expect(levels("main", from: back + middle, to: end - middle) == [0.2])
    #expect(levels("desk", from: back + middle, to: end - middle) == [0.6])
  }

  /// A track that begins when nobody wants the tracks any more is never heard.
  @Test func nothingBeginsWhenItIsNotWanted() {
    let main = track("main")
    separate.follow([main]) { _ in false }
    for _ in 0..<50 { feed([(main, 0.2)], waits: false) }
    separate.silence()
    let desk = track("desk")
    separate.follow([main, desk]) { _ in true }
    for _ in 0..<50 { feed([(main, 0.2), (desk, 0.4)], waits: false) }
    #expect(separate.stop(by: .now() + .seconds(60)))
    #expect(sinks["main"]?.packets.isEmpty == true && sinks["desk"]?.packets.isEmpty == true)
  }
}
