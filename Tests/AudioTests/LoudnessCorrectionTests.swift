// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Audio

/// A programme of known loudness, and the meter behind the correction, ten times a second.
struct LoudnessCorrectionTests {
  private struct Programme {
    var correction = LoudnessCorrection()
    var past: [Double] = []

    /// Plays seconds of this loudness in LUFS, without the correction.
    mutating func play(_ lufs: Double, seconds: Int) {
      for _ in 0..<seconds * 10 {
        past.append(lufs + correction.gainDB)
        var loudness = Loudness()
        loudness.momentary = mean(4)
        loudness.shortTerm = mean(30)
        correction.note(loudness)
      }
    }

    private func mean(_ steps: Int) -> Double {
      let last = past.suffix(steps)
      return last.reduce(0, +) / Double(last.count)
    }
  }

  @Test func withoutATargetNothingMoves() {
    var programme = Programme()
    programme.play(-30, seconds: 60)
    #expect(programme.correction.gainDB == 0)
  }

  @Test(arguments: [-22.0, -10.0, -16.5]) func theTargetIsReachedAndHeld(_ lufs: Double) {
    var programme = Programme()
    programme.correction.targetLUFS = -16
    programme.play(lufs, seconds: 60)
    #expect(abs(programme.correction.gainDB - (-16 - lufs)) < 0.1)
    let highest = programme.correction.gainDB
    programme.play(lufs, seconds: 60)
    #expect(abs(programme.correction.gainDB - highest) < 0.05, "it does not swing")
  }

  /// 0.3 dB a second up, 1 dB a second down, 12 dB at most.
  @Test func itIsSlowAndBounded() {
    var programme = Programme()
    programme.correction.targetLUFS = -16
    programme.play(-40, seconds: 10)
    #expect(abs(programme.correction.gainDB - 3) < 0.1)
    programme.play(-40, seconds: 60)
    #expect(abs(programme.correction.gainDB - 12) < 0.001)
    programme.play(-6, seconds: 5)
    #expect(programme.correction.gainDB > 6.9)
    programme.play(-6, seconds: 60)
    #expect(abs(programme.correction.gainDB + 10) < 0.1)
    programme.correction.targetLUFS = nil
    programme.play(-6, seconds: 11)
    #expect(programme.correction.gainDB == 0)
  }

  @Test func aPauseChangesNothing() {
    var programme = Programme()
    programme.correction.targetLUFS = -16
    programme.play(-20, seconds: 60)
    let before = programme.correction.gainDB
    programme.play(-60, seconds: 120)
    #expect(abs(programme.correction.gainDB - before) < 0.5)
  }

  /// The gain of the sum moves within a block, and comes before the limiter.
  @Test func theSumMovesWithoutAStep() {
    let mixer = Mixer(
      channels: 1, tracks: [AudioTrack()], blockFrames: 1_024, origin: MediaTime(nanos: 0))
    var samples: [Float] = []
    var time = MediaTime(nanos: 0)
    let chunk = [Float](repeating: 0.25, count: 480)
    for number in 0..<40 {
      if number == 20 { mixer.sumGain = 2 }
      unsafe mixer.add(chunk, frames: 480, startsAt: time) { block, _ in
        samples += unsafe Array(UnsafeBufferPointer(start: block, count: 1_024))
      }
      time = time + .milliseconds(10)
    }
    let steps = zip(samples.dropFirst(1_024), samples.dropFirst(1_025)).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.001)
    #expect(abs((samples.last ?? 0) - 0.5) < 0.001)
    #expect(abs(samples[1_023] - 0.25) < 0.001)
  }
}
