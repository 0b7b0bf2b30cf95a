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
    for index in 0..<10 { add(Float(index) / 10, at: Int64(index) * 10_000_000) }
    #expect(times == (0..<10).map { MixerTests.start + Int64($0) * 10_000_000 })
    #expect(samples[480 * 3] == 0.3 && samples.count == 4800)
  }

  @Test func jitterIsRemoved() {
    for index in 0..<10 {
      add(0.5, at: Int64(index) * 10_000_000 + (index.isMultiple(of: 2) ? 2_000_000 : -2_000_000))
    }
    #expect(samples.allSatisfy { $0 == 0.5 })
    #expect(times.last == MixerTests.start + 90_000_000)
  }

  @Test func aGapBecomesSilenceOfItsLength() {
    add(0.5, at: 0)
    add(0.25, at: 40_000_000)
    #expect(samples.count == 480 * 5)
    #expect(samples[480..<480 * 4].allSatisfy { $0 == 0 })
    #expect(samples[480 * 4] == 0.25)
  }

  @Test func overlapsAreDropped() {
    add(0.5, frames: 960, at: 0)
    add(0.25, frames: 960, at: 10_000_000)
    #expect(samples.count == 480 * 3)
    #expect(samples[480 * 2] == 0.25)
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
    #expect(samples.count == 480 * 3)
    #expect(mixer.end == MixerTests.start + 30_000_000)
    add(0.25, at: 30_000_000)
    #expect(samples.last == 0.25)
  }

  @Test func aLongGapStaysInTheTimeline() {
    add(0.5, at: 0)
    add(0.25, at: 3_600_000_000_000)
    #expect(samples.count == 960)
    #expect(times.last == MixerTests.start + 3_600_000_000_000)
  }

  @Test func theGainIsInDecibelsAndSamplesAreLimited() {
    let loud = Mixer(
      channels: 1, tracks: [AudioTrack(gainDB: 6)], blockFrames: 480, origin: MixerTests.start)
    add(0.25, at: 0, to: loud)
    add(0.75, at: 10_000_000, to: loud)
    loud.set(gainDB: 0, track: 0)
    add(0.75, at: 20_000_000, to: loud)
    #expect(abs(samples[0] - 0.4988) < 0.001)
    #expect(samples[480] > 0.95 && samples[480] < 1)
    #expect(samples[960] == 0.75)
  }

  /// What a single source delivers within full scale is not touched; beyond full scale it is clipped.
  @Test func aSingleTrackPassesUnchanged() {
    var chunk = (0..<480).map { sin(Float($0) / 7) }
    chunk[3] = -1
    chunk[4] = 1
    chunk[5] = 1.5
    unsafe mixer.add(chunk, frames: 480, startsAt: MixerTests.start, emit: take)
    chunk[5] = 1
    #expect(samples == chunk)
  }

  @Test func timesStayExactForAYear() {
    #expect(PCM.nanos(frames: 48_000 * 31_536_000 + 1) == 31_536_000_000_020_833)
    #expect(PCM.frames(nanos: 31_536_000_000_020_833) == 48_000 * 31_536_000 + 1)
    #expect(PCM.frames(nanos: -1_000_000_000) == -48_000)
  }
}
