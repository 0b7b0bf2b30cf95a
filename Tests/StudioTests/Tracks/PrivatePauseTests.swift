// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Director
import Encode
import Foundation
import Media
import Mux
import Synchronization
import TestSupport
import Testing

@testable import Preview
@testable import Publish
@testable import Studio

/// What leaves the box while it is paused with `pause.sound = "mute"` or "music": nothing of a microphone, whatever
/// filters it has. A server that takes all at once, a relay that is behind and a viewer of the preview are looked at.
struct PrivatePauseTests {
  enum Sound: CaseIterable {
    case mute
    case music
    var silenced: SilencedTracks { self == .mute ? .all : .allBut(["music"]) }
  }

  /// Chunks of 10 ms of a test.
  private static let chunks = 600
  private static let chunkFrames = 480
  private static let frames = chunks * chunkFrames
  static let encoders = EncoderFactory(
    video: EncoderFactory.libraries.video,
    audio: { (_) throws(AudioEncoderError) in PlainEncoder() })
  private static let filters: [AudioFilterPlan] = [
    .highPass(hertz: 80), .noiseReduction(depthDB: 15), .gate, .deEsser, .compressor, .autoLevel,
  ]

  /// A voice: a tone that comes and goes, with noise.
  private static let voice: [Float] = {
    var dice = SplitMix64(seed: 7)
    return (0..<48_000).map { frame in
      let now = Double(frame) / 48_000
      let tone = 0.25 * sin(2 * .pi * 700 * now) * (0.5 + 0.5 * sin(2 * .pi * 3 * now))
      return Float(tone + Double.random(in: -0.02...0.02, using: &dice))
    }
  }()

  /// Music of which each sample says when it is.
  private static func music(_ frame: Int) -> Float { Float(frame % 20_000 + 1) / 65_536 }

  /// 30 pauses each, 360 with either sound in the full count. In every second test people speak in pauses alone: then
  /// no microphone has anything at any time.
  @Test(arguments: 0..<2 * often(6), Sound.allCases)
  func nothingOfAMicrophoneLeaves(seed: Int, sound: Sound) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let speaksAlways = seed.isMultiple(of: 2)
    let time = VirtualClock()
    let arrival = Signal()
    func track(_ name: String, _ role: AudioTrack.Role) -> AudioPipeline.Track {
      AudioPipeline.Track(
        name: name, queue: PCMQueue(channels: 2, arrival: arrival, clock: time.clock),
        adjustment: AudioPipeline.Adjustment(
          filters: role == .voice ? PrivatePauseTests.filters : []), role: role)
    }
    var tracks = [track("main", .voice), track("guest", .voice), track("music", .music)]
    let (server, relay, preview) = (
      SampleSink(), RelayEnd(clock: time.clock), PreviewEnd(clock: time.clock)
    )
    let renditions = Renditions()
    for sink in [server, relay, preview] as [any PacketSink] { renditions.add(sink) }
    let pipeline = AudioPipeline(
      tracks: tracks, channels: 2, arrival: arrival, bitrateKbps: 64, renditions: renditions,
      encoders: PrivatePauseTests.encoders, clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    var scenes = TestScenes()
    var (pauses, hasGuest, isPaused) = (0, true, [Bool]())
    for index in 0..<PrivatePauseTests.chunks {
      let pausedNow = scenes.current.silenced != .none
      isPaused.append(pausedNow)
      time.advance(by: .milliseconds(10))
      for (number, track) in tracks.enumerated() where number != 1 || hasGuest {
        var chunk = [Float](repeating: 0, count: 2 * PrivatePauseTests.chunkFrames)
        for place in 0..<PrivatePauseTests.chunkFrames {
          let frame = index * PrivatePauseTests.chunkFrames + place
          if number == 2 {
            chunk[2 * place + 1] = PrivatePauseTests.music(frame)
          } else if speaksAlways || pausedNow {
            chunk[2 * place] = PrivatePauseTests.voice[(frame + 9_000 * number) % 48_000]
          }
        }
        unsafe track.queue.put(
          chunk, frames: PrivatePauseTests.chunkFrames,
          startsAt: start + Int64(index) * .milliseconds(10))
      }
      // At most times the thread works at that moment.
      for _ in 0..<Int.random(in: 0..<300, using: &dice) { _ = time.now }
      if Int.random(in: 0..<10, using: &dice) == 0 {
        hasGuest.toggle()
        if hasGuest { tracks[1] = track("guest", .voice) }
        pipeline.follow(hasGuest ? tracks : [tracks[0], tracks[2]])
      }
      if Int.random(in: 0..<15, using: &dice) == 0 {
        var adjustment = tracks[0].present
        adjustment.filters = PrivatePauseTests.filters.filter { _ in
          Bool.random(using: &dice)
        }
        tracks[0].adjust(adjustment)
      }
      if Int.random(in: 0..<9, using: &dice) == 0 {
        let begins = scenes.current.silenced == .none
        if begins { pauses += 1 }
        let hides = scenes.cut(to: begins ? sound.silenced : .none, now: time.now)
        pipeline.cut(to: scenes.current)
        renditions.begin(
          video: 0, audio: scenes.current.number, hidesVideo: false, hidesAudio: hides)
      }
      let isStillPaused = scenes.current.silenced != .none
      if Int.random(in: 0..<4, using: &dice) == 0 { preview.take(isPaused: isStillPaused) }
      if Int.random(in: 0..<8, using: &dice) == 0 { relay.take(isPaused: isStillPaused) }
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
    }
    time.advance(by: .seconds(1))
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    #expect(pauses >= 20)
    let ends: [(name: String, heard: [Heard])] = [
      (
        "server",
        server.packets.map {
          Heard(time: $0.time, scene: $0.scene, samples: $0.samples, isPaused: false)
        }
      ),
      ("relay", relay.heard), ("preview", preview.heard),
    ]
    for (name, heard) in ends {
      var (leaks, voices, musicInPauses) = (0, 0, 0)
      for packet in heard {
        let first = PCM.frames(nanos: packet.time - start)
        let since = scenes.heardSince("main", in: packet.scene)
        let range =
          min(
            first, PrivatePauseTests.frames)..<min(
            first + 2 * PlainEncoder.frames, PrivatePauseTests.frames)
        for frame in range {
          let index = 2 * (frame - first)
          if packet.isPaused, packet.samples[index + 1] != 0 { musicInPauses += 1 }
          guard packet.samples[index] != 0 else { continue }
          voices += 1
          let captured = start + PCM.nanos(frames: frame)
          if !speaksAlways || packet.isPaused || isPaused[frame / PrivatePauseTests.chunkFrames]
            || since.map({ captured < $0 }) ?? true
          {
            leaks += 1
          }
        }
      }
      #expect(leaks == 0, "\(name): \(leaks) samples, of \(pauses) pauses")
      // Each cut drops what waits.
      #expect(heard.count > (name == "server" ? 50 : 5), "\(name)")
      if speaksAlways { #expect(voices > 0, "\(name) hears the room between pauses") }
      if name != "server" { #expect((musicInPauses > 0) == (sound == .music), "\(name)") }
    }
    if sound == .music { checkMusic(server.packets, start) }
  }

  /// The music goes on without a gap, lowered at most while somebody speaks.
  private func checkMusic(_ packets: [SampleSink.Entry], _ start: MediaTime) {
    var wrong = 0
    for packet in packets {
      let first = PCM.frames(nanos: packet.time - start)
      for frame in 0..<2 * PlainEncoder.frames where first + frame < PrivatePauseTests.frames {
        let share = packet.samples[2 * frame + 1] / PrivatePauseTests.music(first + frame)
        if !(0.1...1.001).contains(share) { wrong += 1 }
      }
    }
    #expect(wrong == 0, "samples of the music")
    let starts = packets.map { PCM.frames(nanos: $0.time - start) }
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 == PlainEncoder.frames })
  }
}

/// A packet that has left.
private struct Heard {
  var time: MediaTime
  var scene: UInt32
  var samples: [Float]
  /// Whether it left during a pause.
  var isPaused: Bool

  init(time: MediaTime, scene: UInt32, samples: [Float], isPaused: Bool) {
    (self.time, self.scene, self.samples, self.isPaused) = (time, scene, samples, isPaused)
  }

  /// - Parameter bytes: those of a packet of `PlainEncoder`.
  init(_ packet: QueuedPacket, _ bytes: UnsafeRawBufferPointer, isPaused: Bool) {
    let samples = stride(from: 0, to: bytes.count, by: 4).map {
      unsafe bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
    }
    self.init(time: packet.time, scene: packet.scene, samples: samples, isPaused: isPaused)
  }
}

/// The queue of a relay that is sent now and then.
private final class RelayEnd: PacketSink {
  private let queue: PacketQueue
  private let state = Mutex((heard: [Heard](), known: FormatNumbers()))

  init(clock: MediaClock) {
    queue = PacketQueue(capacity: PacketQueue.maxCapacity, hasVideo: false, clock: clock)
    queue.begin()
  }

  var heard: [Heard] { state.withLock { $0.heard } }
  var takesPackets: Bool { queue.takesPackets }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) { queue.setAudio(header) }
  func cut(video: UInt32, audio: UInt32) { queue.cut(video: video, audio: audio) }
  func offer(_ packet: Packet) { _ = queue.offer(packet) }

  /// Sends everything.
  func take(isPaused: Bool) {
    state.withLock { state in
      while true {
        switch queue.next(known: state.known) {
        case .nothing: return
        case .formats(let packet): state.known = packet.formats
        case .packet(let packet):
          let bytes = unsafe UnsafeRawBufferPointer(
            rebasing: queue.bytes(of: packet).dropFirst(PacketQueue.headroom))
          state.heard.append(unsafe Heard(packet, bytes, isPaused: isPaused))
          queue.finished()
        }
      }
    }
  }
}

/// The queue of the preview.
private final class PreviewEnd: PacketSink {
  private let pending = PendingPackets(delay: PreviewSink.delayNanos)
  private let clock: MediaClock
  private let state = Mutex([Heard]())

  init(clock: MediaClock) { self.clock = clock }

  var heard: [Heard] { state.withLock { $0 } }
  var takesPackets: Bool { pending.isOpen }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) { pending.setAudio(header, now: clock.now) }
  func cut(video: UInt32, audio: UInt32) { pending.cut(video: video, audio: audio) }
  func offer(_ packet: Packet) { _ = pending.offer(packet, now: clock.now) }

  func take(isPaused: Bool) {
    var packets: [QueuedPacket] = []
    var epochs: [Epoch] = []
    pending.take(&packets, &epochs)
    let new = packets.map { unsafe Heard($0, pending.packet($0).bytes, isPaused: isPaused) }
    state.withLock { $0 += new }
    pending.release()
  }
}
