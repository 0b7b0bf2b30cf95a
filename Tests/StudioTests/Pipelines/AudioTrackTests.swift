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
    audioSpecificConfig: [], sampleRate: 48_000, channels: 2, bitrateKbps: 64)
  let blockFrames = PlainEncoder.frames
  let heldBlocks = 2
  private var held: [(samples: [Float], time: MediaTime, scene: UInt32)] = []

  func change(bitrateKbps: Int) {}

  func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32, emit: (Packet) -> Void
  ) throws(AudioEncoderError) {
    let samples = unsafe Array(UnsafeBufferPointer(start: interleaved, count: 2 * blockFrames))
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

  /// The program of a test: what is silenced from which moment on.
  private struct Scenes {
    var all: [UInt32: AudioScene] = [:]
    var current = AudioScene()

    init() { all[0] = current }

    mutating func cut(to silenced: SilencedTracks, now: MediaTime) -> Bool {
      defer { all[current.number] = current }
      return current.cut(to: silenced, now: now)
    }

    /// From when on a track is heard in a packet of this scene, whose samples may be of a later one.
    func heardSince(_ name: String, in packet: UInt32) -> MediaTime? {
      all.filter { $0.key >= packet }.compactMap { $1.heardSince(name) }.min()
    }
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
    var scenes = Scenes()
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
  /// 300 pauses with `pause.sound = "music"` or "mute", while a guest joins and leaves: no packet has a sample of a
  /// microphone from a pause, and none of a pause has one from before. With "music", the music goes on without a gap.
  @Test(arguments: 0..<12) func aPauseHidesEveryMicrophone(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let time = VirtualClock()
    let arrival = Signal()
    func track(_ name: String) -> AudioPipeline.Track {
      AudioPipeline.Track(
        name: name, queue: PCMQueue(channels: 2, arrival: arrival, clock: time.clock))
    }
    var tracks = ["main", "guest", "music"].map(track)
    let sink = SampleSink()
    let renditions = Renditions()
    renditions.add(sink)
    let pipeline = AudioPipeline(
      tracks: tracks, channels: 2, arrival: arrival, bitrateKbps: 64, renditions: renditions,
      encoders: AudioTrackTests.encoders, clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    let paused: SilencedTracks = seed % 4 == 0 ? .all : .allBut(["music"])
    var scenes = Scenes()
    var (pauses, hasGuest, isRoomHeard) = (0, true, [Bool]())
    for index in 0..<400 {
      isRoomHeard.append(scenes.current.silenced == .none)
      time.advance(by: .milliseconds(10))
      for (number, track) in tracks.enumerated() where number != 1 || hasGuest {
        var chunk = [Float](repeating: 0, count: 960)
        for frame in 0..<480 {
          chunk[2 * frame + number / 2] = AudioTrackTests.sample(index * 480 + frame)
        }
        unsafe track.queue.put(
          chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      }
      for _ in 0..<Int.random(in: 0..<300, using: &dice) { _ = time.now }
      if Int.random(in: 0..<10, using: &dice) == 0 {
        hasGuest.toggle()
        if hasGuest { tracks[1] = track("guest") }
        pipeline.follow(hasGuest ? tracks : [tracks[0], tracks[2]])
      }
      if Int.random(in: 0..<7, using: &dice) == 0 {
        let isPaused = scenes.current.silenced == .none
        if isPaused { pauses += 1 }
        let hides = scenes.cut(to: isPaused ? paused : .none, now: time.now)
        pipeline.cut(to: scenes.current)
        renditions.begin(
          video: 0, audio: scenes.current.number, hidesVideo: false, hidesAudio: hides)
      }
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
    }
    time.advance(by: .seconds(1))
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    #expect(pauses >= 20 && sink.packets.count > (paused == .all ? 50 : 150))
    var (leaks, gaps) = (0, 0)
    for packet in sink.packets {
      let first = PCM.frames(nanos: packet.time - start)
      let since = scenes.heardSince("main", in: packet.scene)
      for frame in AudioTrackTests.range(first) {
        let index = 2 * (frame - first)
        if packet.samples[index] != 0 {
          let captured = start + PCM.nanos(frames: frame)
          if !isRoomHeard[frame / 480] || since.map({ captured < $0 }) ?? true { leaks += 1 }
        }
        if paused != .all, packet.samples[index + 1] != AudioTrackTests.sample(frame) { gaps += 1 }
      }
    }
    #expect(leaks == 0 && gaps == 0, "\(leaks) \(gaps) \(pauses)")
    guard paused != .all else { return }
    let starts = sink.packets.map { PCM.frames(nanos: $0.time - start) }
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 == PlainEncoder.frames })
  }
}
