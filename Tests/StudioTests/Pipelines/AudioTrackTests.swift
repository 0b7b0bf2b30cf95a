// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Encode
import Media
import TestSupport
import Testing

@testable import Studio

/// Two tracks, one of them on the left and one on the right, of which each sample says when it is; and cuts at random.
struct AudioTrackTests {
  private static let names = ["main", "music"]
  /// Sample frames of a test: 400 periods.
  private static let frames = 400 * 480
  /// Sample frames in which a track fades in.
  private static let fadeFrames = 240
  private static let encoders = EncoderFactory(
    video: EncoderFactory.libraries.video,
    audio: { (_) throws(AudioEncoderError) in PlainEncoder() })

  private static func sample(_ frame: Int) -> Float { Float(frame % 20_000 + 1) / 65_536 }

  /// The sample of a track that is heard since the sample frame `first`.
  private static func sample(_ frame: Int, fadingFrom first: Int) -> Float {
    let whole = sample(frame)
    let left = fadeFrames - 1 - (frame - first)
    return left > 0 ? whole + (0 - whole) * (Float(left) / Float(fadeFrames)) : whole
  }

  /// The sample frames of a packet. Those after the end of the sources are not looked at: there they fade out.
  private static func range(_ first: Int) -> Range<Int> {
    min(first, frames)..<min(first + 2 * PlainEncoder.frames, frames)
  }

  /// Of a track that is silenced, no packet of the new scene has anything, no packet at all has a sample that was
  /// captured while it was silenced, and it comes back by fading in from silence. Whoever is not silenced goes on
  /// without a gap. All of that bit by bit, whenever the cut comes.
  @Test(arguments: 0..<12) func aCutSilencesTheTracksThatItNames(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let time = VirtualClock()
    let arrival = Signal()
    let names = AudioTrackTests.names
    let queues = names.map { _ in PCMQueue(channels: 2, arrival: arrival, clock: time.clock) }
    let sink = SampleSink()
    let renditions = Renditions()
    renditions.add(sink)
    let pipeline = AudioPipeline(
      tracks: zip(names, queues).map { AudioPipeline.Track(name: $0, queue: $1) }, channels: 2,
      arrival: arrival, bitrateKbps: 64, renditions: renditions, encoders: AudioTrackTests.encoders,
      clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    var scenes = TestScenes()
    /// For each 10 ms, whether each of the tracks is heard.
    var isHeard: [[Bool]] = []
    func cut() {
      let some: [SilencedTracks] = [
        .none, .named(["main"]), .named(["music"]), .allBut(["music"]),
      ]
      let all = Int.random(in: 0..<8, using: &dice) == 0 ? some + [.all] : some
      let hides = scenes.cut(
        to: all.filter { $0 != scenes.current.silenced }.randomElement(using: &dice) ?? .none,
        now: time.now)
      pipeline.cut(to: scenes.current)
      renditions.begin(video: 0, audio: scenes.current.number, hidesVideo: false, hidesAudio: hides)
    }
    for index in 0..<400 {
      isHeard.append(names.map { scenes.current.heardSince($0) != nil })
      time.advance(by: .milliseconds(10))
      for track in 0..<2 {
        var chunk = [Float](repeating: 0, count: 960)
        for frame in 0..<480 {
          chunk[2 * frame + track] = AudioTrackTests.sample(index * 480 + frame)
        }
        unsafe queues[track].put(
          chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      }
      // At most times the thread works at that moment.
      let isCut = Int.random(in: 0..<8, using: &dice) == 0
      if isCut, Bool.random(using: &dice) {
        for _ in 0..<Int.random(in: 0..<3_000, using: &dice) { _ = time.now }
        cut()
      }
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
      if isCut, Bool.random(using: &dice) { cut() }
      if isCut, Bool.random(using: &dice) { cut() }
    }
    let end = time.now
    time.advance(by: .seconds(1))
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    let packets = sink.packets
    #expect(packets.count > 150)
    // The sample frames at which each track begins to be heard.
    let begins = names.map { name in
      Set(scenes.all.values.compactMap { $0.heardSince(name) }.filter { $0 >= start })
        .map { PCM.frames(nanos: $0 - start) }
    }
    for packet in packets {
      let first = PCM.frames(nanos: packet.time - start)
      var wrong = 0
      for track in 0..<2 {
        let since = scenes.heardSince(names[track], in: packet.scene)
        let fading = begins[track].filter {
          $0 > first - AudioTrackTests.fadeFrames && $0 < first + 2 * PlainEncoder.frames
        }
        for frame in AudioTrackTests.range(first) {
          let sample = packet.samples[2 * (frame - first) + track]
          guard sample != 0 else { continue }
          let isOwn =
            sample == AudioTrackTests.sample(frame)
            || fading.contains {
              frame >= $0 && sample == AudioTrackTests.sample(frame, fadingFrom: $0)
            }
          let captured = start + PCM.nanos(frames: frame)
          if !isOwn || since.map({ captured < $0 }) ?? true || !isHeard[frame / 480][track] {
            wrong += 1
          }
        }
      }
      #expect(wrong == 0, "scene \(packet.scene)")
    }
    var kept = 0
    for (packet, next) in zip(packets, packets.dropFirst()) {
      #expect(packet.scene <= next.scene && packet.time < next.time)
      for (track, name) in names.enumerated() {
        // Heard in both, from before on, and no chunk was cut.
        guard
          let since = scenes.all[next.scene]?.heardSince(name),
          scenes.all[packet.scene]?.heardSince(name) == since,
          since + .milliseconds(15) <= packet.time, next.time <= end
        else { continue }
        if packet.scene != next.scene { kept += 1 }
        let first = PCM.frames(nanos: packet.time - start)
        #expect(PCM.frames(nanos: next.time - start) == first + PlainEncoder.frames)
        let isWhole = (0..<PlainEncoder.frames).allSatisfy {
          packet.samples[2 * $0 + track] == AudioTrackTests.sample(first + $0)
        }
        #expect(isWhole, "\(name) of scene \(packet.scene)")
      }
    }
    #expect(kept > 3)
  }
}
