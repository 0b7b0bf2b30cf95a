// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// The real resampler with `ClockFollower`, on virtual time.
@Suite struct CaptureResamplerTests {
  struct Outcome {
    var worstMicros = 0.0
    var found = 0
    var overlaps = 0
    var gaps = 0
  }

  /// A device with a drifting clock captures an impulse each 10 s of true time. Measures where they are in the output.
  private func play(
    rate: Int, ppm: Double, seconds: Int, deviceChannels: Int = 1, channels: Int = 1,
    jitterMicros: Int = 4000, settling: Int
  ) throws -> Outcome {
    let period = rate / 100
    let resampler = try CaptureResampler(
      rate: rate, format: AV_SAMPLE_FMT_FLT, bytesPerSample: 4, deviceChannels: deviceChannels,
      bufferFrames: period * 8, channels: channels, floor: .distantPast)
    let queue = PCMQueue(channels: channels)
    let trueRate = Double(rate) * (1 + ppm / 1e6)
    let input = UnsafeMutableBufferPointer<Float>.allocate(capacity: period * deviceChannels)
    let output = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * channels)
    defer {
      unsafe input.deallocate()
      unsafe output.deallocate()
    }
    let into = try unsafe #require(input.baseAddress)
    let from = try unsafe #require(output.baseAddress)
    var dice = SplitMix64(seed: 3)
    var outcome = Outcome()
    var last: MediaTime?
    let spacing = 10.0
    var best = (index: 0, value: Float(0), micros: 0.0)
    func count() {
      guard best.value > 0.2 else { return }
      outcome.found += 1
      if best.index * 10 >= settling {
        outcome.worstMicros = max(outcome.worstMicros, abs(best.micros))
      }
    }
    for block in 0..<(seconds * 100) {
      let first = block * period
      unsafe input.update(repeating: 0)
      for index in 0..<period {
        // The sample that is nearest to a multiple of ten seconds of true time.
        let time = Double(first + index) / trueRate
        let nearest = (time / spacing).rounded() * spacing
        if abs(time - nearest) * trueRate <= 0.5, nearest > 0 {
          for channel in 0..<deviceChannels {
            unsafe input[index * deviceChannels + channel] = channel < 2 ? 0.8 : -0.8
          }
        }
      }
      let jitter = jitterMicros > 0 ? Int64.random(in: 0...Int64(jitterMicros), using: &dice) : 0
      let captured = MediaTime(nanos: Int64(Double(first) / trueRate * 1e9) + jitter * 1000)
      if block < 10 {
        resampler.observe(captured: captured, frames: period)
        continue
      }
      _ = unsafe resampler.resample(into, frames: period, captured: captured, into: queue)
      while let chunk = unsafe queue.take(into: from, until: .distantPast) {
        if let last {
          if chunk.startsAt - last < -1000 { outcome.overlaps += 1 }
          if chunk.startsAt - last > 1000 { outcome.gaps += 1 }
        }
        last = chunk.startsAt + PCM.nanos(frames: chunk.frames)
        let start = Double(chunk.startsAt.nanos) / 1e9
        let index = Int((start / spacing).rounded())
        guard index > 0, abs(start - Double(index) * spacing) < 0.1 else { continue }
        if index != best.index {
          count()
          best = (index, 0, 0)
        }
        for frame in 0..<chunk.frames {
          let value = unsafe abs(output[frame * channels])
          if value > best.value {
            let time = start + Double(frame) / 48_000
            best = (index, value, (time - Double(index) * spacing) * 1e6)
          }
        }
      }
    }
    count()
    return outcome
  }

  @Test(arguments: [8000, 16_000, 44_100, 96_000]) func anySampleRate(rate: Int) throws {
    let outcome = try play(rate: rate, ppm: 100, seconds: 125, settling: 60)
    #expect(outcome.worstMicros < 500)
    #expect(outcome.found == 12)
    #expect(outcome.overlaps == 0 && outcome.gaps == 0)
  }

  @Test(arguments: [(1, 2), (2, 1), (2, 2), (6, 2), (6, 1)])
  func anyChannels(from: Int, to: Int) throws {
    let outcome = try play(
      rate: 48_000, ppm: 0, seconds: 35, deviceChannels: from, channels: to, jitterMicros: 0,
      settling: 0)
    #expect(outcome.found == 3)
    #expect(outcome.worstMicros < 30)
  }

  @Test func channelsMixAtFullLevel() throws {
    func level(_ samples: [Float], from: Int, to: Int) throws -> [Float] {
      let resampler = try CaptureResampler(
        rate: 48_000, format: AV_SAMPLE_FMT_FLT, bytesPerSample: 4, deviceChannels: from,
        bufferFrames: 3840, channels: to, floor: .distantPast)
      let queue = PCMQueue(channels: to)
      var input = (0..<480).flatMap { _ in samples }
      var output = [Float](repeating: 0, count: PCMQueue.chunkFrames * to)
      for block in 0..<4 {
        try unsafe input.withUnsafeMutableBytes { bytes in
          _ = unsafe resampler.resample(
            try #require(bytes.baseAddress), frames: 480,
            captured: MediaTime(nanos: Int64(block) * 10_000_000), into: queue)
          if from > 2 { unsafe bytes.storeBytes(of: samples[2], toByteOffset: 8, as: Float.self) }
        }
        input = (0..<480).flatMap { _ in samples }
        try unsafe output.withUnsafeMutableBufferPointer { buffer in
          _ = unsafe queue.take(into: try #require(buffer.baseAddress), until: .distantPast)
        }
      }
      return Array(output[100 * to..<101 * to])
    }
    func near(_ a: [Float], _ b: [Float]) -> Bool {
      a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < 0.01 }
    }
    #expect(near(try level([0.5], from: 1, to: 2), [0.5, 0.5]))
    #expect(near(try level([0.5, 0.1], from: 2, to: 1), [0.3]))
    #expect(near(try level([0.5, -0.2], from: 2, to: 2), [0.5, -0.2]))
    #expect(near(try level([0.5, 0.1, 0.9, 0.9], from: 4, to: 1), [0.3]))
  }

  @Test func afterAGapTheTimelineJumpsForwardAndNeverBack() throws {
    let resampler = try CaptureResampler(
      rate: 48_000, format: AV_SAMPLE_FMT_FLT, bytesPerSample: 4, deviceChannels: 1,
      bufferFrames: 3840, channels: 1, floor: .distantPast)
    let queue = PCMQueue(channels: 1)
    var input = [Float](repeating: 0.1, count: 480)
    var output = [Float](repeating: 0, count: PCMQueue.chunkFrames)
    var chunks: [PCMQueue.Chunk] = []
    func capture(_ captured: Int64) throws {
      try unsafe input.withUnsafeMutableBytes { bytes in
        _ = unsafe resampler.resample(
          try #require(bytes.baseAddress), frames: 480, captured: MediaTime(nanos: captured),
          into: queue)
      }
      try unsafe output.withUnsafeMutableBufferPointer { buffer in
        while let chunk = unsafe queue.take(
          into: try #require(buffer.baseAddress), until: .distantPast)
        {
          chunks.append(chunk)
        }
      }
    }
    for block in 0..<50 { try capture(Int64(block) * 10_000_000) }
    let before = try #require(chunks.last)
    resampler.restart()
    for block in 0..<50 { try capture(1_500_000_000 + Int64(block) * 10_000_000) }
    // Timestamps that go back: nothing overlaps with the audio before.
    resampler.restart()
    for block in 0..<50 { try capture(1_800_000_000 + Int64(block) * 10_000_000) }
    let jump = try #require(chunks.first { $0.startsAt > before.startsAt + 100_000_000 })
    #expect(abs(jump.startsAt.nanos - 1_500_000_000) < 1_000_000)
    for (a, b) in zip(chunks, chunks.dropFirst()) {
      #expect(b.startsAt - a.startsAt >= PCM.nanos(frames: a.frames) - 1000)
    }
    #expect(resampler.end.nanos > 2_290_000_000)
  }
}
