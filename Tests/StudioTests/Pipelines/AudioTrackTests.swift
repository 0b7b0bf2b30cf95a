// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Encode
import Media
import Synchronization
import TestSupport
import Testing

@testable import Studio

/// Holds back two blocks, and emits packets of the samples of two blocks, as an AAC encoder does. Its bytes are the
/// samples.
private final class PlainEncoder: AudioEncoder {
  static let frames = 1_024
  let header = AudioHeader(
    audioSpecificConfig: [], sampleRate: 48_000, channels: 1, bitrateKbps: 64)
  let blockFrames = PlainEncoder.frames
  let heldBlocks = 2
  private var held: [(samples: [Float], time: MediaTime, scene: UInt32)] = []

  func change(bitrateKbps: Int) {}

  func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32, emit: (Packet) -> Void
  ) throws(AudioEncoderError) {
    let samples = unsafe Array(UnsafeBufferPointer(start: interleaved, count: blockFrames))
    held.append((samples, startsAt, scene))
    guard held.count > 2 else { return }
    let first = held.removeFirst()
    unsafe (first.samples + held[0].samples).withUnsafeBytes {
      unsafe emit(Packet(kind: .audio, time: first.time, scene: first.scene, bytes: $0))
    }
  }
}

/// Keeps the samples of the packets that a sink takes.
private final class SampleSink: PacketSink {
  struct Entry {
    var time: MediaTime
    var scene: UInt32
    var samples: [Float]
  }

  private let state = Mutex((entries: [Entry](), scenes: PresentScenes()))
  var packets: [Entry] { state.withLock { $0.entries } }
  var takesPackets: Bool { true }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) {}
  func cut(video: UInt32, audio: UInt32) {
    state.withLock { _ = $0.scenes.begin(video: video, audio: audio) }
  }
  func offer(_ packet: Packet) {
    let samples = unsafe Array(packet.bytes.bindMemory(to: Float.self))
    let entry = Entry(time: packet.time, scene: packet.scene, samples: samples)
    state.withLock { state in
      guard !state.scenes.hides(.audio, of: entry.scene) else { return }
      state.entries.append(entry)
    }
  }
}

/// Two tracks of which each sample says of which track and when it is, and cuts at random.
struct AudioTrackTests {
  private static let encoders = EncoderFactory(
    video: EncoderFactory.libraries.video,
    audio: { (_) throws(AudioEncoderError) in PlainEncoder() })

  /// 2⁻²⁰ and 2⁻¹¹ as units: the sum has both.
  private static func sample(_ track: Int, _ frame: Int) -> Float {
    track == 0 ? Float(frame / 480 % 400 + 1) / 1_048_576 : Float(frame % 1_000 + 1) / 2_048
  }

  private static func parts(_ sample: Float) -> [Float] {
    let high = (sample * 2_048).rounded(.down) / 2_048
    return [sample - high, high]
  }

  /// The program of a test: what is silenced from which moment on.
  private struct Scenes {
    var all: [UInt32: AudioScene] = [:]
    var current = AudioScene()

    init() { all[0] = current }

    mutating func cut(to silenced: SilencedTracks, now: MediaTime) -> Bool {
      defer { all[current.number] = current }
      return current.cut(to: silenced, now: now)
    }
  }

  /// Whoever is silenced is in no packet of the new scene, and whoever is not goes on without a gap, whenever the cut
  /// comes.
  @Test(arguments: 0..<12) func aCutSilencesTheTracksThatItNames(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let time = VirtualClock()
    let arrival = Signal()
    let queues = (0..<2).map { _ in PCMQueue(channels: 1, arrival: arrival, clock: time.clock) }
    let names = ["main", "music"]
    let sink = SampleSink()
    let renditions = Renditions()
    renditions.add(sink)
    let pipeline = AudioPipeline(
      tracks: zip(names, queues).map { AudioPipeline.Track(name: $0, queue: $1) }, channels: 1,
      arrival: arrival, bitrateKbps: 64, renditions: renditions, encoders: AudioTrackTests.encoders,
      clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    var scenes = Scenes()
    func cut() {
      let some: [SilencedTracks] = [.none, .named(["main"]), .named(["music"])]
      let all = Int.random(in: 0..<8, using: &dice) == 0 ? some + [.all] : some
      let hides = scenes.cut(
        to: all.filter { $0 != scenes.current.silenced }.randomElement(using: &dice) ?? .none,
        now: time.now)
      pipeline.cut(to: scenes.current)
      renditions.begin(video: 0, audio: scenes.current.number, hidesVideo: false, hidesAudio: hides)
    }
    for index in 0..<400 {
      time.advance(by: .milliseconds(10))
      for track in 0..<2 {
        let chunk = (0..<480).map { AudioTrackTests.sample(track, index * 480 + $0) }
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
    for packet in packets {
      let first = PCM.frames(nanos: packet.time - start)
      // Its second block may be of a later scene.
      let since = names.map { name in
        scenes.all.filter { $0.key >= packet.scene }.compactMap { $1.heardSince(name) }.min()
      }
      var wrong = 0
      for (index, sample) in packet.samples.enumerated() {
        for (track, part) in AudioTrackTests.parts(sample).enumerated() where part != 0 {
          let frame = first + index
          let isOwn = part == AudioTrackTests.sample(track, frame)
          let captured = start + PCM.nanos(frames: frame)
          if !isOwn || since[track].map({ captured < $0 }) ?? true { wrong += 1 }
        }
      }
      #expect(wrong == 0, "scene \(packet.scene)")
    }
    var kept = 0
    for (packet, next) in zip(packets, packets.dropFirst()) {
      #expect(packet.scene <= next.scene && packet.time < next.time)
      for (track, name) in names.enumerated() {
        // Heard in both, and no chunk was cut.
        guard
          let since = scenes.all[next.scene]?.heardSince(name),
          scenes.all[packet.scene]?.heardSince(name) == since,
          since + .milliseconds(10) <= packet.time, next.time <= end
        else { continue }
        if packet.scene != next.scene { kept += 1 }
        let first = PCM.frames(nanos: packet.time - start)
        #expect(PCM.frames(nanos: next.time - start) == first + PlainEncoder.frames)
        let isWhole = packet.samples.prefix(PlainEncoder.frames).enumerated().allSatisfy {
          AudioTrackTests.parts($1)[track] == AudioTrackTests.sample(track, first + $0)
        }
        #expect(isWhole, "\(name) of scene \(packet.scene)")
      }
    }
    #expect(kept > 3)
  }
}
