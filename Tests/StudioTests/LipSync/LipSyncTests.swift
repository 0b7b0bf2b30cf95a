// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing

@testable import Studio

/// Flashes and sounds on synthetic frames and samples, in virtual time.
@Suite struct LipSyncTests {
  private enum Sound {
    /// A buzzer of 2.7 kHz, for 100 ms.
    case buzzer
    /// A phone's page: 3 kHz for 100 ms, and a screen that takes 16 ms to become white.
    case phone
    /// A clap: noise that dies away within some milliseconds.
    case clap
  }

  /// A second of a hum, a voice and noise.
  private static let room: [Double] = {
    var dice = SplitMix64(seed: 99)
    return (0..<48_000).map { index in
      let now = Double(index) / 48_000
      return 0.1 * sin(2 * .pi * 50 * now)
        + 0.1 * sin(2 * .pi * 400 * now) * sin(2 * .pi * 3 * now)
        + Double.random(in: -0.0005...0.0005, using: &dice)
    }
  }()

  /// A camera sees flashes, and a microphone hears each sound `offsetMs` later, among a hum, a voice and noise.
  private func measure(
    offsetMs: Double, framesPerSecond: Int = 30, sound: Sound = .buzzer, seed: UInt64 = 1,
    strays: Int = 0, jitterMs: Double = 0, flashes: Int = 22, present: Int = 0
  ) -> Result<LipSyncResult, LipSyncTrouble> {
    var dice = SplitMix64(seed: seed)
    let start = MediaTime(nanos: .seconds(1_000))
    let beats = LipSyncBeats(start: start + .milliseconds(1_700))
    var (flashTimes, soundTimes): ([Double], [Double]) = ([], [])
    var (now, time) = (start, 0.0)
    while flashTimes.count < flashes {
      let state = beats.state(at: now)
      if state.isOn {
        flashTimes.append(time)
        soundTimes.append(
          time + offsetMs / 1e3 + Double.random(in: -jitterMs...jitterMs, using: &dice) / 1e3)
      }
      now = state.until
      time = Double(now - start) / 1e9
    }
    for _ in 0..<strays { soundTimes.append(Double.random(in: 1...time, using: &dice)) }
    let seconds = time + 1.5
    var (meter, events) = (LipSyncMeter(channels: 1), LipSyncEvents())
    let phase = Double.random(in: 0..<1, using: &dice) / Double(framesPerSecond)
    for frame in 0..<Int(seconds * Double(framesPerSecond)) {
      let now = Double(frame) / Double(framesPerSecond) + phase
      let lit = flashTimes.first { now >= $0 && now < $0 + 0.1 }
      let share = lit.map { sound == .phone ? min(1, (now - $0) / 0.016) : 1 } ?? 0
      let luma = 0.25 + 0.55 * share + Double.random(in: -0.02...0.02, using: &dice)
      meter.take(luma: luma, at: start + Int64(now * 1e9), into: &events)
    }
    let queue = PCMQueue(channels: 1)
    let sorted = soundTimes.sorted()
    var next = 0
    var chunk = [Float](repeating: 0, count: 480)
    for block in 0..<Int(seconds * 100) {
      for index in 0..<480 {
        let number = block * 480 + index
        let now = Double(number) / 48_000
        while next + 1 < sorted.count, sorted[next + 1] <= now { next += 1 }
        var value = LipSyncTests.room[number % LipSyncTests.room.count]
        let since = now - sorted[next]
        if since >= 0, since < 0.11 {
          switch sound {
          case .buzzer where since < 0.1: value += 0.2 * sin(2 * .pi * 2_700 * since)
          case .phone where since < 0.1: value += 0.1 * sin(2 * .pi * 3_000 * since)
          case .clap: value += 0.4 * exp(-since / 0.008) * Double.random(in: -1...1, using: &dice)
          case .buzzer, .phone: break
          }
        }
        chunk[index] = Float(value)
      }
      unsafe queue.put(chunk, frames: 480, startsAt: start + PCM.nanos(frames: block * 480))
      meter.take(queue, into: &events)
    }
    return events.result(present: present)
  }

  @Test(arguments: [-200.0, 0, 200], [25, 30, 60])
  func anOffsetIsFoundWithin5Ms(offsetMs: Double, framesPerSecond: Int) throws {
    let sound = framesPerSecond == 30 ? Sound.clap : .buzzer
    let result = try measure(
      offsetMs: offsetMs, framesPerSecond: framesPerSecond, sound: sound,
      seed: UInt64(framesPerSecond)
    ).get()
    #expect(abs(result.soundAfterMs - offsetMs) < 5, "\(result)")
    #expect(abs(Double(result.delayMs) + offsetMs) < 5.5 && result.events >= 18)
    print(
      "figure  lipsync/error at \(offsetMs) ms, \(framesPerSecond) fps"
        + "  \(result.soundAfterMs - offsetMs)")
  }

  /// Its screen and its speaker are apart by some milliseconds that change.
  @Test(arguments: [-180.0, -80, -20, 20, 80, 180])
  func aPhonesFlashesAndBeepsAreFound(offsetMs: Double) throws {
    let result = try measure(offsetMs: offsetMs, sound: .phone, jitterMs: 12).get()
    #expect(abs(result.soundAfterMs - offsetMs) < 20 && result.events >= 15, "\(result)")
  }

  @Test func soundsOfOthersAreLeftOut() throws {
    for seed in UInt64(1)...2 {
      let result = try measure(offsetMs: 120, seed: seed, strays: 8).get()
      #expect(abs(result.soundAfterMs - 120) < 6, "\(result)")
    }
  }

  /// What viewers get has the present delay; what is proposed takes its place.
  @Test func thePresentDelayCounts() throws {
    let result = try measure(offsetMs: -100).get()
    let delayed = try measure(offsetMs: -100, present: 60).get()
    #expect(delayed.soundAfterMs == result.soundAfterMs + 60 && delayed.delayMs == result.delayMs)
  }

  @Test func whatDoesNotFitHasNoResult() {
    #expect(measure(offsetMs: 50, flashes: 9) == .failure(.tooFew))
    #expect(measure(offsetMs: 0, jitterMs: 150) == .failure(.uneven))
    #expect(LipSyncEvents().result(present: 0) == .failure(.tooFew))
    var events = LipSyncEvents()
    for index in 0..<20 {
      let time = MediaTime(nanos: .seconds(Int64(index) * 2))
      events.addFlash(time)
      events.addSound(time + .milliseconds(600))
    }
    #expect(events.result(present: 0) == .failure(.tooFew), "beyond half a second")
  }

  @Test func lampAndBuzzerBeatWithoutAPattern() {
    let start = MediaTime(nanos: .seconds(5))
    let beats = LipSyncBeats(start: start)
    let early = beats.state(at: start - 1)
    #expect(!early.isOn && early.until == start)
    var (now, ons): (MediaTime, [MediaTime]) = (start, [])
    while ons.count < 40 {
      let state = beats.state(at: now)
      if state.isOn {
        ons.append(now)
        #expect(state.until == now + .milliseconds(100))
      }
      now = state.until
    }
    let steps = zip(ons, ons.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { (.milliseconds(700) ... .milliseconds(1_300)).contains($0) })
    #expect(Set(steps).count == steps.count)
  }
}
