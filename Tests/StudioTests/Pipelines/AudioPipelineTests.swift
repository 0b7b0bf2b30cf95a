// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Glibc
import Media
import TestSupport
import Testing

@testable import Studio

/// The audio thread with two tracks, on a virtual clock.
struct AudioPipelineTests {
  /// The second track stalls: the first does not wait for it for longer than a moment, and no packet is missing.
  @Test func aTrackThatStallsDoesNotHoldUpTheOthers() throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queues = (0..<2).map { _ in
      PCMQueue(channels: 1, capacity: 200, arrival: arrival, clock: time.clock)
    }
    let sink = RecordingSink(clock: time.clock)
    let renditions = Renditions()
    renditions.add(sink)
    let tracks = queues.enumerated().map { AudioPipeline.Track(name: "\($0)", queue: $1) }
    let pipeline = AudioPipeline(
      tracks: tracks, channels: 1, arrival: arrival,
      bitrateKbps: 64, renditions: renditions, clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    // The thread has begun, and waits for audio.
    try #require(eventually { time.awaitedDeadline > start })
    let chunk = [Float](repeating: 0.25, count: 480)
    for index in 0..<200 {
      let startsAt = start + Int64(index) * .milliseconds(10)
      unsafe queues[0].put(chunk, frames: 480, startsAt: startsAt)
      if index < 20 { unsafe queues[1].put(chunk, frames: 480, startsAt: startsAt) }
      time.advance(by: .milliseconds(10))
      // The first track waits for the second until 200 ms after its last chunk.
      if (20..<39).contains(index) { continue }
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
    }
    // Two seconds, less the samples of an unfinished block and the packet that the encoder holds.
    let wanted = 2 * PCM.sampleRate / 1_024 - 2
    #expect(eventually { sink.count >= wanted })
    // The thread waits on the virtual clock.
    let ended = Signal()
    let mover = MediaThread(name: "clock", urgency: .ordinary) { [time] in
      while !ended.wait(until: .now() + .milliseconds(1)) {
        time.advance(by: .milliseconds(10))
      }
    }
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    ended.signal()
    #expect(mover.join(until: .now() + .seconds(60)))
    let times = sink.packets.map(\.time)
    let steps = Set(zip(times, times.dropFirst()).map { ($1 - $0) / 1_000 })
    #expect(steps.isSubset(of: [21_333, 21_334]))
    #expect(pipeline.counters.late.count == 0 && pipeline.chunksDropped == 0)
    let hasBeaten = tracks.map { $0.sourcePulse.hasBeaten }
    #expect(hasBeaten == [true, true])
  }

  /// A packet leaves with the microphone's period that has the last sample it needs. libavcodec's encoder needs the
  /// 2,048 samples of a packet and 1,024 more, and the limiter looks at 96 after those: 66 ms. The period adds up to
  /// 10 ms. A frame that leaves a camera 35 ms after its capture is then at most 41 ms ahead of its sound.
  @Test func audioLeavesSoonAfterItsCapture() throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queue = PCMQueue(channels: 1, capacity: 200, arrival: arrival, clock: time.clock)
    let sink = RecordingSink(clock: time.clock)
    let renditions = Renditions()
    renditions.add(sink)
    let pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(name: "main", queue: queue)], channels: 1, arrival: arrival,
      bitrateKbps: 64, renditions: renditions, clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    let chunk = [Float](repeating: 0.25, count: 480)
    for index in 0..<300 {
      // A period is complete at its end.
      time.advance(by: .milliseconds(10))
      unsafe queue.put(chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
    }
    let packets = sink.packets
    #expect(packets.count >= 3 * PCM.sampleRate / 1_024 - 2)
    for packet in packets {
      let needed = PCM.frames(nanos: packet.time - start) + 3 * 1_024 + 96
      let periods = (needed + 479) / 480
      #expect(packet.offeredAt == start + Int64(periods) * .milliseconds(10))
      #expect(packet.offeredAt - packet.time <= .milliseconds(35 + 41))
    }
    let ended = Signal()
    let mover = MediaThread(name: "clock", urgency: .ordinary) { [time] in
      while !ended.wait(until: .now() + .milliseconds(1)) {
        time.advance(by: .milliseconds(10))
      }
    }
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    ended.signal()
    #expect(mover.join(until: .now() + .seconds(60)))
  }

  /// The encoder adds more to peaks the less it may spend, so the limiter's ceiling follows the bit rate: -1 dBTP, and -2
  /// below 96 kbit/s. Its samples stay half a decibel below that.
  @Test func lowBitRatesLeaveMoreRoomForPeaks() throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queue = PCMQueue(channels: 2, arrival: arrival, clock: time.clock)
    let sink = SampleSink()
    let renditions = Renditions()
    renditions.add(sink)
    let encoders = EncoderFactory(
      video: EncoderFactory.libraries.video,
      audio: { (_) throws(AudioEncoderError) in PlainEncoder() })
    let pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(name: "main", queue: queue)], channels: 2, arrival: arrival,
      bitrateKbps: 128, renditions: renditions, encoders: encoders, clock: time.clock,
      fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    // Periods of 100 samples, 6 dB too loud.
    let chunk = (0..<960).map { 2 * sin(2 * Float.pi * Float($0 / 2) / 100) }
    for index in 0..<300 {
      let kbps = (100..<200).contains(index) ? 64 : 96
      if index % 100 == 0 { pipeline.follow(bitrateKbps: kbps) }
      time.advance(by: .milliseconds(10))
      // 4.8 periods: the sign of every chunk fits the one before.
      let shifted = (0..<960).map { chunk[($0 + index * 160) % 200] }
      unsafe queue.put(shifted, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
    }
    #expect(pipeline.stop(by: .now() + .seconds(60)))
    func peak(_ seconds: ClosedRange<Double>) -> Double {
      let packets = sink.packets.filter { seconds.contains(Double($0.time - start) / 1e9) }
      return 20 * log10(Double(packets.flatMap(\.samples).map { abs($0) }.max() ?? 0))
    }
    for (seconds, ceiling) in [(0.2...0.9, -1.5), (1.2...1.9, -2.5), (2.2...2.9, -1.5)] {
      #expect(abs(peak(seconds) - ceiling) < 0.05, "\(peak(seconds)) dBFS at \(seconds) s")
    }
  }

  /// A packet of a scene holds no sample from before it: neither when a scene begins with the same sound, as at the
  /// beginning of a broadcast, nor when a mute is taken back before the thread has seen it.
  @Test(arguments: [false, true]) func aSceneBeginsWithItsOwnSamples(isMuted: Bool) throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queue = PCMQueue(channels: 1, capacity: 200, arrival: arrival, clock: time.clock)
    let sink = RecordingSink(clock: time.clock)
    let renditions = Renditions()
    renditions.add(sink)
    let pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(name: "main", queue: queue)], channels: 1, arrival: arrival,
      bitrateKbps: 64, renditions: renditions, clock: time.clock, fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    let chunk = [Float](repeating: 0.25, count: 480)
    var since: [UInt32: MediaTime] = [0: start]
    var scene = AudioScene()
    for index in 0..<300 {
      time.advance(by: .milliseconds(10))
      unsafe queue.put(chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      try #require(eventually { time.awaitedDeadline >= time.now + .milliseconds(200) })
      guard index % 23 == 22, index < 280 else { continue }
      if isMuted {
        _ = scene.cut(to: .all, now: time.now)
        pipeline.cut(to: scene)
        _ = scene.cut(to: .none, now: time.now)
      } else {
        scene.renew(now: time.now)
      }
      since[scene.number] = time.now
      pipeline.cut(to: scene)
    }
    let packets = sink.packets
    #expect(Set(packets.map(\.scene)) == Set(since.keys))
    // The first packet is the encoder's own silence. Each scene has all packets that it can have.
    for packet in packets.dropFirst() {
      let scene = since.filter { $0.value <= packet.time }.keys.max()
      #expect(packet.scene == scene)
    }
    time.advance(by: .seconds(1))
    #expect(pipeline.stop(by: .now() + .seconds(60)))
  }
}
