// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import TestSupport
import Testing

@testable import Audio

/// The limiter of the sum, measured by a second interpolator: sixteen times, with taps of its own.
struct TruePeakLimiterTests {
  private static let block = 1_024

  /// The highest level between samples, in dBTP.
  private static func truePeakDB(_ samples: [Float]) -> Double {
    let (reach, phases) = (24, 16)
    var peak = Double(samples.map { abs($0) }.max() ?? 0)
    for phase in 1..<phases {
      let taps = (-reach + 1...reach).map { tap -> Double in
        let x = Double(tap) - Double(phase) / Double(phases)
        // A Hann window; the limiter's is another one.
        return sin(.pi * x) / (.pi * x) * (0.5 + 0.5 * cos(.pi * x / Double(reach)))
      }
      for frame in reach..<samples.count - reach {
        // Only loud places can have a peak above the limit.
        guard abs(samples[frame]) > 0.4 || abs(samples[frame + 1]) > 0.4 else { continue }
        var sum = 0.0
        for tap in 0..<2 * reach { sum += taps[tap] * Double(samples[frame - reach + 1 + tap]) }
        peak = max(peak, abs(sum))
      }
    }
    return 20 * log10(peak)
  }

  /// Noise, clicks, tones near half the sample rate, clipped speech-like bursts and steps, up to 15 dB too loud.
  private static func signal(_ dice: inout SplitMix64, count: Int) -> [Float] {
    let level = Float.random(in: 0.5...5.6, using: &dice)
    let hertz = Float.random(in: 20...20_000, using: &dice)
    let phase = Float.random(in: 0..<6.28, using: &dice)
    let every = Int.random(in: 50...900, using: &dice)
    let kind = Int.random(in: 0..<6, using: &dice)
    return (0..<count).map { index in
      let tone = sin(2 * .pi * hertz / 48_000 * Float(index) + phase)
      let noise = Float.random(in: -1...1, using: &dice)
      let shape: Float =
        switch kind {
        case 0: tone
        case 1: noise
        case 2: index % every == 0 ? noise : 0
        case 3: max(-0.5, min(0.5, 2 * tone))
        case 4: index / every % 2 == 0 ? noise : 0.01 * noise
        default: index / every % 2 == 0 ? 1 : -1
        }
      return level * shape
    }
  }

  /// - Parameter lowering: the sample frame from which the ceiling is 1 dB lower; `nil` for none.
  private static func limited(
    _ samples: [Float], blockFrames: Int = block, lowering: Int? = nil
  ) -> [Float] {
    let mixer = Mixer(
      channels: 1, tracks: [AudioTrack()], blockFrames: blockFrames, keptBlocks: 3,
      origin: MediaTime(nanos: 0))
    var result: [Float] = []
    for start in stride(from: 0, to: samples.count, by: 480) {
      if let lowering, start >= lowering { mixer.ceilingDB = -2 }
      let chunk = Array(samples[start..<min(start + 480, samples.count)])
      unsafe mixer.add(
        chunk, frames: chunk.count, startsAt: MediaTime(nanos: 0) + PCM.nanos(frames: start)
      ) { block, _ in
        unsafe result.append(contentsOf: UnsafeBufferPointer(start: block, count: blockFrames))
      }
    }
    return result
  }

  @Test(arguments: 0..<often(1_000)) func noTruePeakExceedsTheLimit(seed: Int) {
    var dice = SplitMix64(seed: UInt64(seed))
    let samples = Self.signal(&dice, count: 4_800)
    #expect(Self.truePeakDB(Self.limited(samples)) <= -1)
    #expect(Self.truePeakDB(Self.limited(samples, lowering: 0)) <= -2)
  }

  /// For a low bit rate the ceiling is lowered while it runs: within a few milliseconds, without a step.
  @Test func theCeilingIsLoweredWithoutAStep() {
    let samples = (0..<48_000).map { 2 * sin(Float($0) * 2 * .pi / 100) }
    let result = Self.limited(samples, lowering: 24_000)
    #expect((-2 ... -1).contains(Self.truePeakDB(Array(result[..<20_000]))))
    #expect(Self.truePeakDB(Array(result[28_000...])) <= -2)
    let gains = result.indices.filter { abs(samples[$0]) > 0.5 }.map { result[$0] / samples[$0] }
    #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
  }

  /// What is below the ceiling is not touched, and after a loud moment the gain returns to exactly that.
  @Test func theGainReturnsWithoutAStep() {
    let quiet = (0..<96_000).map { 0.25 * sin(Float($0) * 2 * .pi / 100) }
    var loud = quiet
    for index in 20_000..<20_100 { loud[index] *= 8 }
    let result = Self.limited(loud)
    #expect(
      result[..<(20_000 - TruePeakLimiter.lookAheadFrames)]
        == loud[..<(20_000 - TruePeakLimiter.lookAheadFrames)])
    let isSame = result[90_000...] == loud[90_000..<result.count]
    #expect(isSame)
    // The gain, where the tone is not near zero, moves by little from sample to sample.
    let gains = result.indices.filter { abs(loud[$0]) > 0.1 }.map { result[$0] / loud[$0] }
    #expect(gains.allSatisfy { $0 <= 1 && $0 > 0.4 })
    #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) < 0.25 })
  }

  /// The limiter's blocks join without a seam: their size makes no difference.
  @Test func theSizeOfBlocksMakesNoDifference() {
    var dice = SplitMix64(seed: 7)
    let samples = (0..<20).flatMap { _ in Self.signal(&dice, count: 2_400) }
    let (large, small) = (Self.limited(samples), Self.limited(samples, blockFrames: 256))
    let isSame = zip(large, small).allSatisfy { abs($0 - $1) < 0.000_01 }
    #expect(isSame)
  }
}
