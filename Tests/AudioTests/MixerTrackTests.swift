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
    let mixer = mixer([AudioTrack(gainDB: -20), AudioTrack(gainDB: 6.0206)])
    add(0.5, at: 0, 0, to: mixer)
    add(0.25, at: 0, 1, to: mixer)
    mixer.set(gainDB: -40, track: 1)
    add(0.5, at: 1, 0, to: mixer)
    add(0.5, at: 1, 1, to: mixer)
    #expect(abs(samples[0] - 0.55) < 0.0001)
    #expect(abs(samples[480] - 0.055) < 0.0001)
  }

  @Test func theSumNeverExceedsFullScale() {
    let tones = [
      MixerTrackTests.tone(440, level: 1), MixerTrackTests.tone(443, level: 1),
      MixerTrackTests.tone(97, level: 1),
    ]
    play(tones, through: mixer((0..<3).map { _ in AudioTrack(gainDB: 12) }))
    #expect(samples.allSatisfy { abs($0) < 1 })
    #expect(samples.contains { abs($0) > 0.98 })
  }

  @Test func theMixerTellsWhatTheLimiterHasLowered() {
    let mixer = mixer([AudioTrack(gainDB: 0), AudioTrack(gainDB: 0)])
    var limited: [Bool] = []
    for (index, value) in [Float(0.3), 0.6, 0.3].enumerated() {
      add(value, at: index, 0, to: mixer)
      add(value, at: index, 1, to: mixer)
      limited.append(mixer.hasLimited)
    }
    #expect(limited == [false, true, false])
  }

  @Test func theLimiterIsTransparentBelowItsKneeAndSmoothAbove() {
    let levels = (-5_000...5_000).map { Float($0) / 1_000 }
    var limited = levels + [.greatestFiniteMagnitude]
    unsafe SoftLimiter.limit(&limited, count: limited.count)
    for (level, result) in zip(levels, limited) {
      #expect(abs(level) <= SoftLimiter.knee ? result == level : abs(result) < 1)
    }
    #expect(
      zip(limited, limited.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 < 0.00101 || $1 == 1 })
    #expect(limited.prefix(levels.count).map { -$0 } == limited.prefix(levels.count).reversed())
    #expect(limited.last == 1)
  }

  /// The others wait for it only until silence has been added in its place.
  @Test func aTrackThatStallsBecomesSilence() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in 0..<10 {
      add(0.25, at: index, 0, to: mixer)
      if index < 4 { add(0.5, at: index, 1, to: mixer) }
    }
    #expect(times.count == 4)
    #expect(mixer.end == MixerTrackTests.start + .milliseconds(40))
    unsafe mixer.addSilence(until: MixerTrackTests.start + .milliseconds(60), emit: take)
    // What the other track has delivered follows at once.
    #expect(times.count == 10)
    #expect(mixer.end == MixerTrackTests.start + .milliseconds(100))
    for index in 10..<20 { add(0.25, at: index, 0, to: mixer) }
    #expect(times.count == 20)
    #expect((0..<4).allSatisfy { values(at: $0) == [0.75] })
    #expect((4..<20).allSatisfy { values(at: $0) == [0.25] })
    // It returns, 5 ms later than the samples that have been emitted, and is waited for again.
    unsafe mixer.add(
      [Float](repeating: 0.5, count: 480), frames: 480,
      startsAt: MixerTrackTests.start + .milliseconds(206), track: 1, emit: take)
    add(0.25, at: 20, 0, to: mixer)
    add(0.25, at: 21, 0, to: mixer)
    #expect(times.count == 21)
    #expect(Array(samples[20 * 480..<21 * 480]) == (0..<480).map { $0 < 288 ? 0.25 : 0.75 })
  }

  @Test func aTrackThatDoesNotBeginIsNotWaitedForLong() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in 0..<3 { add(0.25, at: index, 0, to: mixer) }
    #expect(times.isEmpty)
    unsafe mixer.addSilence(until: MixerTrackTests.start + .milliseconds(5), emit: take)
    #expect(times.count == 3)
    // Its first chunk is late: only what is still to come is heard.
    #expect(add([Float](repeating: 0.5, count: 960), at: 2, 1, to: mixer) == 480)
    add(0.25, at: 3, 0, to: mixer)
    #expect((0..<3).allSatisfy { values(at: $0) == [0.25] })
    #expect(values(at: 3) == [0.75])
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
    add(0.5, at: 0, 1, to: mixer)
    for index in 0..<100 { add(0.25, at: index, 0, to: mixer) }
    // 64 blocks wait for the other track.
    #expect(times.count == 36)
    #expect(values(at: 0) == [0.75])
    #expect((1..<36).allSatisfy { values(at: $0) == [0.25] })
    #expect(add([Float](repeating: 0.5, count: 480), at: 20, 1, to: mixer) == 480)
    for index in 36..<100 { add(0.5, at: index, 1, to: mixer) }
    #expect(times.count == 100)
    #expect((36..<100).allSatisfy { values(at: $0) == [0.75] })
  }

  @Test func silenceReplacesWhatHasNotBeenEmitted() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    add(0.5, at: 0, 1, to: mixer)
    for index in 0..<5 { add(0.25, at: index, 0, to: mixer) }
    for track in 0..<2 { mixer.silence(track: track) }
    for index in 1..<5 { add(0.5, at: index, 1, to: mixer) }
    #expect(values(at: 0) == [0.75])
    #expect((1..<5).allSatisfy { values(at: $0) == [0.5] })
  }

  @Test func aLongGapStaysInTheTimeline() {
    let mixer = mixer([AudioTrack(), AudioTrack()])
    for index in [0, 360_000] {
      add(0.25, at: index, 0, to: mixer)
      add(0.5, at: index, 1, to: mixer)
    }
    #expect(
      times == [MixerTrackTests.start, MixerTrackTests.start + .milliseconds(3_600_000)])
    #expect(samples.allSatisfy { $0 == 0.75 })
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
    let mixer = mixer([AudioTrack(gainDB: -20, filters: filters), AudioTrack()])
    let chunk = [Float](repeating: 0.25, count: 480)
    add(chunk, at: 0, 0, to: mixer)
    add(0.5, at: 0, 1, to: mixer)
    #expect(samples.allSatisfy { abs($0 - 0.5625) < 0.0001 })
    for track in 0..<2 { mixer.silence(track: track) }
    #expect(filters.allSatisfy { $0.resets == 1 })
  }
}
