// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import CFFmpeg
import Encode
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture
@testable import Publish

/// Two sound cards whose clocks are 200 ppm apart, mixed beside a camera, on a virtual clock. Both play the same tone of
/// true time, one on the left and one on the right; its phase in the mix tells at each moment by how much a card is out
/// of step.
struct TwoCardsTests {
  private static let second: Int64 = .seconds(1)
  private static let start = MediaTime(nanos: .seconds(1_000))
  private static let blockFrames = 1_024
  /// Sample frames of a period of the tone, which has 20 Hz: an error of up to 25 ms is unambiguous.
  private static let toneFrames = 2_400
  private static let amplitude = 0.5

  /// An hour in the full count. Without a correction the cards are 720 ms apart at its end.
  @Test func twoCardsStayInStepWithThePicture() throws {
    let seconds = Double(often(3_600))
    var cards = try [100.0, -100].enumerated().map { try Card(ppm: $1, seed: UInt64($0)) }
    let ear = Ear()
    var camera = Camera()
    var jumps = 0
    while true {
      let index = cards[0].seconds <= cards[1].seconds ? 0 : 1
      guard cards[index].seconds < seconds else { break }
      if try cards[index].read() { jumps += 1 }
      let now = cards[index].now
      ear.hear(cards[index].queue, track: index, now: now)
      camera.look(until: now, wire: &ear.wire)
    }
    let drifts = cards.map { $0.flow.driftPPM ?? .nan }
    #expect(abs(drifts[0] - 100) < 10 && abs(drifts[1] + 100) < 10, "\(drifts) ppm")
    #expect(jumps == 0 && ear.lateFrames == 0, "\(jumps) jumps, \(ear.lateFrames) frames late")
    #expect(ear.worstBreak < 1e-4, "a glitch of \(ear.worstBreak)")
    for (errors, ppm) in zip(ear.errors, [100, -100]) {
      #expect(errors.count > Int(seconds / 1.6) - 4)
      let worst = errors.map(abs).max() ?? .infinity
      let settled = errors.dropFirst(25).map(abs).max() ?? .infinity
      // The picture's and the sound's time stamps are whole milliseconds.
      let apart = worst + camera.worstMilliseconds + ear.worstStampMilliseconds
      #expect(apart <= 20 && settled < 1, "\(ppm) ppm: \(worst) ms, later \(settled) ms")
      print("figure  two cards/ms from the picture at \(ppm) ppm, worst  \(apart)")
    }
  }

  /// Without the correction the measure finds the drift: the cards' own clocks taken for the true one.
  @Test func theMeasureSeesADrift() throws {
    let ear = Ear()
    var room = [Float](repeating: 0, count: 2 * 960)
    for chunk in 0..<3_000 {
      for frame in 0..<960 {
        let now = Double(chunk * 960 + frame) / 48_000
        room[2 * frame] = TwoCardsTests.tone(now * (1 - 100e-6))
        room[2 * frame + 1] = TwoCardsTests.tone(now * (1 + 100e-6))
      }
      let startsAt = TwoCardsTests.start + PCM.nanos(frames: chunk * 960)
      for track in 0..<2 { unsafe ear.add(room, frames: 960, startsAt: startsAt, track: track) }
    }
    for (errors, slope) in zip(ear.errors, [-0.1, 0.1]) {
      let (first, last) = (errors[0], errors[errors.count - 1])
      let seconds = Double(errors.count - 1) * 1.6
      #expect(abs((last - first) / seconds - slope) < 0.005, "\(errors)")
    }
  }

  /// The tone at a second of true time.
  private static func tone(_ seconds: Double) -> Float {
    Float(amplitude * sin(2 * .pi * 20 * seconds))
  }

  /// A card that hears the tone, with time stamps that are late by up to 4 ms, as from a coarse pointer.
  private struct Card {
    private static let period = 960
    let queue = PCMQueue(channels: 2)
    let flow: CaptureResampler
    private let step: Double
    private var dice: SplitMix64
    private var room = [Float](repeating: 0, count: Card.period)
    private var periods = 0
    /// The true time of the next sample.
    private(set) var seconds = 0.0

    init(ppm: Double, seed: UInt64) throws {
      step = 1 / (48_000 * (1 + ppm / 1e6))
      dice = SplitMix64(seed: seed)
      flow = try CaptureResampler(
        rate: 48_000, format: AV_SAMPLE_FMT_FLT, bytesPerSample: 4, deviceChannels: 1,
        bufferFrames: 24_000, channels: 2, floor: .distantPast)
    }

    var now: MediaTime { TwoCardsTests.start + Int64(seconds * 1e9) }

    /// Delivers a period.
    /// - Returns: whether the timeline was moved.
    mutating func read() throws -> Bool {
      for frame in room.indices { room[frame] = TwoCardsTests.tone(seconds + Double(frame) * step) }
      let captured = now + Int64.random(in: 0...Int64.milliseconds(4), using: &dice)
      seconds += Double(Card.period) * step
      periods += 1
      // What a device has before it runs evenly.
      guard periods > 5 else {
        flow.observe(captured: captured, frames: Card.period)
        return false
      }
      let (flow, queue) = (flow, queue)
      let advice = try unsafe room.withUnsafeMutableBytes { bytes in
        let samples = try unsafe #require(bytes.baseAddress)
        return unsafe flow.resample(
          samples, frames: Card.period, captured: captured, into: queue)
      }
      if case .jump = advice { return true }
      return false
    }
  }

  /// A camera of 30 frames a second whose frames come some milliseconds after their capture.
  private struct Camera {
    private var clock = FrameClock(
      framesPerSecond: 30, firstDeadline: TwoCardsTests.start + .seconds(1))
    private var dice = SplitMix64(seed: 3)
    private var count: Int64 = 0
    private(set) var worstMilliseconds = 0.0

    mutating func look(until now: MediaTime, wire: inout PublishClock) {
      while true {
        let captured = TwoCardsTests.start + count * 1_000_000_000 / 30
        let arrival = captured + Int64.random(in: 5_000_000...25_000_000, using: &dice)
        guard arrival <= now else { return }
        count += 1
        guard let time = clock.stamp(capturedAt: captured, now: arrival) else { continue }
        let told = Double(wire.video(time))
        let due = Double(captured - TwoCardsTests.start) / 1e6
        worstMilliseconds = max(worstMilliseconds, abs(told - due))
      }
    }
  }

  /// Mixes both cards, as `AudioPipeline` does, and looks at the sum.
  @safe private final class Ear {
    private static let period = TwoCardsTests.toneFrames
    /// Blocks of a measurement: 1.6 s, a whole number of periods.
    private static let window = 75

    var wire = PublishClock(start: TwoCardsTests.start)
    /// By how many milliseconds the tone of each card is ahead of its place.
    private(set) var errors: [[Double]] = [[], []]
    private(set) var lateFrames = 0
    /// The largest second difference of the samples. That of the tone itself is 4e-6.
    private(set) var worstBreak: Float = 0
    private(set) var worstStampMilliseconds = 0.0
    private let mixer = Mixer(
      channels: 2,
      tracks: [-1.0, 1].map { AudioTrack(gain: TrackGain(pan: $0)) },
      blockFrames: TwoCardsTests.blockFrames, origin: TwoCardsTests.start)
    private let waves = (0..<period).map { frame in
      let angle = 2 * Double.pi * Double(frame) / Double(period)
      return SIMD2(sin(angle), cos(angle))
    }
    private var sums = [SIMD2<Double>](repeating: SIMD2(), count: 2)
    private var blocks = 0
    /// The last two samples.
    private var last: [SIMD2<Float>] = []
    private let room = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: 2 * PCMQueue.chunkFrames)

    deinit { unsafe room.deallocate() }

    func hear(_ queue: PCMQueue, track: Int, now: MediaTime) {
      guard let into = unsafe room.baseAddress else { return }
      while let chunk = unsafe queue.takeNow(into: into) {
        unsafe add(into, frames: chunk.frames, startsAt: chunk.startsAt, track: track)
      }
      unsafe mixer.addSilence(until: now - .milliseconds(150)) { unsafe note($0, $1) }
    }

    func add(_ samples: UnsafePointer<Float>, frames: Int, startsAt: MediaTime, track: Int) {
      lateFrames += unsafe mixer.add(samples, frames: frames, startsAt: startsAt, track: track) {
        unsafe note($0, $1)
      }
    }

    private func note(_ block: UnsafePointer<Float>, _ time: MediaTime) {
      let first = PCM.frames(nanos: time - TwoCardsTests.start)
      let told = Double(wire.audio(time))
      worstStampMilliseconds = max(
        worstStampMilliseconds, abs(told - Double(time - TwoCardsTests.start) / 1e6))
      // The cards have begun.
      guard first > 2 * PCM.sampleRate else { return }
      for frame in 0..<TwoCardsTests.blockFrames {
        let sample = unsafe SIMD2(block[2 * frame], block[2 * frame + 1])
        if last.count == 2 {
          let change = sample - last[1] - (last[1] - last[0])
          worstBreak = max(worstBreak, abs(change.x), abs(change.y))
          last[0] = last[1]
          last[1] = sample
        } else {
          last.append(sample)
        }
        guard frame.isMultiple(of: 8) else { continue }
        let wave = waves[(first + frame) % Ear.period]
        sums[0] += wave * Double(sample.x)
        sums[1] += wave * Double(sample.y)
      }
      blocks += 1
      guard blocks == Ear.window else { return }
      for track in 0..<2 {
        let angle = atan2(sums[track].y, sums[track].x)
        errors[track].append(angle / (2 * .pi * 20) * 1_000)
        sums[track] = SIMD2()
      }
      blocks = 0
    }
  }
}
