// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import TestSupport
import Testing

@testable import Audio

/// A source may deliver values that are no numbers, or far too large: a damaged file, or a program that writes into a
/// pipe. What comes after them is heard and measured as ever.
struct BadSampleTests {
  private static let values: [Float] = [.nan, .infinity, -.infinity, 1e30]
  private static let plans: [AudioFilterPlan] = [
    .highPass(hertz: 80), .humFilter(hertz: [50, 100]), .noiseReduction(depthDB: 15), .gate,
    .deEsser, .compressor, .autoLevel,
  ]

  @Test(arguments: plans, values) func filtersForgetThem(_ plan: AudioFilterPlan, bad: Float) {
    let start = MediaTime(nanos: 0)
    let mixer = Mixer(
      channels: 1, tracks: [AudioTrack(filters: [plan.make(1)])], blockFrames: 480, origin: start)
    var dice = SplitMix64(seed: 3)
    var peak: Float = 0
    for index in 0..<300 {
      var chunk = (0..<480).map { _ in Float.random(in: -0.5...0.5, using: &dice) }
      if index == 20 { chunk[100] = bad }
      unsafe mixer.add(chunk, frames: 480, startsAt: start + Int64(index) * .milliseconds(10)) {
        block, time in
        guard time - start > .seconds(2) else { return }
        for frame in 0..<480 { peak = unsafe max(peak, abs(block[frame])) }
      }
    }
    #expect(peak > 0.01 && peak <= 1, "\(peak)")
  }

  @Test(arguments: values) func humIsStillFound(bad: Float) {
    let alarms = AudioAlarms(channels: 1)
    var dice = SplitMix64(seed: 4)
    for start in stride(from: 0, to: 12 * 48_000, by: 480) {
      var chunk = (0..<480).map { frame in
        Float(0.01 * sin(2 * .pi * 50 * Double(start + frame) / 48_000))
          + Float.random(in: -0.001...0.001, using: &dice)
      }
      if start == 48_000 { chunk[100] = bad }
      _ = unsafe alarms.note(chunk, frames: 480)
    }
    #expect(alarms.hum?.hertz == 50)
  }
}
