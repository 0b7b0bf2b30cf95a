// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Media

/// Resamples the samples of a capture device to 48 kHz by CLOCK_MONOTONIC, and puts them into a queue. The times of the
/// samples in the queue never go back. Used by one thread.
@safe final class CaptureResampler {
  /// Resamples the device's samples to 48 kHz, with the stretch that `follower` computes.
  private let resampler: Resampler
  /// The device's nominal sample rate in Hz.
  private let rate: Int
  /// The number of channels in the queue.
  private let channels: Int
  /// Bytes of one sample of one channel, in the device's format.
  private let bytesPerSample: Int
  /// Bytes of one sample frame with all channels of the device.
  private let bytesPerFrame: Int
  /// The number of the device's channels that are used: 2, or 1 if the device has only one.
  private let usedChannels: Int
  /// The buffer that receives the resampled samples, interleaved.
  private let output: UnsafeMutableBufferPointer<Float>
  /// Computes by how much the resampler has to stretch the audio to follow the device's clock.
  private var follower = ClockFollower()
  /// The times of the resampled audio; `nil` before the first samples and after `restart`.
  private var timeline: AudioTimeline?
  /// When the first of the samples that `observe` has counted was captured, by the timestamp that gives the earliest
  /// time; `nil` if `observe` has counted no sample.
  private var start: MediaTime?
  /// The number of sample frames that `observe` has counted.
  private var observedFrames = 0
  /// The end time of the last audio in the queue. Audio before this time is not put into the queue.
  private(set) var end: MediaTime

  /// - Parameters:
  ///   - channels: the number of channels in the queue.
  ///   - floor: the end time of the audio that is already in the queue.
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
    usedChannels = min(deviceChannels, 2)
    var layout = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&layout, Int32(usedChannels))
    resampler = try unsafe Resampler(
      rate: Int32(rate), format: format, layout: layout, outputChannels: channels,
      isAdjustable: true)
    self.rate = rate
    self.channels = channels
    self.bytesPerSample = bytesPerSample
    bytesPerFrame = bytesPerSample * deviceChannels
    end = floor
    // Room for a full buffer of the device, for the stretch, and for the samples that the filter still contains.
    let frames = bufferFrames * PCM.sampleRate / rate + bufferFrames / 100 + 512
    unsafe output = .allocate(capacity: frames * channels)
    unsafe output.initialize(repeating: 0)
  }

  deinit { unsafe output.deallocate() }

  /// The drift of the device's clock in millionths; `nil` until 40 s were observed.
  var driftPPM: Double? { follower.driftPPM }
  /// How much more output than at the nominal rate the resampler produces, in millionths.
  var stretchPPM: Double { follower.stretchPPM }

  /// Counts samples that are discarded instead of used as audio, and notes their timestamp. The timestamp that gives
  /// the earliest time for the first sample determines the time of the audio that follows.
  /// - Parameter captured: when the first of the samples was captured.
  func observe(captured: MediaTime, frames: Int) {
    let first = captured - nanos(observedFrames)
    start = min(start ?? first, first)
    observedFrames += frames
  }

  /// Starts anew after samples were lost, so that the timestamp of the next samples determines their time.
  func restart() {
    timeline = nil
    start = nil
    observedFrames = 0
    follower.restart()
    resampler.stretch(ppm: follower.stretchPPM)
  }

  /// Resamples the device's samples and puts the result into `queue`.
  /// - Parameters:
  ///   - samples: interleaved, in the device's format. They are overwritten.
  ///   - captured: when the first of the samples was captured.
  /// - Returns: the adjustment that was made to follow the device's clock.
  @unsafe func resample(
    _ samples: UnsafeMutableRawPointer, frames: Int, captured: MediaTime, into queue: PCMQueue
  ) -> ClockFollower.Adjustment {
    var adjustment = ClockFollower.Adjustment.none
    var timeline: AudioTimeline
    if let running = self.timeline {
      timeline = running
      // The first of the new samples follows the samples that the resampling filter still contains.
      adjustment = follower.observe(
        placed: timeline.next + resampler.delayNanos, captured: captured)
    } else {
      let first = start.map { min($0 + nanos(observedFrames), captured) } ?? captured
      timeline = AudioTimeline(startsAt: first - resampler.delayNanos)
    }
    switch adjustment {
    case .none: break
    case .stretch(let ppm): resampler.stretch(ppm: ppm)
    case .jump(let nanos): timeline.shift(nanos: nanos)
    }
    unsafe dropChannels(samples, frames: frames)
    let made = unsafe resampler.convert(
      samples, frames: frames, into: output, outputFrames: output.count / channels)
    unsafe put(made, startsAt: timeline.next, into: queue)
    timeline.advance(frames: made)
    self.timeline = timeline
    return adjustment
  }

  /// The duration of `frames` sample frames at the device's nominal rate, in nanoseconds.
  private func nanos(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }

  /// Removes, in place, all channels but the first two.
  @unsafe private func dropChannels(_ samples: UnsafeMutableRawPointer, frames: Int) {
    let kept = bytesPerSample * usedChannels
    guard kept < bytesPerFrame else { return }
    for frame in 1..<max(1, frames) {
      unsafe (samples + frame * kept).copyMemory(
        from: samples + frame * bytesPerFrame, byteCount: kept)
    }
  }

  /// Puts the resampler's output into the queue, without samples that overlap with audio that is already in the queue.
  @unsafe private func put(_ frames: Int, startsAt: MediaTime, into queue: PCMQueue) {
    guard let start = unsafe UnsafePointer(output.baseAddress) else { return }
    // Skip the samples that overlap with the audio in the queue. Ignore an overlap of up to 1 µs: it is a rounding
    // error.
    let overlap = end - startsAt
    let skipped =
      overlap > 1000 ? min(frames, PCM.frames(nanos: min(overlap, .seconds(10))) + 1) : 0
    guard frames > skipped else { return }
    let first = startsAt + PCM.nanos(frames: skipped)
    unsafe queue.put(start + skipped * channels, frames: frames - skipped, startsAt: first)
    end = first + PCM.nanos(frames: frames - skipped)
  }
}
