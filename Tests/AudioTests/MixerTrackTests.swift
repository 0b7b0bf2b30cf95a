// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Testing

@testable import Audio

/// Several tracks and their sum.
final class MixerTrackTests {
  static let start = MediaTime(nanos: 5_000_000_000)
  /// 10 ms.
  static let chunk = 480

  private var samples: [Float] = []
  private var times: [MediaTime] = []

  private func mixer(_ tracks: [AudioTrack]) -> Mixer {
    Mixer(
      channels: 1, tracks: tracks, blockFrames: MixerTrackTests.chunk,
      origin: MixerTrackTests.start)
  }

  private func take(_ block: UnsafePointer<Float>, _ time: MediaTime) {
    unsafe samples.append(
      contentsOf: UnsafeBufferPointer(start: block, count: MixerTrackTests.chunk))
    times.append(time)
  }

  /// - Parameter index: the number of the 10 ms from the start.
  @discardableResult
  private func add(_ chunk: [Float], at index: Int, _ track: Int, to mixer: Mixer) -> Int {
    unsafe mixer.add(
      chunk, frames: chunk.count,
      startsAt: MixerTrackTests.start + Int64(index) * .milliseconds(10), track: track, emit: take)
  }

  private func add(_ value: Float, at index: Int, _ track: Int, to mixer: Mixer) {
    add([Float](repeating: value, count: MixerTrackTests.chunk), at: index, track, to: mixer)
  }

  private func values(at index: Int) -> Set<Float> {
    Set(samples[index * MixerTrackTests.chunk..<(index + 1) * MixerTrackTests.chunk])
  }

  private static func tone(_ hertz: Float, level: Float, seconds: Int = 1) -> [Float] {
    (0..<48_000 * seconds).map { level * sin(2 * .pi * hertz * Float($0) / 48_000) }
  }

  private func play(_ tones: [[Float]], through mixer: Mixer) {
    for index in 0..<tones[0].count / MixerTrackTests.chunk {
      for (track, tone) in tones.enumerated() {
        let from = index * MixerTrackTests.chunk
        add(Array(tone[from..<from + MixerTrackTests.chunk]), at: index, track, to: mixer)
      }
    }
    for track in tones.indices {
      add(0, at: tones[0].count / MixerTrackTests.chunk, track, to: mixer)
    }
  }

  @Test func twoTonesAreSummed() {
    let tones = [
      MixerTrackTests.tone(440, level: 0.4), MixerTrackTests.tone(1_000, level: 0.4),
    ]
    play(tones, through: mixer([AudioTrack(), AudioTrack()]))
    let isSum = samples == zip(tones[0], tones[1]).map { $0 + $1 }
    #expect(isSum)
    #expect(times == (0..<100).map { MixerTrackTests.start + Int64($0) * .milliseconds(10) })
  }

  @Test func eachTrackHasItsGain() {
    let mixer = mixer([
      AudioTrack(gain: TrackGain(gainDB: -20)), AudioTrack(gain: TrackGain(gainDB: 6.0206)),
    ])
    for index in 0..<5 {
      if index == 1 { mixer.set(gain: TrackGain(gainDB: -40), track: 1) }
      for track in 0..<2 { add(track == 0 ? 0.5 : 0.25, at: index, track, to: mixer) }
    }
    #expect(abs(samples[0] - 0.55) < 0.0001)
    // The gain changes within 20 ms.
    #expect(zip(samples[480..<1_439], samples[481...]).allSatisfy { $0 > $1 })
    #expect(samples[1_440...].allSatisfy { abs($0 - 0.0525) < 0.0001 })
  }

  @Test func theSumNeverExceedsFullScale() {
    let tones = [
      MixerTrackTests.tone(440, level: 1), MixerTrackTests.tone(443, level: 1),
      MixerTrackTests.tone(97, level: 1),
    ]
    play(tones, through: mixer((0..<3).map { _ in AudioTrack(gain: TrackGain(gainDB: 12)) }))
    #expect(samples.allSatisfy { abs($0) < 0.8913 })
    #expect(samples.contains { abs($0) > 0.8 })
  }

  @Test func theMixerTellsWhatTheLimiterHasLowered() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    var limited: [Bool] = []
    for (index, value) in [Float(0.3), 0.6, 0.3, 0.3].enumerated() {
      add(value, at: index, 0, to: mixer)
      add(value, at: index, 1, to: mixer)
      limited.append(mixer.hasClipped)
    }
    #expect(limited == [false, false, true, false])
  }

  /// The others wait for it only until silence has been added in its place.
  @Test func aTrackThatStallsBecomesSilence() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in 0..<10 {
      add(0.125, at: index, 0, to: mixer)
      if index < 4 { add(0.25, at: index, 1, to: mixer) }
    }
    #expect(times.count == 3)
    #expect(mixer.end == MixerTrackTests.start + .milliseconds(40))
    unsafe mixer.addSilence(until: MixerTrackTests.start + .milliseconds(60), emit: take)
    // What the other track has delivered follows at once.
    #expect(times.count == 9)
    #expect(mixer.end == MixerTrackTests.start + .milliseconds(100))
    for index in 10..<20 { add(0.125, at: index, 0, to: mixer) }
    #expect(times.count == 19)
    #expect((0..<4).allSatisfy { values(at: $0) == [0.375] })
    #expect((5..<19).allSatisfy { values(at: $0) == [0.125] })
    // It returns, 5 ms later than the samples that have been emitted, and is waited for again.
    unsafe mixer.add(
      [Float](repeating: 0.25, count: 480), frames: 480,
      startsAt: MixerTrackTests.start + .milliseconds(206), track: 1, emit: take)
    add(0.125, at: 20, 0, to: mixer)
    add(0.125, at: 21, 0, to: mixer)
    #expect(times.count == 21)
    #expect(samples[20 * 480..<20 * 480 + 288].allSatisfy { $0 == 0.125 })
    // It fades in.
    #expect(zip(samples[(20 * 480 + 288)...], samples[(20 * 480 + 289)...]).allSatisfy { $0 < $1 })
  }

  @Test func aTrackThatDoesNotBeginIsNotWaitedForLong() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in 0..<3 { add(0.125, at: index, 0, to: mixer) }
    #expect(times.isEmpty)
    unsafe mixer.addSilence(until: MixerTrackTests.start + .milliseconds(5), emit: take)
    #expect(times.count == 2)
    // Its first chunk is late: only what the limiter has not seen yet is heard.
    let seen = 2 * 480 + Mixer.lookAheadFrames
    #expect(add([Float](repeating: 0.25, count: 1_440), at: 1, 1, to: mixer) == seen - 480)
    add(0.125, at: 3, 0, to: mixer)
    #expect(samples[..<seen].allSatisfy { $0 == 0.125 })
    #expect(samples[(seen + MixerTrack.seamFrames)...].allSatisfy { $0 == 0.375 })
  }

  @Test func withoutAnyTrackThereIsSilence() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    unsafe mixer.addSilence(until: MixerTrackTests.start + .milliseconds(55), emit: take)
    #expect(times.count == 5 && samples.allSatisfy { $0 == 0 })
    #expect(mixer.end == MixerTrackTests.start + .milliseconds(55))
  }

  /// One track delivers a second at once, the other nothing after its first chunk.
  @Test func aTrackThatIsFarAheadDoesNotWait() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    add(0.25, at: 0, 1, to: mixer)
    for index in 0..<100 { add(0.125, at: index, 0, to: mixer) }
    // 64 blocks wait for the other track.
    #expect(times.count == 36)
    #expect(values(at: 0) == [0.375])
    #expect((2..<36).allSatisfy { values(at: $0) == [0.125] })
    #expect(add([Float](repeating: 0.25, count: 480), at: 20, 1, to: mixer) == 480)
    for index in 36..<100 { add(0.25, at: index, 1, to: mixer) }
    #expect(times.count == 99)
    #expect((37..<99).allSatisfy { values(at: $0) == [0.375] })
  }

  @Test func silenceReplacesWhatHasNotBeenEmitted() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in 0..<2 { add(0.25, at: index, 1, to: mixer) }
    for index in 0..<5 { add(0.125, at: index, 0, to: mixer) }
    for track in 0..<2 { mixer.silence(track: track) }
    for index in 2..<5 { add(0.25, at: index, 1, to: mixer) }
    #expect(values(at: 0) == [0.375])
    #expect(values(at: 1) == [0])
    // What comes then fades in.
    let seam = MixerTrack.seamFrames
    #expect(zip(samples[960..<959 + seam], samples[961...]).allSatisfy { $0 < $1 })
    #expect(samples[(960 + seam)..<4 * 480].allSatisfy { $0 == 0.25 })
  }

  @Test func aLongGapStaysInTheTimeline() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in [0, 1, 360_000, 360_001] {
      add(0.125, at: index, 0, to: mixer)
      add(0.25, at: index, 1, to: mixer)
    }
    #expect(
      times == [MixerTrackTests.start, MixerTrackTests.start + .milliseconds(3_600_000)])
    #expect(samples.allSatisfy { $0 == 0.375 })
  }

  /// y = a × x + b, and a memory.
  private final class Line: AudioFilter {
    let a: Float
    let b: Float
    private(set) var resets = 0

    init(_ a: Float, _ b: Float) {
      self.a = a
      self.b = b
    }

    func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
      for index in 0..<frames { unsafe interleaved[index] = a * interleaved[index] + b }
    }

    func reset() { resets += 1 }
  }

  @Test func filtersOfATrackComeInOrderBeforeItsGain() {
    let filters = [Line(2, 0), Line(1, 0.125)]
    let mixer = mixer([AudioTrack(gain: TrackGain(gainDB: -20), filters: filters), AudioTrack()])
    let chunk = [Float](repeating: 0.25, count: 480)
    for index in 0..<2 {
      add(chunk, at: index, 0, to: mixer)
      add(0.5, at: index, 1, to: mixer)
    }
    #expect(samples.allSatisfy { abs($0 - 0.5625) < 0.0001 })
    for track in 0..<2 { mixer.silence(track: track) }
    #expect(filters.allSatisfy { $0.resets == 1 })
  }
}
