// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import Encode
import Glibc
import Media
import TestSupport
import Testing

@testable import Studio

@Suite struct LevelMeterTests {
  private static let frames = 1_024
  private let meter = LevelMeter()

  /// Measures a second of samples, in blocks.
  /// - Parameter sample: of a frame and a channel.
  private func play(channels: Int, clipped: Bool = false, _ sample: (Int, Int) -> Float) {
    for block in 0..<48 {
      let samples = (0..<LevelMeterTests.frames * channels).map { index in
        sample(block * LevelMeterTests.frames + index / channels, index % channels)
      }
      unsafe meter.note(
        samples, frames: LevelMeterTests.frames, channels: channels, hasClipped: clipped)
    }
  }

  /// A kilohertz at a level in dBFS.
  private static func tone(_ decibels: Double, _ frame: Int) -> Float {
    Float(pow(10, decibels / 20) * sin(2 * .pi * Double(frame) / 48))
  }

  private func levels(_ reader: inout LevelReader) throws -> AudioLevels {
    try #require(meter.read(&reader))
  }

  @Test(arguments: [1, 2])
  func aSineHasItsPeakAndThreeDecibelsLess(channels: Int) throws {
    var reader = LevelReader()
    #expect(meter.read(&reader) == nil, "nothing has been encoded")
    play(channels: channels) { frame, _ in LevelMeterTests.tone(-20, frame) }
    let levels = try levels(&reader)
    #expect(abs(levels.peakDB + 20) < 0.05)
    #expect(abs(levels.rmsDB + 23.01) < 0.05)
    #expect(!levels.isClipped)
  }

  @Test(arguments: [0, 1])
  func theLouderChannelCounts(loud: Int) throws {
    var reader = LevelReader()
    _ = meter.read(&reader)
    play(channels: 2) { LevelMeterTests.tone($1 == loud ? -6 : -40, $0) }
    let levels = try levels(&reader)
    #expect(abs(levels.peakDB + 6) < 0.05)
    #expect(abs(levels.rmsDB + 9.01) < 0.05)
  }

  @Test func silenceIsMinusAHundred() throws {
    var reader = LevelReader()
    play(channels: 2) { _, _ in 0 }
    #expect(try levels(&reader) == AudioLevels())
    #expect(AudioLevels().peakDB == -100 && AudioLevels().rmsDB == -100)
  }

  /// A converter with 16 bits has no sample of +1.
  @Test(arguments: [1, -1, 32_767 / 32_768] as [Float])
  func aSampleAtFullScaleIsClipped(sample: Float) throws {
    var reader = LevelReader()
    play(channels: 1) { frame, _ in frame == 24_000 ? sample : 0.1 }
    // At its first call a reader gets the newest block alone.
    #expect(try !levels(&reader).isClipped)
    reader.blocksRead = 0
    let levels = try levels(&reader)
    #expect(levels.isClipped && abs(levels.peakDB) < 0.001)
    // What a limiter has lowered was clipped, too.
    play(channels: 1, clipped: true) { _, _ in 0.9 }
    #expect(try self.levels(&reader).isClipped)
    play(channels: 1) { _, _ in 0.99 }
    #expect(try !self.levels(&reader).isClipped)
  }

  @Test func readersDoNotDisturbOneAnother() throws {
    var (often, rarely) = (LevelReader(), LevelReader())
    play(channels: 1) { _, _ in 0.5 }
    _ = meter.read(&often)
    _ = meter.read(&rarely)
    play(channels: 1) { _, _ in 1 }
    #expect(try levels(&often).peakDB == 0)
    #expect(meter.read(&often) == nil, "nothing has come since")
    let silence = [Float](repeating: 0, count: LevelMeterTests.frames)
    unsafe meter.note(silence, frames: silence.count, channels: 1, hasClipped: false)
    #expect(try levels(&often).peakDB == -100)
    #expect(try levels(&rarely).peakDB == 0)
    // One that was away gets what is kept, 1.4 s.
    play(channels: 1) { _, _ in 0.25 }
    play(channels: 1) { _, _ in 0.25 }
    #expect(abs(try levels(&rarely).peakDB + 12.04) < 0.01)
  }

  /// The blocks of the profiles "low" and "basic" are longer.
  @Test(arguments: [1_024, 2_048, 3_072, 6_144])
  func whatIsRecentIsAsLongInEachProfile(frames: Int) throws {
    for (level, seconds) in [(1, 3), (0.01, 0.5)] as [(Float, Double)] {
      let samples = [Float](repeating: level, count: frames)
      for _ in 0...Int(seconds * 48_000) / frames {
        unsafe meter.note(samples, frames: frames, channels: 1, hasClipped: false)
      }
    }
    #expect(abs(try #require(meter.recent).peakDB + 40) < 0.01)
  }

  /// In the pipeline, the block that is encoded is measured: after gain and mute.
  @Test func thePipelineMeasuresWhatIsEncoded() throws {
    let time = VirtualClock()
    let arrival = Signal()
    let queue = PCMQueue(channels: 2, capacity: 200, arrival: arrival, clock: time.clock)
    let pipeline = AudioPipeline(
      tracks: [
        AudioPipeline.Track(
          name: "main", queue: queue,
          adjustment: AudioPipeline.Adjustment(gain: TrackGain(gainDB: -20)))
      ], channels: 2, arrival: arrival, bitrateKbps: 64, renditions: Renditions(), levels: meter,
      clock: time.clock,
      fatal: { _ in })
    let start = time.now
    pipeline.start()
    try #require(eventually { time.awaitedDeadline > start })
    for index in 0..<20 {
      let chunk = (0..<960).map { LevelMeterTests.tone(0, index * 480 + $0 / 2) }
      unsafe queue.put(chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10))
      time.advance(by: .milliseconds(10))
    }
    var reader = LevelReader()
    reader.blocksRead = 0
    var found: AudioLevels?
    #expect(
      eventually {
        found = meter.read(&reader) ?? found
        return pipeline.counters.packets.count >= 8
      })
    #expect(abs(try #require(found).peakDB + 20) < 0.05)
    pipeline.requestStop()
    #expect(
      eventually {
        time.advance(by: .milliseconds(100))
        return pipeline.stop(by: .now() + .milliseconds(10))
      })
  }
}
