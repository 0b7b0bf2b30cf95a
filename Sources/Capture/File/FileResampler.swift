// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg

/// Converts decoded audio of any format to 48 kHz interleaved float, and computes when the audio is due. Used by one
/// thread.
@safe final class FileResampler {
  /// Converted audio that starts at `startsAt`. `samples` is `nil` if there is none; otherwise the pointer is valid
  /// until the resampler is called again.
  @safe struct Audio {
    var samples: UnsafePointer<Float>?
    var frames: Int
    var startsAt: MediaTime
  }

  /// The number of channels of the converted audio.
  private let channels: Int
  /// Whether `stretch(ppm:)` will be called.
  private let isAdjustable: Bool
  /// The resampler for the format of the last frame; `nil` before the first frame and after `reset`.
  private var resampler: Resampler?
  /// The sample rate in Hz that `resampler` was made for.
  private var rate: Int32 = 0
  /// The sample format that `resampler` was made for, as the number of an AVSampleFormat.
  private var format: Int32 = -1
  /// The number of channels that `resampler` was made for.
  private var inputChannels: Int32 = 0
  /// The times of the converted audio; `nil` before the first frame and after `reset`.
  private var timeline: AudioTimeline?
  /// The buffer that receives the converted samples, interleaved.
  private var output = unsafe UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

  /// - Parameter isAdjustable: whether `stretch(ppm:)` will be called.
  init(channels: Int, isAdjustable: Bool = false) {
    self.channels = channels
    self.isAdjustable = isAdjustable
  }

  deinit { unsafe output.deallocate() }

  /// The time at which the next sample that is converted will be placed; `nil` before the first frame and after `reset`.
  var next: MediaTime? {
    guard let resampler, let timeline else { return nil }
    return timeline.next + resampler.delayNanos
  }

  /// Whether `frame` cannot continue the audio before it, because it is too early, too late or of another format.
  /// In this case, `drain` has to be called before `convert`.
  /// - Parameter tolerance: by how many nanoseconds it may be early or late.
  func mustRestart(
    at due: MediaTime, for frame: UnsafePointer<AVFrame>,
    tolerance: Int64 = FileAudio.gapThresholdNanos
  ) -> Bool {
    guard let next else { return false }
    return unsafe abs(due - next) > tolerance || !hasSameFormat(frame)
  }

  /// Converts a decoded frame whose first sample is due at `due`.
  func convert(
    _ frame: UnsafePointer<AVFrame>, due: MediaTime
  ) throws(Resampler.Failure) -> Audio {
    let resampler: Resampler
    if let current = self.resampler {
      resampler = current
    } else {
      unsafe rate = frame.pointee.sample_rate
      unsafe format = frame.pointee.format
      unsafe inputChannels = frame.pointee.ch_layout.nb_channels
      resampler = try unsafe Resampler(
        rate: rate, format: AVSampleFormat(rawValue: format), layout: frame.pointee.ch_layout,
        outputChannels: channels, isAdjustable: isAdjustable)
      self.resampler = resampler
      timeline = AudioTimeline(startsAt: due)
    }
    reserve(resampler.outputBound(inputFrames: unsafe Int(frame.pointee.nb_samples)))
    return unsafe audio(
      resampler.convert(frame, into: output, outputFrames: output.count / channels))
  }

  /// From now on, produces `ppm` millionths more output from the same input.
  func stretch(ppm: Double) { resampler?.stretch(ppm: ppm) }

  /// Returns the audio that is still in the resampling filter, and resets the filter.
  func drain() -> Audio {
    guard let resampler else {
      return unsafe Audio(samples: nil, frames: 0, startsAt: .distantPast)
    }
    reserve(resampler.outputBound(inputFrames: 0) + 64)
    let rest = unsafe audio(
      resampler.convert(nil, frames: 0, into: output, outputFrames: output.count / channels))
    reset()
    return rest
  }

  /// Discards the audio that is still in the resampling filter: the next frame starts a new timeline.
  func reset() {
    resampler = nil
    timeline = nil
  }

  /// Whether `frame` has the format that `resampler` was made for.
  private func hasSameFormat(_ frame: UnsafePointer<AVFrame>) -> Bool {
    unsafe frame.pointee.sample_rate == rate && frame.pointee.format == format
      && frame.pointee.ch_layout.nb_channels == inputChannels
  }

  /// Returns the first `frames` sample frames of `output` with their time, and moves the timeline to their end.
  private func audio(_ frames: Int) -> Audio {
    let startsAt = timeline?.next ?? .distantPast
    timeline?.advance(frames: frames)
    return unsafe Audio(
      samples: UnsafePointer(output.baseAddress), frames: frames, startsAt: startsAt)
  }

  /// Enlarges `output` to hold this many sample frames, if necessary.
  private func reserve(_ frames: Int) {
    guard unsafe frames * channels > output.count else { return }
    unsafe output.deallocate()
    unsafe output = .allocate(capacity: frames * channels)
    unsafe output.initialize(repeating: 0)
  }
}
