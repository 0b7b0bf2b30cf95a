// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Testing

@testable import Audio

/// Music under a voice.
struct DuckerTests {
  private static let seconds = 6
  /// The music, a constant level, so that its gain can be read off its samples.
  private static let level: Float = 0.25

  /// The gain of the music in decibels, sample by sample, under a voice that speaks from 1 s to 2 s.
  /// - Parameters:
  ///   - voice: the voice's amplitude.
  ///   - isMuted: whether the voice's track is muted.
  ///   - mutedAt: the second at which it is muted; `nil` for never.
  private func gains(
    voice: Float, isMuted: Bool = false, mutedAt: Double? = nil, depthDB: Double = 12
  ) -> [Double] {
    let mixer = Mixer(
      channels: 1,
      tracks: [
        AudioTrack(gain: TrackGain(isMuted: isMuted), role: .voice), AudioTrack(role: .music),
      ], blockFrames: 1_024, origin: MediaTime(nanos: 0))
    mixer.ducking.depthDB = depthDB
    var music: [Float] = []
    for chunk in 0..<DuckerTests.seconds * 100 {
      let speaks = (100..<200).contains(chunk)
      if let mutedAt, chunk == Int(mutedAt * 100) {
        mixer.set(gain: TrackGain(isMuted: true), track: 0)
      }
      for track in 0..<2 {
        let samples = (0..<480).map { frame -> Float in
          track == 1 ? DuckerTests.level : speaks ? voice * sin(Float(frame) * 0.3) : 0
        }
        unsafe mixer.add(
          samples, frames: 480, startsAt: MediaTime(nanos: 0) + Int64(chunk) * .milliseconds(10),
          track: track
        ) { _, _ in
          unsafe music.append(
            contentsOf: UnsafeBufferPointer(start: mixer.samples(ofTrack: 1), count: 1_024))
        }
      }
    }
    return music.map { 20 * log10(Double($0 / DuckerTests.level)) }
  }

  private func at(_ seconds: Double, _ gains: [Double]) -> Double { gains[Int(seconds * 48_000)] }

  @Test func musicGoesDownWithTheVoiceAndComesBack() {
    let gains = gains(voice: 0.3)
    #expect(abs(at(0.99, gains)) < 0.01)
    #expect(abs(at(1.05, gains) + 6) < 0.3, "half of the attack of 100 ms")
    for time in [1.11, 1.5, 2.0, 2.69] { #expect(abs(at(time, gains) + 12) < 0.01) }
    #expect(abs(at(3.2, gains) + 6) < 0.3, "half of the release of 1 s, after 700 ms")
    #expect(abs(at(3.75, gains)) < 0.01)
    // No step.
    #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) < 0.02 })
  }

  @Test func aQuietRoomDoesNotDuck() {
    #expect(gains(voice: 0.01).allSatisfy { abs($0) < 0.001 })
  }

  /// Complaint: a muted microphone still lowered the music.
  @Test func aMutedVoiceDoesNotDuck() {
    #expect(gains(voice: 0.3, isMuted: true).allSatisfy { abs($0) < 0.001 })
  }

  /// S7: a voice that is muted while it speaks counts as silent from then on.
  @Test func musicComesBackAfterAMuteWhileSpeaking() {
    let gains = gains(voice: 0.3, mutedAt: 1.5)
    #expect(abs(at(1.5, gains) + 12) < 0.01)
    // The mute fades within 20 ms; the hold of 700 ms, and the release of 1 s, follow.
    #expect(abs(at(2.19, gains) + 12) < 0.01)
    #expect(abs(at(2.71, gains) + 6) < 0.3)
    #expect(gains[Int(3.23 * 48_000)...].allSatisfy { abs($0) < 0.01 })
  }

  @Test func withoutDepthNothingIsLowered() {
    #expect(gains(voice: 0.3, depthDB: 0).allSatisfy { abs($0) < 0.001 })
  }
}
