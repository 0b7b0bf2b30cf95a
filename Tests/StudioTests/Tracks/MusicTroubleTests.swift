// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Encode
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture
@testable import Studio

/// A voice beside music from a real HTTP server that is in trouble, on a virtual clock: the voice is the same, bit by
/// bit, as without music, and each trouble is told. The voice is on the left, and the music on the right.
struct MusicTroubleTests {
  enum Trouble: CaseIterable {
    case stalls, dies, redirects, sendsGarbage, isSlow

    /// The cause that is told.
    var code: String {
      switch self {
      case .stalls: "timed_out"
      case .dies: "ended_by_server"
      case .redirects: "too_many_redirects"
      case .sendsGarbage: "not_media"
      case .isSlow: "server_slow"
      }
    }

    /// Whether some music is heard.
    var isHeard: Bool { self != .redirects && self != .sendsGarbage }

    func answer(_ connection: MusicServer.Connection, _ time: VirtualClock) {
      switch self {
      case .redirects: connection.answer([], "Location: /live\r\n", status: "302 Found")
      case .sendsGarbage:
        var dice = SplitMix64(seed: 4)
        connection.answer((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &dice) })
      case .stalls, .dies, .isSlow:
        connection.send("HTTP/1.0 200 OK\r\nContent-Type: audio/wav\r\n\r\n")
        connection.send(
          TestSound.head(bytes: nil) + TestSound.samples(seconds: self == .isSlow ? 1 : 4))
        if self == .stalls { connection.hold() }
        guard self == .isSlow else { return }
        // Half of what is played.
        let begin = time.now
        var sent = 0.0
        while sent < 2 * Double(MusicTroubleTests.seconds) {
          let due = Double(time.now - begin) / 2e9
          if due > sent {
            guard connection.send(TestSound.samples(seconds: due - sent)) else { return }
            sent = due
          }
          (MediaTime.now() + 300_000).sleepUntil()
        }
      }
    }
  }

  private static let seconds = 30
  private static let encoders = EncoderFactory(
    video: EncoderFactory.libraries.video,
    audio: { (_) throws(AudioEncoderError) in PlainEncoder() })
  /// What is heard of the voice alone.
  private static let plain = Result { try play(nil, VirtualClock()).voice }

  private struct Heard {
    var voice: [Float] = []
    var music: [Float] = []
    var troubles: [MusicTrouble] = []
  }

  private final class Reports: Sendable {
    let troubles = Mutex<[MusicTrouble]>([])
  }

  @Test(arguments: Trouble.allCases) func theVoiceIsUntouched(trouble: Trouble) throws {
    let time = VirtualClock()
    let server = try MusicServer { trouble.answer($0, time) }
    defer {
      server.stop()
      // Lets an answer that goes by the clock end.
      time.advance(by: .seconds(100))
    }
    let heard = try MusicTroubleTests.play(server.url("/live"), time)
    let plain = try MusicTroubleTests.plain.get()
    let count = min(heard.voice.count, plain.count)
    #expect(count > (MusicTroubleTests.seconds - 1) * PCM.sampleRate)
    let isSame = heard.voice.prefix(count) == plain.prefix(count)
    #expect(isSame)
    let loudest = heard.music.reduce(0) { max($0, abs($1)) }
    #expect(trouble.isHeard ? loudest > 0.3 : loudest == 0, "\(loudest)")
    #expect(
      heard.troubles.contains { $0.code == trouble.code && $0.sentence.hasSuffix(".") },
      "\(heard.troubles)")
  }

  /// Lets a voice speak, and plays music from an address; `nil` for none.
  private static func play(_ url: String?, _ time: VirtualClock) throws -> Heard {
    let arrival = Signal()
    let start = time.now
    let voice = PCMQueue(channels: 2, arrival: arrival, clock: time.clock)
    let music = PCMQueue(channels: 2, arrival: arrival, clock: time.clock)
    func track(_ name: String, _ queue: PCMQueue, pan: Double, _ role: AudioTrack.Role)
      -> AudioPipeline.Track
    {
      AudioPipeline.Track(
        name: name, queue: queue,
        adjustment: AudioPipeline.Adjustment(gain: TrackGain(pan: pan), silenceSeconds: 0),
        role: role)
    }
    let sink = SampleSink()
    let renditions = Renditions()
    renditions.add(sink)
    let voiceTrack = track("main", voice, pan: -1, .voice)
    let pipeline = AudioPipeline(
      tracks: url == nil ? [voiceTrack] : [voiceTrack, track("music", music, pan: 1, .music)],
      channels: 2, arrival: arrival, bitrateKbps: 128, renditions: renditions,
      encoders: MusicTroubleTests.encoders, clock: time.clock, fatal: { _ in })
    pipeline.follow(duckDB: 0)
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    let reports = Reports()
    let rules = AddressRules(own: { [] }, verdict: { $0 == [127, 0, 0, 2] ? .global : nil })
    let player = MusicPlayer(net: MusicNet(rules: rules), clock: time.clock) { report in
      guard case .interrupted(let trouble) = report else { return }
      reports.troubles.withLock { $0.append(trouble) }
    }
    let feed = player.makeSource(into: music)
    if let url {
      let address = try #require(MusicAddress(url))
      feed.start()
      player.start(MusicRequest(source: .address(address), loops: false, name: "it"))
    }
    var chunk = [Float](repeating: 0, count: 2 * PCMQueue.chunkFrames)
    for index in 0..<seconds * 50 {
      time.advance(by: .milliseconds(20))
      for frame in 0..<PCMQueue.chunkFrames {
        let place = (index * PCMQueue.chunkFrames + frame) % 4_800
        chunk[2 * frame] = 0.2 * sin(2 * .pi * 440 / 48_000 * Float(place))
      }
      unsafe voice.put(
        chunk, frames: PCMQueue.chunkFrames, startsAt: start + Int64(index) * .milliseconds(20))
      try #require(eventually { voice.first == nil })
      guard url != nil else { continue }
      // Sockets need real time, and the feed its turn.
      (MediaTime.now() + .milliseconds(1)).sleepUntil()
      let soon = MediaTime.now() + .milliseconds(4)
      while time.waitingThreads < 2, MediaTime.now() < soon {
        (MediaTime.now() + 50_000).sleepUntil()
      }
    }
    if url != nil {
      #expect(player.close(by: .now() + .seconds(60)))
      #expect(feed.stop(by: .now() + .seconds(60)))
    }
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    var heard = Heard(troubles: reports.troubles.withLock { $0 })
    let packets = sink.packets
    for (index, packet) in packets.enumerated() {
      let place = PCM.frames(nanos: packet.time - packets[0].time)
      #expect(place == index * PlainEncoder.frames, "no gap")
      for frame in 0..<PlainEncoder.frames {
        heard.voice.append(packet.samples[2 * frame])
        heard.music.append(packet.samples[2 * frame + 1])
      }
    }
    return heard
  }
}
