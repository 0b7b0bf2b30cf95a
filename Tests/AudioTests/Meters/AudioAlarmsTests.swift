// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import TestSupport
import Testing

@testable import Audio

/// Each alarm begins once, after its time, and ends once.
struct AudioAlarmsTests {
  private enum Change: Equatable {
    case begins(AudioAlarm, second: Int)
    case ends(AudioAlarm, second: Int)
  }

  /// Plays a signal, and notes when alarms begin and end, in whole seconds.
  /// - Parameter signal: the left and the right sample of a sample frame.
  private func changes(
    seconds: Int, silenceSeconds: Double = 10,
    _ signal: (_ frame: Int, _ dice: inout SplitMix64) -> (Float, Float)
  ) -> [Change] {
    let alarms = AudioAlarms(channels: 2)
    alarms.silenceSeconds = silenceSeconds
    var dice = SplitMix64(seed: 5)
    var (changes, raised) = ([Change](), Set<AudioAlarm>())
    var chunk = [Float](repeating: 0, count: 960)
    for start in stride(from: 0, to: seconds * 48_000, by: 480) {
      for frame in 0..<480 {
        (chunk[frame * 2], chunk[frame * 2 + 1]) = signal(start + frame, &dice)
      }
      guard unsafe alarms.note(chunk, frames: 480) else { continue }
      let now = alarms.raised.alarms
      let second = (start + 480) / 48_000
      for alarm in AudioAlarm.allCases where now.contains(alarm) != raised.contains(alarm) {
        changes.append(
          now.contains(alarm) ? .begins(alarm, second: second) : .ends(alarm, second: second))
      }
      raised = now
    }
    return changes
  }

  /// Noise of about -30 dBFS.
  private func noise(_ dice: inout SplitMix64) -> Float {
    Float.random(in: -0.05...0.05, using: &dice)
  }

  @Test func soundThatIsRightHasNoAlarm() {
    #expect(changes(seconds: 40) { _, dice in (noise(&dice), noise(&dice)) } == [])
  }

  @Test func silenceBeginsAfterTenSecondsAndEndsAfterFive() {
    let changes = changes(seconds: 40) { frame, dice in
      let value = noise(&dice) * ((5..<20).contains(frame / 48_000) ? 0.001 : 1)
      return (value, value)
    }
    #expect(changes == [.begins(.silence, second: 15), .ends(.silence, second: 25)])
  }

  @Test func silenceThatIsNotWatchedForIsNoAlarm() {
    let changes = changes(seconds: 20, silenceSeconds: 0) { _, dice in
      (noise(&dice) * 0.001, noise(&dice) * 0.001)
    }
    #expect(changes == [])
  }

  @Test func aDeviceThatDeliversZerosIsDead() {
    let changes = changes(seconds: 20) { frame, dice in
      let value = noise(&dice) * ((5..<10).contains(frame / 48_000) ? 0 : 1)
      return (value, value)
    }
    #expect(changes == [.begins(.deadDevice, second: 7), .ends(.deadDevice, second: 15)])
  }

  @Test func oneChannelThatIsSilentIsDead() {
    let changes = changes(seconds: 60) { frame, dice in
      (noise(&dice), noise(&dice) * ((5..<45).contains(frame / 48_000) ? 0.0001 : 1))
    }
    #expect(changes == [.begins(.deadChannel, second: 35), .ends(.deadChannel, second: 50)])
  }

  @Test func channelsThatCancelEachOtherAreTold() {
    let changes = changes(seconds: 40) { frame, dice in
      let value = noise(&dice)
      return (value, (5..<25).contains(frame / 48_000) ? -value : value)
    }
    #expect(changes == [.begins(.inverted, second: 15), .ends(.inverted, second: 30)])
  }

  /// Three times in ten seconds is an alarm; once is not.
  @Test func clippingHasToComeBack() {
    let changes = changes(seconds: 60) { frame, dice in
      let second = frame / 48_000
      let isLoud = second == 2 || (20..<24).contains(second)
      let value = isLoud && frame % 48_000 < 5 ? 1 : noise(&dice)
      return (value, value)
    }
    #expect(changes == [.begins(.clipping, second: 22), .ends(.clipping, second: 36)])
  }

  @Test(arguments: [50, 60]) func humIsFoundInPausesOfAVoice(hertz: Int) throws {
    let alarms = AudioAlarms(channels: 1)
    var dice = SplitMix64(seed: 9)
    var chunk = [Float](repeating: 0, count: 480)
    for start in stride(from: 0, to: 40 * 48_000, by: 480) {
      let speaks = start / 48_000 % 8 < 5
      for frame in 0..<480 {
        let time = Double(start + frame) / 48_000
        let voice = speaks ? 0.2 * sin(2 * .pi * 170 * time) * sin(2 * .pi * 3 * time) : 0
        let hum = [1.0, 2, 3].reduce(0) {
          $0 + 0.005 / $1 * sin(2 * .pi * Double(hertz) * $1 * time)
        }
        chunk[frame] = Float(voice + hum) + Float.random(in: -0.001...0.001, using: &dice)
      }
      _ = unsafe alarms.note(chunk, frames: 480)
    }
    let hum = try #require(alarms.hum)
    #expect(hum == Hum(hertz: hertz, tones: [1, 2, 3].map { Double(hertz * $0) }))
    #expect(alarms.raised.alarms == [.hum])
  }

  /// Hum begins above a threshold and ends 6 dB below it, so what comes and goes in between is one alarm. First by the
  /// share of the mains in noise, then by the level of hum alone.
  @Test(arguments: [
    (strong: Float(0.002_5), between: Float(0.000_95), noise: Float(0.01), weak: Float(0)),
    (0.002, 0.001_1, 0.000_01, 0.000_5),
  ])
  func humEndsOnceItIsClearlyOver(
    strong: Float, between: Float, noise: Float, weak: Float
  ) {
    let changes = changes(seconds: 90, silenceSeconds: 0) { frame, dice in
      let second = frame / 48_000
      let amplitude =
        switch second {
        case ..<20: strong
        case ..<40: between
        case ..<44: strong
        case ..<60: between
        default: weak
        }
      let value =
        amplitude * sin(2 * .pi * 100 / 48_000 * Float(frame % 480))
        + Float.random(in: -noise...noise, using: &dice)
      return (value, value)
    }
    guard changes.count == 2, case .ends(.hum, let end) = changes[1] else {
      #expect(Bool(false), "\(changes)")
      return
    }
    #expect(changes[0] == .begins(.hum, second: 6))
    #expect((66...70).contains(end), "\(changes)")
  }
}
