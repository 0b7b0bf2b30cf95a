// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Decoded sound of any kind as 48 kHz interleaved float, with the time of each piece. One thread's.
@safe final class FileStretch {
  /// Lent until the next call.
  @safe struct Sound {
    var samples: UnsafePointer<Float>?
    var frames: Int
    var startsAt: MediaTime
  }

  private let channels: Int
  private var resampler: Resampler?
  private var rate: Int32 = 0
  private var format: Int32 = -1
  private var inputChannels: Int32 = 0
  private var timeline: SoundTimeline?
  private var output = unsafe UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

  init(channels: Int) { self.channels = channels }

  deinit { unsafe output.deallocate() }

  /// The next frame does not go on where the last ended, or is of another kind.
  func isInterrupted(at due: MediaTime, by frame: UnsafePointer<AVFrame>) -> Bool {
    guard let resampler, let timeline else { return false }
    let expected = timeline.next + resampler.delayNanos
    return unsafe abs(due - expected) > FileSound.gapNanos || !fits(frame)
  }

  /// What becomes of a frame.
  func take(_ frame: UnsafePointer<AVFrame>, due: MediaTime) -> Sound {
    if resampler == nil {
      // The filter is made anew only where the sound is interrupted.
      unsafe rate = frame.pointee.sample_rate
      unsafe format = frame.pointee.format
      unsafe inputChannels = frame.pointee.ch_layout.nb_channels
      unsafe resampler = try? Resampler(
        rate: rate, format: AVSampleFormat(rawValue: format), layout: frame.pointee.ch_layout,
        outputChannels: channels, steered: false)
      timeline = SoundTimeline(startsAt: due)
    }
    guard let resampler else { return unsafe Sound(samples: nil, frames: 0, startsAt: due) }
    reserve(resampler.outputBound(inputFrames: unsafe Int(frame.pointee.nb_samples)))
    return unsafe made(
      resampler.convert(frame, into: output, outputFrames: output.count / channels))
  }

  /// What the filter still holds; it then begins afresh.
  func drain() -> Sound {
    guard let resampler else {
      return unsafe Sound(samples: nil, frames: 0, startsAt: .distantPast)
    }
    reserve(resampler.outputBound(inputFrames: 0) + 64)
    let rest = unsafe made(
      resampler.convert(nil, frames: 0, into: output, outputFrames: output.count / channels))
    end()
    return rest
  }

  /// Forgets what the filter still holds.
  func end() {
    resampler = nil
    timeline = nil
  }

  private func fits(_ frame: UnsafePointer<AVFrame>) -> Bool {
    unsafe frame.pointee.sample_rate == rate && frame.pointee.format == format
      && frame.pointee.ch_layout.nb_channels == inputChannels
  }

  private func made(_ frames: Int) -> Sound {
    let startsAt = timeline?.next ?? .distantPast
    timeline?.advance(frames: frames)
    return unsafe Sound(
      samples: UnsafePointer(output.baseAddress), frames: frames, startsAt: startsAt)
  }

  private func reserve(_ frames: Int) {
    guard unsafe frames * channels > output.count else { return }
    unsafe output.deallocate()
    unsafe output = .allocate(capacity: frames * channels)
    unsafe output.initialize(repeating: 0)
  }
}
