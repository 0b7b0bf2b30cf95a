// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import Audio

/// The cases of EBU Tech 3341 and 3342 whose signals can be made here.
struct LoudnessMeterTests {
  /// A tone of 1,000 Hz for each part, in both channels.
  private func measure(_ parts: [(level: Double, seconds: Double)]) -> [Loudness] {
    let meter = LoudnessMeter(channels: 2, maxFrames: 1_024)
    var readings: [Loudness] = []
    var samples: [Float] = []
    for part in parts {
      for sample in VoiceFilterTests.tone(1_000, seconds: part.seconds, level: part.level) {
        samples.append(sample)
        samples.append(sample)
      }
    }
    unsafe samples.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for start in stride(from: 0, to: samples.count / 2, by: 1_024) {
        let frames = min(1_024, samples.count / 2 - start)
        unsafe meter.note(base + start * 2, frames: frames) { readings.append($0) }
      }
    }
    return readings
  }

  /// Tech 3341, cases 1 and 2: a tone at -23 dBFS has -23 LUFS by every measure.
  @Test(arguments: [-23.0, -33]) func aSteadyToneHasItsLevel(level: Double) throws {
    let last = try #require(measure([(level, 5)]).last)
    for value in [last.momentary, last.shortTerm, try #require(last.integrated)] {
      #expect(abs(value - level) < 0.1)
    }
  }

  /// Cases 3 and 5: quieter parts do not count.
  @Test func quietPartsDoNotCount() throws {
    let third = measure([(-36, 10), (-23, 60), (-36, 10)]).last
    #expect(abs(try #require(third?.integrated) + 23) < 0.1)
    let fifth = measure([(-26, 20), (-20, 20.1), (-26, 20)]).last
    #expect(abs(try #require(fifth?.integrated) + 23) < 0.1)
  }

  /// Tech 3342, cases 1 to 3.
  @Test(arguments: [(-20.0, -30.0, 10.0), (-20, -15, 5), (-40, -20, 20)])
  func theRangeIsTheDifferenceOfTwoLevels(first: Double, second: Double, range: Double) throws {
    let last = measure([(first, 20), (second, 20)]).last
    #expect(abs(try #require(last?.range) - range) < 1)
  }

  @Test func silenceHasNoLoudness() throws {
    let last = try #require(measure([(-120, 4)]).last)
    #expect(last.integrated == nil && last.range == nil && last.momentary == Loudness.silence)
  }

  /// Tech 3341, case 15: a tone of a quarter of the sample rate, sampled beside its peaks.
  @Test func aPeakBetweenSamplesIsFound() throws {
    let meter = LoudnessMeter(channels: 1, maxFrames: 4_800)
    let samples = (0..<9_600).map { Float(0.5 * sin(.pi / 2 * Double($0) + .pi / 4)) }
    var last: Loudness?
    unsafe samples.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for start in [0, 4_800] { unsafe meter.note(base + start, frames: 4_800) { last = $0 } }
    }
    #expect(abs(try #require(last).truePeakDB + 6.02) < 0.2)
    #expect(samples.allSatisfy { abs($0) < 0.36 })
  }

  @Test func aNewBroadcastBeginsAnew() throws {
    let meter = LoudnessMeter(channels: 1, maxFrames: 4_800)
    var last = Loudness()
    func play(_ level: Double, _ seconds: Double) {
      let samples = VoiceFilterTests.tone(1_000, seconds: seconds, level: level)
      unsafe samples.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        for start in stride(from: 0, to: samples.count, by: 4_800) {
          unsafe meter.note(base + start, frames: 4_800) { last = $0 }
        }
      }
    }
    play(-10, 5)
    meter.restart()
    play(-30, 5)
    // The tone of before is in the first 3 s of the short-term loudness, but neither in the integrated one nor in the
    // peak.
    #expect(abs(try #require(last.integrated) + 33) < 1)
    #expect(last.truePeakDB < -29)
  }
}
