// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// Sums the tracks of several sources into one continuous sequence of samples, split into blocks for the encoder.
///
/// Each chunk is placed by its time: gaps become silence, and overlaps are dropped. The times of blocks are counted in
/// samples, so they do not jitter. A block is summed and emitted when all tracks have reached its end. Until then, and
/// for some blocks longer, the samples of each track are kept apart, so that one track can still be silenced without
/// the others. A track that has stalled is silent, and the others do not wait for it. Tracks join and leave between
/// chunks. Used by one thread; allocates nothing after its initialiser.
@safe public final class Mixer {
  /// The most tracks that a mixer has at a time.
  public static let maxTracks = 8
  /// Sample frames. A chunk that starts within this distance of the end of its track's previous chunk is joined to it.
  /// 5 ms is more than the jitter of a source, and not perceptible between video and audio.
  static let tolerance = 240
  /// Sample frames. A longer gap is not filled with silence, but stays a gap in the timeline: 2 s.
  static let maxSilence = 96_000
  /// How many blocks one track may be ahead of another: 1.4 s, with 1,024 sample frames in a block.
  private static let leadBlocks = 64

  public let channels: Int
  public let blockFrames: Int
  let keptBlocks: Int
  let places: [MixerTrack]
  var present: [MixerTrack] = []
  /// The sample memory of all places. Its pages take no physical memory before a track needs them.
  private let windows: UnsafeMutablePointer<Float>
  private let sum: UnsafeMutablePointer<Float>
  /// A copy of the chunk that is being added, for the filters of its track to change.
  private let filtered: UnsafeMutablePointer<Float>
  /// The number of sample frames in the ring of each track: `roomAlone` or `roomAmongOthers`. A single track is never
  /// ahead of another, so it needs a smaller ring, which stays in the processor's cache.
  var room: Int
  let roomAlone: Int
  let roomAmongOthers: Int
  /// Whether the newest block had samples at or above full scale, which the limiter has lowered.
  public private(set) var hasLimited = false
  /// The time of sample frame 0 of the timeline.
  var origin: MediaTime
  /// The number of the next sample frame to be emitted, which is the first of a block.
  var emitted = 0
  /// The number of the sample frame that follows the last one of the track that is furthest ahead.
  var written = 0

  /// - Parameters:
  ///   - tracks: the tracks that are there from the start, at the places from 0 on.
  ///   - blockFrames: sample frames in a block: 1024 for AAC.
  ///   - keptBlocks: how many emitted blocks are kept for `silence` and `repeatBlocks`; at least 1.
  ///   - origin: the time of the first sample of the first block.
  public init(
    channels: Int, tracks: [AudioTrack], blockFrames: Int, keptBlocks: Int = 1, origin: MediaTime
  ) {
    self.channels = channels
    self.blockFrames = blockFrames
    self.keptBlocks = keptBlocks
    self.origin = origin
    let blocksAlone = keptBlocks + 1
    roomAlone = blocksAlone * blockFrames
    // A multiple of `roomAlone`, with one more block for a track that fades.
    roomAmongOthers =
      (Mixer.leadBlocks + keptBlocks + 1 + blocksAlone - 1) / blocksAlone * roomAlone
    room = roomAmongOthers
    let window = roomAmongOthers * channels
    let windows = UnsafeMutablePointer<Float>.allocate(capacity: Mixer.maxTracks * window)
    unsafe self.windows = windows
    places = (0..<Mixer.maxTracks).map {
      unsafe MixerTrack(window: windows + $0 * window, channels: channels)
    }
    unsafe sum = .allocate(capacity: blockFrames * channels)
    unsafe filtered = .allocate(capacity: PCMQueue.chunkFrames * channels)
    present.reserveCapacity(Mixer.maxTracks)
    for track in tracks {
      guard let place = join(track) else { break }
      places[place].isNew = false
      places[place].isWaitedFor = true
    }
  }

  deinit {
    unsafe windows.deallocate()
    unsafe sum.deallocate()
    unsafe filtered.deallocate()
  }

  // MARK: Times

  /// The time of the first sample of the block that is emitted next.
  public var next: MediaTime { origin + PCM.nanos(frames: emitted) }

  /// The time up to which a track has samples, with the track's delay.
  public func end(track place: Int) -> MediaTime { origin + PCM.nanos(frames: places[place].end) }

  /// The capture time, without delays, up to which the track that is furthest behind has samples. Only tracks that are
  /// waited for count; if there are none, the time of the track that is furthest ahead.
  public var due: MediaTime {
    var (least, most) = (MediaTime.distantFuture, MediaTime.distantPast)
    for track in present where !track.isLeaving {
      let end = origin + PCM.nanos(frames: track.end) - track.shiftNanos
      if track.isWaitedFor { least = min(least, end) }
      most = max(most, end)
    }
    if least < .distantFuture { return least }
    return most > .distantPast ? most : origin + PCM.nanos(frames: written)
  }

  // MARK: Samples

  /// Adds a chunk of a track at its place in time.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples; `nil` for silence.
  ///   - frames: at most `PCMQueue.chunkFrames` if the track has filters.
  ///   - startsAt: the time of the chunk's first sample, without the track's delay.
  ///   - emit: receives each full block, valid during the call, and the time of its first sample.
  /// - Returns: how many sample frames were dropped because they came too late. Sample frames from before `origin`, and
  ///   those in the first chunk of a track that has joined, do not count.
  @discardableResult @unsafe public func add(
    _ interleaved: UnsafePointer<Float>?, frames: Int, startsAt: MediaTime, track place: Int = 0,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let track = places[place]
    guard track.isPresent, !track.isLeaving else { return 0 }
    let isBeginning = written == 0 || track.isNew
    let startsAt = startsAt + track.shiftNanos
    let offset = PCM.frames(nanos: startsAt - origin) - track.end
    var skipped = 0
    if offset > Mixer.maxSilence {
      begin(at: startsAt)
    } else if offset > Mixer.tolerance {
      unsafe append(nil, frames: offset, to: track, emit: emit)
    } else if offset < -Mixer.tolerance {
      skipped = min(frames, -offset)
    }
    track.isNew = false
    track.isWaitedFor = true
    let samples = unsafe interleaved.map { unsafe filter($0, frames: frames, of: track) }
    unsafe append(
      samples.map { unsafe $0 + skipped * channels }, frames: frames - skipped, to: track,
      emit: emit)
    return isBeginning ? 0 : skipped
  }

  /// Adds silence to each track that ends before `time` plus the track's delay, up to that point. Until such a track
  /// delivers again, the others do not wait for it.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var shift = Int64.max
    for track in present where !track.isLeaving { shift = min(shift, track.shiftNanos) }
    let earliest = time + (shift == .max ? 0 : shift)
    let target = PCM.frames(nanos: earliest - origin)
    if target - complete > Mixer.maxSilence { return begin(at: earliest) }
    // Not a loop over `present`, which changes where a block is emitted.
    for track in places where track.isPresent && !track.isLeaving {
      let target = PCM.frames(nanos: time + track.shiftNanos - origin)
      guard track.end < target else { continue }
      track.isWaitedFor = false
      unsafe append(nil, frames: target - track.end, to: track, emit: emit)
    }
    written = max(written, target)
    unsafe emitComplete(emit)
  }

  /// Emits the kept blocks once more, without the samples that `silence` has removed since.
  @unsafe public func repeatBlocks(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    var frame = max(0, emitted - keptBlocks * blockFrames)
    while frame < emitted {
      unsafe emitBlock(at: frame, emit)
      frame += blockFrames
    }
  }

  // MARK: Blocks

  /// The number of the sample frame up to which all tracks that others wait for have samples.
  var complete: Int {
    var least = Int.max
    for track in present where track.isWaitedFor { least = min(least, track.end) }
    return least == .max ? max(written, emitted) : least
  }

  /// Begins a new timeline at `time`, and drops the samples of the earlier one that have not been emitted.
  private func begin(at time: MediaTime) {
    origin = time
    written = 0
    emitted = 0
    removeTracks { _ in true }
    for track in present {
      track.end = 0
      track.isWaitedFor = true
    }
  }

  private func filter(
    _ samples: UnsafePointer<Float>, frames: Int, of track: MixerTrack
  ) -> UnsafePointer<Float> {
    guard !track.filters.isEmpty else { return unsafe samples }
    unsafe filtered.update(from: samples, count: frames * channels)
    for filter in track.filters { unsafe filter.process(filtered, frames: frames) }
    return unsafe UnsafePointer(filtered)
  }

  private func append(
    _ samples: UnsafePointer<Float>?, frames: Int, to track: MixerTrack,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var done = 0
    while done < frames {
      let start = track.end
      let lead = room == roomAlone ? blockFrames : Mixer.leadBlocks * blockFrames
      // A track that is too far ahead does not wait for the others.
      if start >= emitted + lead { unsafe emitNext(emit) }
      let (emitted, room) = (self.emitted, self.room)
      let count = min(frames - done, emitted + lead - start, room - start % room)
      unsafe track.append(
        samples.map { unsafe $0 + done * channels }, count: count, room: room)
      done += count
      let end = start + count
      if end > written { written = end }
      if end >= emitted + blockFrames { unsafe emitComplete(emit) }
    }
  }

  private func emitComplete(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    while complete >= emitted + blockFrames { unsafe emitNext(emit) }
  }

  private func emitNext(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    let frame = emitted
    emitted += blockFrames
    // A track without samples up to the end of this block is silent there.
    for track in present where track.end < emitted {
      track.appendSilence(until: emitted, room: room)
    }
    unsafe emitBlock(at: frame, emit)
    if room != roomAlone {
      removeTracks { $0.end <= emitted }
      changeRoom()
    }
  }

  private func emitBlock(at frame: Int, _ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    let total = blockFrames * channels
    var block = unsafe sum
    var isLimited = true
    if present.count == 1 {
      unsafe block = present[0].samples(from: frame, room: room)
      isLimited = present[0].isLoud
    } else {
      unsafe sum.update(repeating: 0, count: total)
      for track in present {
        let samples = unsafe track.samples(from: frame, room: room)
        for index in 0..<total { unsafe sum[index] += samples[index] }
      }
    }
    hasLimited = unsafe isLimited && SoftLimiter.limit(block, count: total)
    unsafe emit(block, origin + PCM.nanos(frames: frame))
  }
}
