// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// From a device's samples to pieces on the timeline: resampled to 48 kHz, in step with
/// CLOCK_MONOTONIC, each piece after the one before. One thread's.
@safe final class SoundFlow {
  private let resampler: Resampler
  private let rate: Int
  private let channels: Int
  private let bytesPerSample: Int
  private let bytesPerFrame: Int
  /// How many of the device's channels go into the resampler.
  private let taken: Int
  private let output: UnsafeMutableBufferPointer<Float>
  private var follower = ClockFollower()
  private var timeline: SoundTimeline?
  /// While listening: when the device's first sample was caught, by the least late of the time stamps.
  private var start: MediaTime?
  private var heard = 0
  /// Nothing is put into the queue before this.
  private(set) var end: MediaTime

  /// - Parameter floor: the end of what was put into the queue before.
  convenience init(
    device: CapturePCM, channels: Int, floor: MediaTime
  ) throws(MicrophoneTrouble) {
    let setup = device.setup
    do throws(Resampler.Failure) {
      try self.init(
        rate: setup.rate, format: setup.samples, bytesPerSample: setup.bytesPerSample,
        deviceChannels: setup.channels, bufferFrames: device.bufferFrames, channels: channels,
        floor: floor)
    } catch {
      throw .noUsableFormat(pcm: device.name)
    }
  }

  init(
    rate: Int, format: AVSampleFormat, bytesPerSample: Int, deviceChannels: Int,
    bufferFrames: Int, channels: Int, floor: MediaTime
  ) throws(Resampler.Failure) {
    taken = min(deviceChannels, 2)
    var layout = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&layout, Int32(taken))
    resampler = try unsafe Resampler(
      rate: Int32(rate), format: format, layout: layout, outputChannels: channels,
      steered: true)
    self.rate = rate
    self.channels = channels
    self.bytesPerSample = bytesPerSample
    bytesPerFrame = bytesPerSample * deviceChannels
    end = floor
    // What a whole buffer makes, and room for the stretch and for what the filter held back.
    let frames = bufferFrames * PCM.sampleRate / rate + bufferFrames / 100 + 512
    unsafe output = .allocate(capacity: frames * channels)
    unsafe output.initialize(repeating: 0)
  }

  deinit { unsafe output.deallocate() }

  var driftPPM: Double? { follower.driftPPM }
  var stretchPPM: Double { follower.stretchPPM }

  /// Sound that is only listened to for its time.
  func listen(caught: MediaTime, frames: Int) {
    let first = caught - nanos(heard)
    start = min(start ?? first, first)
    heard += frames
  }

  /// Sound was lost: what comes next is placed anew.
  func interrupt() {
    timeline = nil
    start = nil
    heard = 0
    follower.restart()
    resampler.stretch(ppm: follower.stretchPPM)
  }

  /// Takes what the device gave, and puts what became of it into `queue`.
  /// - Parameters:
  ///   - samples: interleaved, as the device gives them; written to.
  ///   - caught: when the first was caught.
  @unsafe func take(
    _ samples: UnsafeMutableRawPointer, frames: Int, caught: MediaTime, queue: PCMQueue
  ) -> ClockFollower.Advice {
    var advice = ClockFollower.Advice.none
    var timeline: SoundTimeline
    // Where the first of these samples will come to lie: behind what the filter holds back.
    if let running = self.timeline {
      timeline = running
      advice = follower.observe(placed: timeline.next + resampler.delayNanos, caught: caught)
    } else {
      let first = start.map { min($0 + nanos(heard), caught) } ?? caught
      timeline = SoundTimeline(startsAt: first - resampler.delayNanos)
    }
    switch advice {
    case .none: break
    case .stretch(let ppm): resampler.stretch(ppm: ppm)
    case .jump(let nanos): timeline.shift(nanos: nanos)
    }
    unsafe narrow(samples, frames: frames)
    let made = unsafe resampler.convert(
      samples, frames: frames, into: output, outputFrames: output.count / channels)
    unsafe put(made, startsAt: timeline.next, into: queue)
    timeline.advance(frames: made)
    self.timeline = timeline
    return advice
  }

  private func nanos(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }

  /// Moves the first two of more channels together.
  @unsafe private func narrow(_ samples: UnsafeMutableRawPointer, frames: Int) {
    let kept = bytesPerSample * taken
    guard kept < bytesPerFrame else { return }
    for frame in 1..<max(1, frames) {
      unsafe (samples + frame * kept).copyMemory(
        from: samples + frame * bytesPerFrame, byteCount: kept)
    }
  }

  /// What would overlap with sound already put is left out.
  @unsafe private func put(_ frames: Int, startsAt: MediaTime, into queue: PCMQueue) {
    guard let start = unsafe UnsafePointer(output.baseAddress) else { return }
    // A microsecond of overlap is rounding.
    let overlap = end - startsAt
    let skipped =
      overlap > 1000 ? min(frames, PCM.frames(nanos: min(overlap, .seconds(10))) + 1) : 0
    guard frames > skipped else { return }
    let first = startsAt + PCM.nanos(frames: skipped)
    unsafe queue.put(start + skipped * channels, frames: frames - skipped, startsAt: first)
    end = first + PCM.nanos(frames: frames - skipped)
  }
}
