// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CSamples
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
  /// How many sample frames the filters still deliver that are not samples of the track: each filter that delays begins
  /// with silence as long as its delay.
  private var fillingFrames = 0
  /// The number of the sample frame at which the fade of a leaving track ends.
  private(set) var endOfFade = 0
  /// The largest sample that is kept, as a factor of full scale. The limiter lowers what is above full scale.
  static let mostLevel: Float = 16
  private(set) var role = AudioTrack.Role.other
  /// Sample frames in which the gain changes: 20 ms.
  private static let rampFrames = 960
  /// Sample frames in which a break in the samples is smoothed: 5 ms.
  static let seamFrames = 240
  /// The factors for the left and the right channel of the next sample frame.
  private var gain = SIMD2<Float>(repeating: 1)
  /// The factors that `gain` moves to.
  private var wantedGain = SIMD2<Float>(repeating: 1)
  /// The change of `gain` with each sample frame, while it moves.
  private var gainStep = SIMD2<Float>()
  private var rampLeft = 0
  /// The last sample frame before a break in the samples, which fades out.
  private var seam = SIMD2<Float>()
  private var seamLeft = 0
  private var endsInSilence = true
  /// The number of the sample frame before which nothing may be heard of the track after `breakOff`.
  private var brokenOffAt = 0
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
    fillingFrames = delayFrames(of: filters)
    role = track.role
    forgetBreaks()
    set(gain: track.gain, delayNanos: track.delayNanos)
    (gain, rampLeft) = (wantedGain, 0)
  }

  /// Removes the track, which frees the slot.
  func forget() {
    isPresent = false
    filters.removeAll(keepingCapacity: true)
  }

  /// Replaces the filters. The break in the samples is smoothed.
  func set(filters: [any AudioFilter], delayNanos: Int64, ringFrames: Int) {
    let old = self.filters
    let isKept = { (filter: any AudioFilter) in old.contains { $0 === filter } }
    // Those that stay may not have been filled yet, as after `breakOff`.
    fillingFrames =
      delayFrames(of: filters.filter { !isKept($0) })
      + min(fillingFrames, delayFrames(of: filters.filter(isKept)))
    self.filters = filters
    set(delayNanos: delayNanos)
    beginSeam(ringFrames: ringFrames)
  }

  private func set(delayNanos: Int64) {
    shiftNanos = delayNanos - PCM.nanos(frames: delayFrames(of: filters))
  }

  private func delayFrames(of filters: [any AudioFilter]) -> Int {
    filters.reduce(0) { $0 + $1.delayFrames }
  }

  /// Counts sample frames that the filters have delivered.
  /// - Returns: how many of them, from the first on, are not samples of the track.
  func takeFilling(frames: Int) -> Int {
    let filling = min(frames, fillingFrames)
    fillingFrames -= filling
    return filling
  }

  /// Changes the gain, within `rampFrames`, and the delay from the next chunk on.
  func set(gain: TrackGain, delayNanos: Int64) {
    set(delayNanos: delayNanos)
    let factors = gain.factors(channels: channels)
    guard factors != wantedGain else { return }
    wantedGain = factors
    gainStep = (wantedGain - self.gain) / Float(MixerTrack.rampFrames)
    rampLeft = MixerTrack.rampFrames
  }

  /// The samples from the sample frame with the number `frame` on, contiguous up to the end of the ring.
  func samples(from frame: Int, ringFrames: Int) -> UnsafeMutablePointer<Float> {
    unsafe ring + frame % ringFrames * channels
  }

  /// Begins the track's sequence anew at the sample frame with the number `frame`.
  func restart(at frame: Int) {
    end = frame
    breakOff()
  }

  /// Keeps everything before the next sample out of what follows: it does not fade out, and no filter holds it. The
  /// next sound fades in from silence.
  func breakOff() {
    forgetBreaks()
    for filter in filters { filter.reset() }
    fillingFrames = delayFrames(of: filters)
  }

  private func forgetBreaks() {
    brokenOffAt = end
    (seam, seamLeft, endsInSilence) = (SIMD2(), 0, true)
  }

  /// Notes that the next sample does not follow the last one, so that `append` smooths the break.
  func beginSeam(ringFrames: Int) {
    guard end > 0 else { return }
    if end > brokenOffAt {
      let last = unsafe samples(from: end - 1, ringFrames: ringFrames)
      seam = unsafe SIMD2(last[0], last[channels - 1])
    } else {
      seam = SIMD2()
    }
    seamLeft = MixerTrack.seamFrames
  }

  /// Appends samples, multiplied by the track's gain. They must not reach beyond the end of the ring.
  /// - Parameters:
  ///   - samples: `nil` for silence.
  ///   - count: the number of sample frames.
  func append(_ samples: UnsafePointer<Float>?, count: Int, ringFrames: Int) {
    if unsafe (samples == nil) != endsInSilence {
      beginSeam(ringFrames: ringFrames)
      endsInSilence.toggle()
    }
    let target = unsafe self.samples(from: end, ringFrames: ringFrames)
    end += count
    if let samples = unsafe samples {
      let ramped = min(count, rampLeft)
      for frame in 0..<ramped { unsafe write(samples, frame, to: target) }
      if ramped > 0, rampLeft == 0 { gain = wantedGain }
      unsafe write(
        samples + ramped * channels, frames: count - ramped, to: target + ramped * channels)
    } else {
      unsafe target.update(repeating: 0, count: count * channels)
    }
    if seamLeft > 0 { unsafe smooth(target, frames: min(count, seamLeft)) }
  }

  /// Writes a sample frame while the gain moves.
  private func write(
    _ samples: UnsafePointer<Float>, _ frame: Int, to target: UnsafeMutablePointer<Float>
  ) {
    gain += gainStep
    rampLeft -= 1
    for channel in 0..<channels {
      let index = frame * channels + channel
      unsafe target[index] = MixerTrack.bounded(samples[index] * gain[channel])
    }
  }

  private func write(
    _ samples: UnsafePointer<Float>, frames: Int, to target: UnsafeMutablePointer<Float>
  ) {
    unsafe onair_samples_scale(
      target, samples, frames, Int32(channels), gain[0], gain[1], MixerTrack.mostLevel)
  }

  /// The sample, or the nearest one that is allowed. A value that is not a number becomes silence: it would spread to
  /// all samples that follow.
  @inline(__always) static func bounded(_ sample: Float) -> Float {
    abs(sample) <= mostLevel ? sample : sample > 0 ? mostLevel : sample < 0 ? -mostLevel : 0
  }

  /// Lets the new samples fade in, and the last one before the break fade out.
  private func smooth(_ target: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames {
      seamLeft -= 1
      let old = Float(seamLeft) / Float(MixerTrack.seamFrames)
      for channel in 0..<channels {
        let index = frame * channels + channel
        unsafe target[index] += (seam[channel] - target[index]) * old
      }
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

  /// Fades out after the last sample, so that the end of the track does not click.
  func fade(ringFrames: Int) {
    appendSilence(until: end + MixerTrack.seamFrames, ringFrames: ringFrames)
    endOfFade = end
  }

  /// Copies a block to its position in a ring of another size (`newRingFrames`) that uses the same memory.
  /// - Parameter frame: the number of the block's first sample frame.
  func move(from frame: Int, frames: Int, ringFrames: Int, to newRingFrames: Int) {
    let old = unsafe samples(from: frame, ringFrames: ringFrames)
    let new = unsafe samples(from: frame, ringFrames: newRingFrames)
    if unsafe old != new { unsafe new.update(from: old, count: frames * channels) }
  }
}
