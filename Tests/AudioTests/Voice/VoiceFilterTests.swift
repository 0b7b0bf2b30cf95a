// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import TestSupport
import Testing

@testable import Audio

/// The filters of a voice, each with signals whose result can be calculated.
struct VoiceFilterTests {
  /// A tone with an amplitude of 1, unless `level` in dBFS says otherwise.
  static func tone(_ hertz: Double, seconds: Double = 1, level: Double = 0) -> [Float] {
    let amplitude = pow(10, level / 20)
    return (0..<Int(seconds * 48_000)).map {
      Float(amplitude * sin(2 * .pi * hertz * Double($0) / 48_000))
    }
  }

  /// What a filter makes of samples, in chunks of odd sizes.
  static func apply(_ plan: AudioFilterPlan, to samples: [Float], channels: Int = 1) -> [Float] {
    let filter = plan.make(channels)
    var result = samples
    unsafe result.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var (start, size) = (0, 1)
      while start < samples.count / channels {
        let count = min(size, samples.count / channels - start)
        unsafe filter.process(base + start * channels, frames: count)
        start += count
        size = size * 7 % 480 + 1
      }
    }
    return result
  }

  /// The level of the root mean square in dBFS, where a full sine has 0.
  static func level(_ samples: some Collection<Float>) -> Double {
    let square = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
    return 10 * log10(max(square * 2, 1e-12))
  }

  private func gain(_ plan: AudioFilterPlan, _ hertz: Double, level: Double = 0) -> Double {
    let samples = VoiceFilterTests.tone(hertz, seconds: 2, level: level)
    return VoiceFilterTests.level(VoiceFilterTests.apply(plan, to: samples).suffix(48_000)) - level
  }

  @Test func theHighPassHas24DecibelsPerOctave() {
    let plan = AudioFilterPlan.highPass(hertz: 80)
    #expect(abs(gain(plan, 80) + 3) < 0.1)
    #expect(abs(gain(plan, 40) + 24.1) < 0.3)
    #expect(abs(gain(plan, 1_000)) < 0.01)
  }

  @Test func theHumFilterRemovesHumAlone() {
    let plan = AudioFilterPlan.humFilter(hertz: [50, 100, 150])
    for hertz in [50.0, 100, 150] { #expect(gain(plan, hertz) < -30) }
    for hertz in [40.0, 60, 75, 125, 200, 1_000] { #expect(abs(gain(plan, hertz)) < 0.1) }
  }

  @Test func theGateLowersPausesAndOpensAtOnce() {
    let samples =
      VoiceFilterTests.tone(300, level: -20) + VoiceFilterTests.tone(300, seconds: 2, level: -60)
      + VoiceFilterTests.tone(300, level: -20)
    let result = VoiceFilterTests.apply(.gate, to: samples)
    #expect(abs(VoiceFilterTests.level(result[..<48_000]) + 20) < 0.1)
    #expect(abs(VoiceFilterTests.level(result[48_000..<58_000]) + 60) < 0.5, "the end of a word")
    #expect(abs(VoiceFilterTests.level(result[120_000..<140_000]) + 78) < 0.5)
    #expect(abs(VoiceFilterTests.level(result[145_000..<150_000]) + 20) < 0.5)
  }

  @Test func theCompressorBringsLevelsTogether() {
    let (loud, soft) = (gain(.compressor, 1_000, level: -6), gain(.compressor, 1_000, level: -30))
    #expect(abs(soft - 6) < 0.2, "only the make-up gain")
    #expect(abs(loud - (6 - 12)) < 0.5, "18 dB above the threshold become 6")
  }

  @Test func theDeEsserLowersSharpSoundsAlone() {
    #expect(gain(.deEsser, 8_000, level: -20) < -4)
    #expect(abs(gain(.deEsser, 1_000, level: -20)) < 0.1)
    // A soft "s" in a loud voice.
    let samples = zip(
      VoiceFilterTests.tone(400, level: -12), VoiceFilterTests.tone(8_000, level: -30)
    ).map { $0 + $1 }
    let change = zip(samples, VoiceFilterTests.apply(.deEsser, to: samples)).map { $0 - $1 }
    #expect(VoiceFilterTests.level(change.suffix(24_000)) < -60)
  }

  @Test func theLevelFollowsSlowlyAndWaitsInPauses() {
    let soft = VoiceFilterTests.tone(1_000, seconds: 20, level: -30)
    let result = VoiceFilterTests.apply(
      .autoLevel, to: soft + VoiceFilterTests.tone(1_000, seconds: 20, level: -80))
    let levels = stride(from: 0, to: 40, by: 1).map {
      VoiceFilterTests.level(result[$0 * 48_000..<($0 + 1) * 48_000])
    }
    // A tone of 1,000 Hz at -30 dBFS has -33 LUFS: it would take 13 dB to -20, and there are at most 12.
    #expect(abs(levels[19] + 18) < 0.3)
    for second in 1..<10 { #expect(levels[second] - levels[second - 1] < 1.1) }
    #expect(abs(levels[39] + 68) < 0.3, "a pause keeps the gain")
  }

  @Test(arguments: [1, 2]) func noiseReductionDelaysByAFixedTime(channels: Int) {
    let plan = AudioFilterPlan.noiseReduction(depthDB: 15)
    var impulse = [Float](repeating: 0, count: 48_000 * channels)
    // A voice-like burst, since the library takes a single sample for noise.
    for index in 0..<480 {
      let value = 0.5 * sin(Float(index) * 0.06) * sin(Float(index) * .pi / 480)
      for channel in 0..<channels { impulse[(20_000 + index) * channels + channel] = value }
    }
    let result = VoiceFilterTests.apply(plan, to: impulse, channels: channels)
    let delay = plan.make(channels).delayFrames
    func centre(_ samples: [Float]) -> Double {
      let squares = samples.map { Double($0) * Double($0) }
      let weighted = squares.enumerated().reduce(0) {
        $0 + Double($1.offset / channels) * $1.element
      }
      return weighted / squares.reduce(0, +)
    }
    #expect(abs(centre(result) - centre(impulse) - Double(delay)) < 48)
  }

  @Test func noiseReductionLowersNoise() {
    var dice = SplitMix64(seed: 3)
    let noise = (0..<48_000 * 4).map { _ in Float.random(in: -0.03...0.03, using: &dice) }
    let result = VoiceFilterTests.apply(.noiseReduction(depthDB: 15), to: noise)
    let change = VoiceFilterTests.level(result.suffix(48_000)) - VoiceFilterTests.level(noise)
    #expect(change < -11 && change > -18)
  }

  /// Nothing of what came before a cut is heard after it.
  @Test(arguments: [
    AudioFilterPlan.highPass(hertz: 80), .humFilter(hertz: [50]), .noiseReduction(depthDB: 15),
    .gate,
    .compressor, .deEsser, .autoLevel,
  ]) func aResetForgetsTheSamples(plan: AudioFilterPlan) {
    for channels in 1...2 {
      let filter = plan.make(channels)
      var voice = VoiceFilterTests.tone(200).flatMap { [Float](repeating: $0, count: channels) }
      unsafe voice.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        for chunk in 0..<100 { unsafe filter.process(base + chunk * 480 * channels, frames: 480) }
      }
      filter.reset()
      var silence = [Float](repeating: 0, count: 9_600 * channels)
      unsafe silence.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        for chunk in 0..<20 { unsafe filter.process(base + chunk * 480 * channels, frames: 480) }
      }
      #expect(silence.allSatisfy { abs($0) < 1e-4 })
    }
  }
}
