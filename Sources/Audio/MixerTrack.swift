// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media

/// A mixer's place for one track: a ring of the track's samples that have not been emitted yet, and of some that have.
///
/// Sample frame n of the mixer's timeline is at n modulo `room`. All tracks of a mixer have the same `room`.
@safe final class MixerTrack {
  var isPresent = false
  /// Whether the track is leaving: it gets no more samples, and fades out after those that it has.
  var isLeaving = false
  /// Whether the track has joined a mixer that was running, and has delivered nothing yet.
  var isNew = false
  /// The number of the track's next sample frame on the mixer's timeline; not before the frame that the mixer emits
  /// next.
  var end = 0
  /// Whether the other tracks wait for this one: no silence has been added in its place since it last delivered.
  var isWaitedFor = false
  /// Nanoseconds added to the time of the track's samples: its delay, less the delay of its filters.
  private(set) var shiftNanos: Int64 = 0
  private(set) var filters: [any AudioFilter] = []
  /// Whether samples may exceed full scale, because the gain was above 0 dB at some time. If not, they are clipped at
  /// full scale, which does not change the samples of a source that never exceeds it.
  private(set) var isLoud = false
  private var gain: Float = 1
  private let window: UnsafeMutablePointer<Float>
  private let channels: Int

  /// - Parameter window: the memory for the ring, owned by the mixer.
  init(window: UnsafeMutablePointer<Float>, channels: Int) {
    unsafe self.window = unsafe window
    self.channels = channels
  }

  func begin(_ track: AudioTrack, at frame: Int) {
    isPresent = true
    isLeaving = false
    end = frame
    filters = track.filters
    isLoud = false
    set(gainDB: track.gainDB, delayNanos: track.delayNanos)
  }

  func forget() {
    isPresent = false
    filters.removeAll(keepingCapacity: true)
  }

  func set(gainDB: Double, delayNanos: Int64) {
    gain = Float(pow(10, gainDB / 20))
    // Samples with a gain above 0 dB may still be in the ring when the gain is lowered.
    if gainDB > 0 { isLoud = true }
    shiftNanos = delayNanos - PCM.nanos(frames: filters.reduce(0) { $0 + $1.delayFrames })
  }

  /// The samples from the sample frame with the number `frame` on, contiguous up to the end of the ring.
  func samples(from frame: Int, room: Int) -> UnsafeMutablePointer<Float> {
    unsafe window + frame % room * channels
  }

  /// Appends samples, multiplied by the track's gain, or silence. They must not reach beyond the end of the ring.
  func append(_ samples: UnsafePointer<Float>?, count: Int, room: Int) {
    let start = end
    let target = unsafe self.samples(from: start, room: room)
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
  func appendSilence(until frame: Int, room: Int) {
    while end < frame { unsafe append(nil, count: min(frame - end, room - end % room), room: room) }
  }

  /// Replaces the track's samples from `frame` until `end` with silence.
  func silence(from frame: Int, until end: Int, room: Int) {
    var start = frame
    while start < end {
      let count = min(end - start, room - start % room)
      unsafe samples(from: start, room: room).update(repeating: 0, count: count * channels)
      start += count
    }
  }

  /// Appends a fade from the last sample to silence, so that the end of the track does not click.
  func fade(frames: Int, room: Int) {
    guard end > 0 else { return }
    let last = unsafe samples(from: end - 1, room: room)
    for frame in 1...frames {
      let target = unsafe samples(from: end - 1 + frame, room: room)
      let share = Float(frames - frame) / Float(frames)
      for channel in 0..<channels { unsafe target[channel] = last[channel] * share }
    }
    end += frames
  }

  /// Copies a block to its place in a ring of another size (`newRoom`) in the same memory.
  /// - Parameter frame: the number of the block's first sample frame.
  func move(from frame: Int, frames: Int, room: Int, to newRoom: Int) {
    let (old, new) = unsafe (samples(from: frame, room: room), samples(from: frame, room: newRoom))
    if unsafe old != new { unsafe new.update(from: old, count: frames * channels) }
  }
}
