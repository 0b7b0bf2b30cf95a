// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc
internal import Media

/// Sums the tracks of several sources into one continuous sequence of samples, split into blocks for the encoder.
///
/// Each chunk is placed by its time. Gaps become silence, overlaps are dropped, and the times of blocks are counted in
/// samples, so they do not jitter. A block is emitted when all tracks have reached its end. A track that has stalled is
/// silent, and the others do not wait for it. Used by one thread.
@safe public final class Mixer {
  /// A chunk that starts within this of the end of its track's last one is joined to it: 5 ms, which is more than the
  /// jitter of a source, and not perceptible between video and audio.
  static let tolerance = 240
  /// Longer gaps are not filled with silence; they stay gaps in the timeline: 2 s.
  static let maxSilence = 96_000
  /// How far one track may be ahead of another: 1.4 s.
  private static let lead = 64

  private final class Track {
    var gain: Float
    let filters: [any AudioFilter]
    /// The number of its next sample frame.
    var end = 0
    /// Whether the others wait for it: no silence has been added in its place since it last delivered.
    var isWaitedFor = true

    init(gain: Float, filters: [any AudioFilter]) {
      self.gain = gain
      self.filters = filters
    }
  }

  public let channels: Int
  public let blockFrames: Int
  private let tracks: [Track]
  /// The sum of all tracks, a ring of whole blocks: sample frame n, counted from `origin`, is at n modulo `room`.
  private let sum: UnsafeMutablePointer<Float>
  /// Sample frames in the ring.
  private let room: Int
  /// A chunk that the filters of its track change.
  private let filtered: UnsafeMutablePointer<Float>
  /// Whether the sum may exceed full scale. If not, samples pass unchanged.
  private var isLimited: Bool
  /// Whether the limiter has lowered samples of the newest block that had reached full scale.
  public private(set) var hasLimited = false
  /// The time of sample frame 0.
  private var origin: MediaTime
  /// The next sample frame to be emitted, the first of a block.
  private var emitted = 0
  /// The sample frame after the last one of any track.
  private var written = 0

  /// - Parameters:
  ///   - tracks: at least one.
  ///   - blockFrames: samples per channel in a block: 1024 for AAC.
  ///   - origin: when the audio starts.
  public init(channels: Int, tracks: [AudioTrack], blockFrames: Int, origin: MediaTime) {
    self.channels = channels
    self.blockFrames = blockFrames
    self.origin = origin
    self.tracks = tracks.map { Track(gain: Mixer.factor($0.gainDB), filters: $0.filters) }
    isLimited = tracks.count > 1 || tracks[0].gainDB > 0
    // A single track is never ahead of another, and its block stays in the processor's cache.
    room = blockFrames * (tracks.count == 1 ? 1 : Mixer.lead)
    unsafe sum = .allocate(capacity: room * channels)
    unsafe filtered = .allocate(capacity: PCMQueue.chunkFrames * channels)
  }

  deinit {
    unsafe sum.deallocate()
    unsafe filtered.deallocate()
  }

  /// The time up to which all tracks that deliver have been added.
  public var end: MediaTime { origin + PCM.nanos(frames: complete) }

  /// Changes the gain of a track from its next chunk on.
  public func setGain(_ gainDB: Double, track: Int) {
    tracks[track].gain = Mixer.factor(gainDB)
    if gainDB > 0 { isLimited = true }
  }

  /// Adds a chunk of a track at its place in time.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples; `nil` for silence.
  ///   - frames: at most `PCMQueue.chunkFrames` if the track has filters.
  ///   - emit: receives each full block, valid during the call, and the time of its first sample.
  /// - Returns: how many sample frames were dropped because they came too late. Those before `origin` do not count.
  @discardableResult @unsafe public func add(
    _ interleaved: UnsafePointer<Float>?, frames: Int, startsAt: MediaTime, track: Int = 0,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let isBeginning = written == 0
    // What has been emitted without the track was silence of it.
    tracks[track].end = max(tracks[track].end, emitted)
    let offset = PCM.frames(nanos: startsAt - origin) - tracks[track].end
    var skipped = 0
    if offset > Mixer.maxSilence {
      begin(at: startsAt)
    } else if offset > Mixer.tolerance {
      unsafe append(nil, frames: offset, to: track, emit: emit)
    } else if offset < -Mixer.tolerance {
      skipped = min(frames, -offset)
    }
    tracks[track].isWaitedFor = true
    let samples = unsafe interleaved.map { unsafe filter($0, frames: frames, of: track) }
    unsafe append(
      samples.map { unsafe $0 + skipped * channels }, frames: frames - skipped, to: track,
      emit: emit)
    return isBeginning ? 0 : skipped
  }

  /// Replaces the samples that were added but not emitted yet with silence.
  public func silence() {
    var frame = emitted
    while frame < written {
      let count = min(written - frame, room - frame % room)
      unsafe (sum + frame % room * channels).update(repeating: 0, count: count * channels)
      frame += count
    }
    for track in tracks { for filter in track.filters { filter.reset() } }
  }

  /// Adds silence until `time` to the tracks that end before it. The others do not wait for these any more.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    let target = PCM.frames(nanos: time - origin)
    if target - complete > Mixer.maxSilence { return begin(at: time) }
    for index in tracks.indices where tracks[index].end < target {
      tracks[index].isWaitedFor = false
      tracks[index].end = max(tracks[index].end, emitted)
      unsafe append(nil, frames: target - tracks[index].end, to: index, emit: emit)
    }
    unsafe emitComplete(emit)
  }

  private static func factor(_ gainDB: Double) -> Float { Float(pow(10, gainDB / 20)) }

  /// The sample frame up to which all tracks that deliver have been added.
  private var complete: Int {
    var least = Int.max
    for index in tracks.indices where tracks[index].isWaitedFor {
      least = min(least, tracks[index].end)
    }
    return least == .max ? written : max(least, emitted)
  }

  /// Starts the timeline anew.
  private func begin(at time: MediaTime) {
    origin = time
    written = 0
    emitted = 0
    for index in tracks.indices {
      tracks[index].end = 0
      tracks[index].isWaitedFor = true
    }
  }

  private func filter(
    _ samples: UnsafePointer<Float>, frames: Int, of track: Int
  ) -> UnsafePointer<Float> {
    guard !tracks[track].filters.isEmpty else { return unsafe samples }
    unsafe filtered.update(from: samples, count: frames * channels)
    for filter in tracks[track].filters { unsafe filter.process(filtered, frames: frames) }
    return unsafe UnsafePointer(filtered)
  }

  private func append(
    _ samples: UnsafePointer<Float>?, frames: Int, to track: Int,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var done = 0
    while done < frames {
      let start = tracks[track].end
      // A track that is too far ahead does not wait for the others.
      if start == emitted + room { unsafe emitBlock(emit) }
      // Up to the end of the ring, and either where others have been added already or where not.
      var count = min(frames - done, emitted + room - start, room - start % room)
      if start < written { count = min(count, written - start) }
      unsafe write(
        samples.map { unsafe $0 + done * channels }, gain: tracks[track].gain, at: start,
        count: count)
      done += count
      tracks[track].end = start + count
      written = max(written, start + count)
      if start + count >= emitted + blockFrames { unsafe emitComplete(emit) }
    }
  }

  /// Adds samples to those of other tracks, or puts them where there are none.
  private func write(
    _ samples: UnsafePointer<Float>?, gain: Float, at start: Int, count: Int
  ) {
    let target = unsafe sum + start % room * channels
    let total = count * channels
    guard let samples = unsafe samples else {
      if start >= written { unsafe target.update(repeating: 0, count: total) }
      return
    }
    if start < written {
      for index in 0..<total { unsafe target[index] += samples[index] * gain }
    } else if isLimited {
      for index in 0..<total { unsafe target[index] = samples[index] * gain }
    } else {
      // A source within full scale stays as it is.
      for index in 0..<total { unsafe target[index] = max(-1, min(1, samples[index] * gain)) }
    }
  }

  private func emitComplete(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    while complete >= emitted + blockFrames { unsafe emitBlock(emit) }
  }

  private func emitBlock(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    let block = unsafe sum + emitted % room * channels
    hasLimited = unsafe isLimited && SoftLimiter.limit(block, count: blockFrames * channels)
    unsafe emit(block, origin + PCM.nanos(frames: emitted))
    emitted += blockFrames
  }
}
