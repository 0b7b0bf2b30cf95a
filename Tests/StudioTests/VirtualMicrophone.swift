// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
import Base
import CFFmpeg
import Media
import TestSupport
import Testing

@testable import Capture
@testable import Publish

/// A simulated sound device with clock drift and faults, in front of the real audio path: `CaptureResampler`,
/// `PCMQueue`, `Mixer`, `PublishClock`. Time is virtual.
///
/// An impulse is played every five seconds of true time. The test finds it in the output and compares its RTMP
/// timestamp.
struct VirtualMicrophone {
  /// A fault at a second of true time. Durations are in milliseconds.
  enum Mishap {
    /// An overrun: this much is lost, and the driver reports it.
    case overrun(Int)
    /// The device stops for a while, loses the audio, and does not report it.
    case silentLoss(Int)
    /// The device delivers nothing for a while, and then everything at once.
    case stall(Int)
    /// One timestamp is too late by this much (negative: too early).
    case wrongStamp(Int)
  }

  var rate = 48_000
  /// The deviation of the device's clock at a second of true time.
  var ppm: (Double) -> Double = { _ in 0 }
  var readMilliseconds = 20
  /// Maximum random delay of each timestamp, as from a coarse hardware pointer.
  var jitterNanos: Int64 = .milliseconds(4)
  var mishaps: [(second: Double, what: Mishap)] = []

  struct Outcome: CustomStringConvertible {
    /// The timing error of each impulse, by its second.
    var errors: [(second: Double, nanos: Int64)] = []
    /// Maximum pitch error, and maximum change of the pitch from one second to the next.
    var worstPitchPPM = 0.0
    var worstPitchStepPPM = 0.0
    var worstStampNanos: Int64 = 0
    var driftPPM = 0.0
    /// The time from which the estimated drift is correct within 20 ppm.
    var driftKnownAt = 0.0
    var jumps = 0
    var lateFrames = 0

    func worst(_ seconds: ClosedRange<Double>) -> Double {
      errors.filter { seconds.contains($0.second) }.map { abs(Double($0.nanos)) / 1e6 }.max()
        ?? .nan
    }
    func mean(_ seconds: ClosedRange<Double>) -> Double {
      let those = errors.filter { seconds.contains($0.second) }.map { Double($0.nanos) / 1e6 }
      return those.reduce(0, +) / Double(those.count)
    }
    /// The second from which no impulse is off by more than a millisecond.
    var settledAt: Double { errors.last { abs($0.nanos) > 1_000_000 }?.second ?? 0 }

    var description: String {
      func digits(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
      return "\(errors.count) impulses, worst \(digits(worst(0...1e9))) ms, "
        + "within 1 ms after \(settledAt) s, worst then \(digits(worst((settledAt + 1)...1e9))) ms, "
        + "pitch \(digits(worstPitchPPM)) ppm, its step \(digits(worstPitchStepPPM)) ppm, "
        + "drift told \(digits(driftPPM)) ppm, right after \(digits(driftKnownAt)) s, \(jumps) jumps, \(lateFrames) frames late"
    }
  }

  static let spacing = 5.0

  func run(seconds: Double) throws -> Outcome {
    var mishaps = self.mishaps[...]
    var outcome = Outcome()
    var dice = SplitMix64(seed: 7)
    let period = rate * readMilliseconds / 1000
    let flow = try CaptureResampler(
      rate: rate, format: AV_SAMPLE_FMT_S16, bytesPerSample: 2, deviceChannels: 1,
      bufferFrames: rate / 2, channels: 1, floor: .distantPast)
    let listener = Listener()
    var room = [Int16](repeating: 0, count: rate / 2)
    var time = 1000.0
    let end = time + seconds
    let start = time
    var pitch = ppm(0)
    var nextPitch = time + 1
    var beat = time + VirtualMicrophone.spacing

    while time < end {
      var frames = period
      var wrong: Int64 = 0
      if let mishap = mishaps.first, time - start >= mishap.second {
        mishaps.removeFirst()
        switch mishap.what {
        case .overrun(let milliseconds):
          time += Double(milliseconds) / 1000
          flow.restart()
        case .silentLoss(let milliseconds): time += Double(milliseconds) / 1000
        case .stall(let milliseconds): frames = rate * milliseconds / 1000
        case .wrongStamp(let milliseconds): wrong = .milliseconds(Int64(milliseconds))
        }
      }
      let off = ppm(time - start)
      let step = 1 / (Double(rate) * (1 + off / 1e6))
      let after = time + Double(frames) * step
      while beat < time - step { beat += VirtualMicrophone.spacing }
      let impulse = Int(max(0, ((beat - time) / step).rounded()))
      if impulse < frames { room[impulse] = 30_000 }
      let late = Int64.random(in: 0...jitterNanos, using: &dice)
      let caught = MediaTime(nanos: Int64(time * 1e9)) + late + wrong
      if time - start < 0.1 {
        flow.observe(captured: caught, frames: frames)
      } else {
        let advice = try unsafe room.withUnsafeMutableBytes { bytes in
          let samples = try unsafe #require(bytes.baseAddress)
          return unsafe flow.resample(
            samples, frames: frames, captured: caught, into: listener.queue)
        }
        if case .jump = advice { outcome.jumps += 1 }
        listener.hear(now: MediaTime(nanos: Int64(after * 1e9)), outcome: &outcome)
      }
      if impulse < frames {
        room[impulse] = 0
        beat += VirtualMicrophone.spacing
      }
      time = after
      if time > nextPitch {
        nextPitch += 1
        let wrong = flow.stretchPPM + off
        if abs((flow.driftPPM ?? .infinity) - off) > 20 { outcome.driftKnownAt = time - start }
        outcome.worstPitchPPM = max(outcome.worstPitchPPM, abs(wrong))
        outcome.worstPitchStepPPM = max(outcome.worstPitchStepPPM, abs(wrong - pitch))
        pitch = wrong
      }
    }
    listener.finish(&outcome)
    outcome.errors = outcome.errors.map { ($0.second - start, $0.nanos) }
    outcome.driftPPM = flow.driftPPM ?? .nan
    return outcome
  }
}

/// The end of the audio path: what `AudioPipeline` does with each block, and its RTMP timestamp.
@safe private final class Listener {
  let queue = PCMQueue(channels: 1)
  // Without channels the mixer only counts samples. That is sufficient here, and much faster in a debug build.
  private let mixer = Mixer(
    channels: 0, tracks: [AudioTrack()], blockFrames: 1024,
    origin: MediaTime(nanos: 1_000_000_000_000))
  private let start: MediaTime
  private var clock: PublishClock
  private let room = UnsafeMutableBufferPointer<Float>.allocate(capacity: PCMQueue.chunkFrames)
  private var found = (beat: 0.0, level: Float(0), nanos: Int64(0))

  init() {
    start = mixer.end
    clock = PublishClock(start: start)
  }
  deinit { unsafe room.deallocate() }

  func hear(now: MediaTime, outcome: inout VirtualMicrophone.Outcome) {
    guard let into = unsafe room.baseAddress else { return }
    while let piece = unsafe queue.take(into: into, until: .distantPast) {
      outcome.lateFrames += unsafe mixer.add(into, frames: piece.frames, startsAt: piece.startsAt) {
        stamp($1, &outcome)
      }
      let first = mixer.end - PCM.nanos(frames: piece.frames)
      search(frames: piece.frames, startsAt: first, &outcome)
    }
    unsafe mixer.addSilence(until: now - .milliseconds(150)) { stamp($1, &outcome) }
  }

  func finish(_ outcome: inout VirtualMicrophone.Outcome) {
    if found.level > 0.2 { outcome.errors.append((found.beat, found.nanos)) }
  }

  /// The difference between a block's RTMP timestamp and its capture time.
  private func stamp(_ time: MediaTime, _ outcome: inout VirtualMicrophone.Outcome) {
    guard time >= start else { return }
    let told = clock.audio(time)
    let error = abs(time.nanos - 1_000_000_000_000 - Int64(told) * 1_000_000)
    outcome.worstStampNanos = max(outcome.worstStampNanos, error)
  }

  /// Finds the loudest sample within half a second of a beat.
  private func search(
    frames: Int, startsAt first: MediaTime, _ outcome: inout VirtualMicrophone.Outcome
  ) {
    let start = Double(first.nanos) / 1e9
    let beat = (start / VirtualMicrophone.spacing).rounded() * VirtualMicrophone.spacing
    guard abs(start - beat) < 0.5 else { return }
    if beat != found.beat {
      finish(&outcome)
      found = (beat, 0, 0)
    }
    // First search near the beat only.
    guard abs(start - beat) < 0.06 || found.level < 0.2 else { return }
    for frame in 0..<frames {
      let value = unsafe abs(room[frame])
      if value > found.level {
        let time = first + PCM.nanos(frames: frame)
        found = (beat, value, time.nanos - Int64(beat * 1e9))
      }
    }
  }
}
