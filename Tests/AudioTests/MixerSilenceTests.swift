// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Audio

/// A track that is silenced is silent to the last bit, and comes back without anything of before.
final class MixerSilenceTests {
  private static let start = MediaTime(nanos: 5_000_000_000)
  private static let channels = 2
  private static let block = 1_024

  /// Delays samples by 10 ms, as a filter does that works on blocks.
  private final class Delay: AudioFilter {
    let delayFrames = 480
    private var held = [Float](repeating: 0, count: 480 * channels)

    func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
      let count = frames * channels
      let all = unsafe held + Array(UnsafeBufferPointer(start: interleaved, count: count))
      for index in 0..<count { unsafe interleaved[index] = all[index] }
      held = Array(all[count...])
    }

    func reset() { held = [Float](repeating: 0, count: held.count) }
  }

  /// What has been emitted since the last cut.
  private var samples: [Float] = []
  private let mixer: Mixer

  init() {
    mixer = Mixer(
      channels: MixerSilenceTests.channels, tracks: [AudioTrack()], blockFrames: Self.block,
      keptBlocks: 4, origin: Self.start)
  }

  private func take(_ block: UnsafePointer<Float>, _ time: MediaTime) {
    unsafe samples.append(
      contentsOf: UnsafeBufferPointer(start: block, count: Self.block * Self.channels))
  }

  private func add(_ value: Float?, frames: Int, at frame: Int) {
    let chunk = value.map { [Float](repeating: $0, count: frames * Self.channels) }
    let time = Self.start + PCM.nanos(frames: frame)
    if let chunk {
      unsafe mixer.add(chunk, frames: frames, startsAt: time, emit: take)
    } else {
      unsafe mixer.add(nil, frames: frames, startsAt: time, emit: take)
    }
  }

  /// Cuts at random moments: amid sound, gaps, fades, changed filters and changed volumes.
  @Test(arguments: 0..<often(300)) func nothingOfASilencedTrackIsHeard(seed: Int) {
    var dice = SplitMix64(seed: UInt64(seed))
    var frame = 0
    for _ in 0..<6 {
      // Sound, with gaps that are shorter than a fade, and longer ones.
      for _ in 0..<Int.random(in: 1...12, using: &dice) {
        let frames = Int.random(in: 1...480, using: &dice)
        add(Float.random(in: -2...2, using: &dice), frames: frames, at: frame)
        frame += frames
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: frame += Int.random(in: 1...900, using: &dice)
        case 1: add(nil, frames: 100, at: frame)
        case 2:
          let gain = TrackGain(gainDB: Double.random(in: -20...12, using: &dice))
          mixer.set(gain: gain, track: 0)
        case 3:
          mixer.set(filters: Bool.random(using: &dice) ? [Delay()] : [], delayNanos: 0, track: 0)
        default: break
        }
      }
      mixer.silence(track: 0)
      samples.removeAll()
      unsafe mixer.repeatBlocks(take)
      // The source goes on, or is gone.
      if Bool.random(using: &dice) {
        for _ in 0..<10 {
          add(nil, frames: 480, at: frame)
          frame += 480
        }
      } else {
        frame += 4_800
        unsafe mixer.addSilence(until: Self.start + PCM.nanos(frames: frame), emit: take)
      }
      #expect(!samples.isEmpty && samples.allSatisfy { $0 == 0 })
    }
  }

  /// What was said before a cut that hides nothing stays in its own scene.
  @Test(arguments: [false, true], [false, true])
  func nothingFadesBeyondABreak(hasGap: Bool, hasFilter: Bool) {
    if hasFilter { mixer.set(filters: [Delay()], delayNanos: 0, track: 0) }
    for index in 0..<8 { add(0.5, frames: 480, at: index * 480) }
    mixer.breakOff(track: 0)
    let end = PCM.frames(nanos: mixer.end(track: 0) - Self.start)
    samples.removeAll()
    let first = PCM.frames(nanos: mixer.nextBlockTime - Self.start)
    for index in (hasGap ? 10 : 8)..<30 { add(-0.25, frames: 480, at: index * 480) }
    let later = samples[((end - first) * Self.channels)...]
    // Nothing has the sign of before.
    #expect(later.allSatisfy { $0 <= 0 } && later.last == -0.25)
    guard !hasFilter else { return }
    // The sound fades in from silence.
    let steps = zip([0, 0] + later, later).map { $0 - $1 }
    #expect(steps.allSatisfy { $0 >= 0 && $0 < 0.002 })
  }
}
