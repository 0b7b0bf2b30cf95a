// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import TestSupport
import Testing

@testable import Audio

/// Tracks that join and leave while others are heard.
final class MixerJoinTests {
  static let start = MediaTime(nanos: 5_000_000_000)
  private var samples: [Float] = []

  private func mixer(_ tracks: Int, channels: Int = 1) -> Mixer {
    Mixer(
      channels: channels, tracks: (0..<tracks).map { _ in AudioTrack() }, blockFrames: 1_024,
      keptBlocks: 5, origin: MixerJoinTests.start)
  }

  private func add(_ chunk: [Float], at frame: Int, _ track: Int, to mixer: Mixer) {
    unsafe mixer.add(
      chunk, frames: chunk.count / mixer.channels,
      startsAt: MixerJoinTests.start + PCM.nanos(frames: frame), track: track
    ) { block, _ in
      unsafe samples.append(
        contentsOf: UnsafeBufferPointer(start: block, count: 1_024 * mixer.channels))
    }
  }

  /// Each sample says of which track it is and when, whatever the order in which tracks deliver, join and leave: the
  /// sum is what those that were there have delivered.
  @Test(arguments: 0..<often(20)) func theSumHasWhatEachTrackHasDelivered(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let mixer = mixer(1)
    var wanted = [Double](repeating: 0, count: 480 * 1_100)
    var fading = Set<Int>()
    var present = [0: 0]
    func value(_ track: Int, _ frame: Int) -> Float {
      Float(1 + (frame * 7 + track * 13) % 97) / 4_096
    }
    func deliver(_ place: Int, _ chunk: Int) {
      let frames = chunk * 480..<(chunk + 1) * 480
      add(frames.map { value(place, $0) }, at: chunk * 480, place, to: mixer)
      for frame in frames { wanted[frame] += Double(value(place, frame)) }
    }
    for index in 0..<1_000 {
      if present.count < 8, Int.random(in: 0..<20, using: &dice) == 0 {
        // While all places are taken or fading, there is none.
        if let place = mixer.join(AudioTrack()) {
          present[place] = index + 1
          fading.formUnion(index * 480..<index * 480 + 240)
          deliver(place, index)
        }
      }
      if present.count > 1, Int.random(in: 0..<20, using: &dice) == 0,
        let place = present.keys.sorted().randomElement(using: &dice), let next = present[place]
      {
        mixer.leave(place)
        present[place] = nil
        fading.formUnion(next * 480..<next * 480 + 240)
      }
      // They are up to some chunks apart.
      for place in present.keys.sorted() {
        guard let next = present[place] else { continue }
        let until = min(index, next + Int.random(in: 0..<4, using: &dice))
        for chunk in next..<max(next, until) {
          deliver(place, chunk)
          present[place] = chunk + 1
        }
      }
    }
    #expect(samples.count > 480 * 900)
    let wrong = samples.indices.first {
      !fading.contains($0) && abs(Double(samples[$0]) - wanted[$0]) > 0.000_01
    }
    #expect(wrong == nil)
  }

  /// A tone that ends does not click, whenever it ends, and its place is free again.
  @Test(arguments: [1, 2]) func aTrackThatLeavesFades(channels: Int) throws {
    let mixer = mixer(1, channels: channels)
    let step = 2 * Float.pi * 440 / 48_000
    for round in 0..<40 {
      let place = try #require(mixer.join(AudioTrack()))
      let chunks = 5 + round % 7
      for chunk in 0..<20 {
        let first = (round * 20 + chunk) * 480
        // It is heard from its first sample on if the others have not got there.
        defer { add([Float](repeating: 0, count: 480 * channels), at: first, 0, to: mixer) }
        guard chunk < chunks else { continue }
        let tone = (0..<480 * channels).map {
          0.5 * sin(step * Float(chunk * 480 + $0 / channels))
        }
        add(tone, at: first, place, to: mixer)
        if chunk == chunks - 1 { mixer.leave(place) }
      }
    }
    let jumps = samples.indices.dropFirst(channels).map {
      abs(samples[$0] - samples[$0 - channels])
    }
    #expect(try #require(jumps.max()) < 0.5 * step * 1.1)
    #expect(samples.contains { $0 > 0.49 })
  }

  @Test func eachOfThePlacesIsUsedAgain() throws {
    let mixer = mixer(1)
    for place in 1..<Mixer.maxTracks { #expect(mixer.join(AudioTrack()) == place) }
    #expect(mixer.join(AudioTrack()) == nil)
    mixer.leave(3)
    for chunk in 0..<8 { add([Float](repeating: 0, count: 480), at: chunk * 480, 0, to: mixer) }
    #expect(mixer.join(AudioTrack()) == 3)
  }

  /// Without any track there is silence until one joins.
  @Test func theLastTrackMayLeave() throws {
    let mixer = mixer(1)
    add([Float](repeating: 0.5, count: 960), at: 0, 0, to: mixer)
    mixer.leave(0)
    unsafe mixer.addSilence(until: MixerJoinTests.start + .milliseconds(200)) { block, _ in
      unsafe samples.append(contentsOf: UnsafeBufferPointer(start: block, count: 1_024))
    }
    #expect(samples.count == 9 * 1_024)
    #expect(
      samples[959] == 0.5 && samples[1_080] < 0.25 && samples[1_200...].allSatisfy { $0 == 0 })
    let place = try #require(mixer.join(AudioTrack()))
    add([Float](repeating: 0.25, count: 960), at: 9_600, place, to: mixer)
    add([Float](repeating: 0.25, count: 960), at: 10_560, place, to: mixer)
    #expect(samples[9_599] == 0 && samples[9_600] < 0.01 && samples[9_840] == 0.25)
  }

  /// A delay of a filter, and one that is set, move a track against the others.
  @Test func aTrackIsShiftedByItsDelays() {
    final class Late: AudioFilter {
      let delayFrames = 480
      private var held = [Float](repeating: 0, count: 480)
      func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
        for index in 0..<frames { unsafe swap(&interleaved[index], &held[index % 480]) }
      }
      func reset() { held = [Float](repeating: 0, count: 480) }
    }
    let mixer = Mixer(
      channels: 1,
      tracks: [
        AudioTrack(), AudioTrack(filters: [Late()]), AudioTrack(delayNanos: .milliseconds(20)),
      ], blockFrames: 1_024, origin: MixerJoinTests.start)
    for chunk in 0..<20 {
      for track in 0..<3 {
        let chunkSamples = (0..<480).map { chunk * 480 + $0 == 4_800 ? Float(0.125) : 0 }
        add(chunkSamples, at: chunk * 480, track, to: mixer)
      }
    }
    let heard = samples.indices.filter { samples[$0] > 0 }
    #expect(heard == [4_800, 4_800 + 960] && samples[4_800] == 0.25)
  }
}
