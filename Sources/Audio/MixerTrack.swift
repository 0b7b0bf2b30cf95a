// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media

/// A mixer's slot for one track, with a ring that holds the track's samples: those that have not been emitted yet, and
/// those of the kept blocks.
///
/// Sample frame n of the mixer's timeline is at n modulo `ringFrames`, which is the same for all tracks of a mixer.
@safe final class MixerTrack {
  /// Whether the slot has a track; `false` while it is free.
  var isPresent = false
  /// Whether the track is leaving: it gets no more samples, and fades out after its last one.
  var isLeaving = false
  /// Whether the track has joined a mixer that was running, and has delivered nothing yet.
  var isNew = false
  /// The number, on the mixer's timeline, of the sample frame that follows the track's last one. Never lower than the
  /// number of the sample frame that the mixer emits next.
  var end = 0
  /// Whether blocks wait for this track's samples. When silence has replaced missing samples of the track, this is
  /// `false` until the track delivers again.
  var isWaitedFor = false
  /// Nanoseconds added to the time of the track's samples: the track's delay minus the delay of its filters.
  private(set) var shiftNanos: Int64 = 0
  /// The track's filters, in the order in which they are applied; they come before the gain.
  private(set) var filters: [any AudioFilter] = []
  /// Whether the track's samples may exceed full scale, because its gain was above 0 dB at some time. While `false`,
  /// samples are clipped at full scale, which changes nothing for a source that stays within full scale.
  private(set) var isLoud = false
  /// The factor by which samples are multiplied.
  private var gain: Float = 1
  /// The memory of the ring.
  private let ring: UnsafeMutablePointer<Float>
  /// The number of audio channels of the track.
  private let channels: Int

  /// - Parameter ring: the memory for the ring, owned by the mixer.
  init(ring: UnsafeMutablePointer<Float>, channels: Int) {
    unsafe self.ring = unsafe ring
    self.channels = channels
  }

  /// Puts a track into the free slot. The first sample frame of the track has the number `frame` on the mixer's
  /// timeline.
  func begin(_ track: AudioTrack, at frame: Int) {
    isPresent = true
    isLeaving = false
    end = frame
    filters = track.filters
    isLoud = false
    set(gainDB: track.gainDB, delayNanos: track.delayNanos)
  }

  /// Removes the track, which frees the slot.
  func forget() {
    isPresent = false
    filters.removeAll(keepingCapacity: true)
  }

  /// Sets the gain in decibels, and the nanoseconds that are added to the time of the track's samples.
  func set(gainDB: Double, delayNanos: Int64) {
    gain = Float(pow(10, gainDB / 20))
    // Samples with a gain above 0 dB may still be in the ring when the gain is lowered.
    if gainDB > 0 { isLoud = true }
    shiftNanos = delayNanos - PCM.nanos(frames: filters.reduce(0) { $0 + $1.delayFrames })
  }

  /// The samples from the sample frame with the number `frame` on, contiguous up to the end of the ring.
  func samples(from frame: Int, ringFrames: Int) -> UnsafeMutablePointer<Float> {
    unsafe ring + frame % ringFrames * channels
  }

  /// Appends samples, multiplied by the track's gain. They must not reach beyond the end of the ring.
  /// - Parameters:
  ///   - samples: `nil` for silence.
  ///   - count: the number of sample frames.
  func append(_ samples: UnsafePointer<Float>?, count: Int, ringFrames: Int) {
    let start = end
    let target = unsafe self.samples(from: start, ringFrames: ringFrames)
    let total = count * channels
    end = start + count
    guard let samples = unsafe samples else {
      unsafe target.update(repeating: 0, count: total)
      return
    }
    let gain = gain
    if isLoud {
      for index in 0..<total { unsafe target[index] = samples[index] * gain }
    } else {
      for index in 0..<total { unsafe target[index] = max(-1, min(1, samples[index] * gain)) }
    }
  }

  /// Appends silence up to, but not including, the sample frame with the number `frame`.
  func appendSilence(until frame: Int, ringFrames: Int) {
    while end < frame {
      let count = min(frame - end, ringFrames - end % ringFrames)
      unsafe append(nil, count: count, ringFrames: ringFrames)
    }
  }

  /// Replaces the sample frames with the numbers from `frame` up to, but not including, `end` with silence.
  func silence(from frame: Int, until end: Int, ringFrames: Int) {
    var start = frame
    while start < end {
      let count = min(end - start, ringFrames - start % ringFrames)
      let target = unsafe samples(from: start, ringFrames: ringFrames)
      unsafe target.update(repeating: 0, count: count * channels)
      start += count
    }
  }

  /// Appends a fade from the last sample to silence, so that the end of the track does not click.
  func fade(frames: Int, ringFrames: Int) {
    guard end > 0 else { return }
    let last = unsafe samples(from: end - 1, ringFrames: ringFrames)
    for frame in 1...frames {
      let target = unsafe samples(from: end - 1 + frame, ringFrames: ringFrames)
      let share = Float(frames - frame) / Float(frames)
      for channel in 0..<channels { unsafe target[channel] = last[channel] * share }
    }
    end += frames
  }

  /// Copies a block to its position in a ring of another size (`newRingFrames`) that uses the same memory.
  /// - Parameter frame: the number of the block's first sample frame.
  func move(from frame: Int, frames: Int, ringFrames: Int, to newRingFrames: Int) {
    let old = unsafe samples(from: frame, ringFrames: ringFrames)
    let new = unsafe samples(from: frame, ringFrames: newRingFrames)
    if unsafe old != new { unsafe new.update(from: old, count: frames * channels) }
  }
}
