// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import Testing

@testable import Audio

/// Chunks with various times, and the blocks that the mixer makes of them.
final class MixerTests {
  static let start = MediaTime(nanos: 5_000_000_000)
  let mixer = Mixer(
    channels: 1, tracks: [AudioTrack()], blockFrames: 480, origin: MixerTests.start)
  var samples: [Float] = []
  var times: [MediaTime] = []

  @discardableResult
  func add(_ value: Float, frames: Int = 480, at nanos: Int64, to mixer: Mixer? = nil) -> Int {
    let chunk = [Float](repeating: value, count: frames * (mixer ?? self.mixer).channels)
    return unsafe (mixer ?? self.mixer).add(
      chunk, frames: frames, startsAt: MixerTests.start + nanos, emit: take)
  }

  func take(_ block: UnsafePointer<Float>, _ time: MediaTime) {
    unsafe samples.append(contentsOf: UnsafeBufferPointer(start: block, count: mixer.blockFrames))
    times.append(time)
  }

  @Test func consecutiveChunksAreJoined() {
    for index in 0..<11 { add(Float(index) / 20, at: Int64(index) * 10_000_000) }
    #expect(times == (0..<10).map { MixerTests.start + Int64($0) * 10_000_000 })
    #expect(samples[480 * 3] == 0.15 && samples.count == 4800)
  }

  @Test func jitterIsRemoved() {
    for index in 0..<11 {
      add(0.5, at: Int64(index) * 10_000_000 + (index.isMultiple(of: 2) ? 2_000_000 : -2_000_000))
    }
    #expect(samples.allSatisfy { $0 == 0.5 })
    #expect(times.last == MixerTests.start + 90_000_000)
  }

  @Test func aGapBecomesSilenceOfItsLength() {
    add(0.5, at: 0)
    for index in Int64(4)..<6 { add(0.25, at: index * 10_000_000) }
    #expect(samples.count == 480 * 5)
    let seam = MixerTrack.seamFrames
    #expect(zip(samples[480..<479 + seam], samples[481...]).allSatisfy { $0 > $1 })
    #expect(samples[480 + seam..<480 * 4].allSatisfy { $0 == 0 })
    #expect(
      zip(samples[480 * 4..<480 * 4 + seam - 1], samples[(480 * 4 + 1)...]).allSatisfy { $0 < $1 })
    #expect(samples[(480 * 4 + seam)...].allSatisfy { $0 == 0.25 })
  }

  @Test func overlapsAreDropped() {
    add(0.5, frames: 960, at: 0)
    add(0.25, frames: 1_440, at: 10_000_000)
    #expect(samples.count == 480 * 3)
    #expect(samples[480 * 2] > 0.49 && samples[480 * 2 + MixerTrack.seamFrames] == 0.25)
    #expect(add(0.125, at: 0) == 480)
    #expect(samples.count == 480 * 3, "all of it is in the past")
  }

  /// A source may start before the pipeline; its first samples do not count as late.
  @Test func samplesBeforeTheOriginAreDropped() {
    #expect(add(0.5, at: -15_000_000) == 0)
    #expect(samples.isEmpty)
    #expect(add(0.25, frames: 960, at: -6_000_000) == 0)
    #expect(times == [MixerTests.start])
  }

  @Test func silenceIsAddedUpToATime() {
    add(0.5, at: 0)
    unsafe mixer.addSilence(until: MixerTests.start + 30_000_000, emit: take)
    unsafe mixer.addSilence(until: MixerTests.start + 20_000_000, emit: take)
    #expect(samples.count == 480 * 2)
    #expect(mixer.end == MixerTests.start + 30_000_000)
    for index in Int64(3)..<5 { add(0.25, at: index * 10_000_000) }
    #expect(samples.last == 0.25)
  }

  @Test func aLongGapStaysInTheTimeline() {
    for start in [0, 3_600_000_000_000] as [Int64] {
      for index in 0..<2 { add(0.5, at: start + Int64(index) * 10_000_000) }
    }
    #expect(samples.count == 960)
    #expect(times.last == MixerTests.start + 3_600_000_000_000)
  }

  @Test func theGainIsInDecibelsAndSamplesAreLimited() {
    let loud = Mixer(
      channels: 1, tracks: [AudioTrack(gain: TrackGain(gainDB: 6))], blockFrames: 480,
      origin: MixerTests.start)
    add(0.25, at: 0, to: loud)
    add(0.75, at: 10_000_000, to: loud)
    loud.set(gain: TrackGain(gainDB: 0), track: 0)
    for index in 2..<80 { add(0.75, at: Int64(index) * 10_000_000, to: loud) }
    #expect(abs(samples[0] - 0.4988) < 0.001)
    #expect(samples[480 + 240] > 0.7 && samples[480 + 240] < 0.8913)
    #expect(samples[(480 * 70)...].allSatisfy { abs($0 - 0.75) < 0.001 })
  }

  /// What is quieter than the limiter's ceiling is not touched, not by a bit.
  @Test func aSingleTrackPassesUnchanged() {
    let chunk = (0..<480).map { 0.8 * sin(Float($0) * 2 * .pi / 48) }
    for index in 0..<3 {
      unsafe mixer.add(
        chunk, frames: 480, startsAt: MixerTests.start + Int64(index) * 10_000_000, emit: take)
    }
    #expect(samples == chunk + chunk)
  }

  /// A sample that is not a number, or beyond all measure, does not spoil those that follow.
  @Test func samplesThatAreNoNumbersBecomeSilence() {
    let chunk =
      [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude]
      + [Float](repeating: 0.1, count: 476)
    for index in 0..<100 {
      unsafe mixer.add(
        index == 1 ? chunk : [Float](repeating: 0.1, count: 480), frames: 480,
        startsAt: MixerTests.start + Int64(index) * 10_000_000, emit: take)
    }
    #expect(samples.allSatisfy { abs($0) < 0.8913 })
    #expect(samples.suffix(480).allSatisfy { abs($0 - 0.1) < 0.001 })
  }

  @Test func timesStayExactForAYear() {
    #expect(PCM.nanos(frames: 48_000 * 31_536_000 + 1) == 31_536_000_000_020_833)
    #expect(PCM.frames(nanos: 31_536_000_000_020_833) == 48_000 * 31_536_000 + 1)
    #expect(PCM.frames(nanos: -1_000_000_000) == -48_000)
  }
}
