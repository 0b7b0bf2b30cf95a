// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// Sums the tracks of several sources into one continuous sequence of samples, split into blocks for the encoder.
///
/// Each chunk is placed by its time. Gaps become silence, overlaps are dropped, and the times of blocks are counted in
/// samples, so they do not jitter. A block is summed and emitted when all tracks have reached its end: until then, and
/// for some blocks longer, each track's samples are kept apart, so that one of them can still be silenced without the
/// others. A track that has stalled is silent, and the others do not wait for it. Tracks join and leave between chunks.
/// Used by one thread; allocates nothing after its initialiser.
@safe public final class Mixer {
  /// The most tracks at a time.
  public static let maxTracks = 8
  /// A chunk that starts within this of the end of its track's last one is joined to it: 5 ms, which is more than the
  /// jitter of a source, and not perceptible between video and audio.
  static let tolerance = 240
  /// Longer gaps are not filled with silence; they stay gaps in the timeline: 2 s.
  static let maxSilence = 96_000
  /// How far one track may be ahead of another: 1.4 s.
  private static let leadBlocks = 64

  public let channels: Int
  public let blockFrames: Int
  let keptBlocks: Int
  let places: [MixerTrack]
  var present: [MixerTrack] = []
  /// The memory of all places. Its pages are not used before the first track that needs them.
  private let windows: UnsafeMutablePointer<Float>
  private let sum: UnsafeMutablePointer<Float>
  /// A chunk that the filters of its track change.
  private let filtered: UnsafeMutablePointer<Float>
  /// Sample frames in the ring of each track. A single track is never ahead of another, and what it needs stays in the
  /// processor's cache.
  var room: Int
  let roomAlone: Int
  let roomAmongOthers: Int
  /// Whether the limiter has lowered samples of the newest block that had reached full scale.
  public private(set) var hasLimited = false
  /// The time of sample frame 0.
  var origin: MediaTime
  /// The next sample frame to be emitted, the first of a block.
  var emitted = 0
  /// The sample frame after the last one of any track.
  var written = 0

  /// - Parameters:
  ///   - tracks: those that are there from the start, at the places from 0 on.
  ///   - blockFrames: samples per channel in a block: 1024 for AAC.
  ///   - keptBlocks: how many emitted blocks `silence` and `repeatBlocks` still know; at least 1.
  ///   - origin: when the audio starts.
  public init(
    channels: Int, tracks: [AudioTrack], blockFrames: Int, keptBlocks: Int = 1, origin: MediaTime
  ) {
    self.channels = channels
    self.blockFrames = blockFrames
    self.keptBlocks = keptBlocks
    self.origin = origin
    let blocksAlone = keptBlocks + 1
    roomAlone = blocksAlone * blockFrames
    // A whole number of rooms alone, with a block for what fades.
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

  /// The time of the block that is emitted next.
  public var next: MediaTime { origin + PCM.nanos(frames: emitted) }

  /// The time up to which a track has been added.
  public func end(track place: Int) -> MediaTime { origin + PCM.nanos(frames: places[place].end) }

  /// The time, without the tracks' delays, up to which the one that is furthest behind has been added.
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
  ///   - startsAt: without the track's delay.
  ///   - emit: receives each full block, valid during the call, and the time of its first sample.
  /// - Returns: how many sample frames were dropped because they came too late. Those before `origin`, and the first ones
  ///   of a track that has joined, do not count.
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

  /// Adds silence until `time`, plus its delay, to each track that ends before it. The others do not wait for these any
  /// more.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var shift = Int64.max
    for track in present where !track.isLeaving { shift = min(shift, track.shiftNanos) }
    let earliest = time + (shift == .max ? 0 : shift)
    let target = PCM.frames(nanos: earliest - origin)
    if target - complete > Mixer.maxSilence { return begin(at: earliest) }
    // Not of those present, which change where a block is emitted.
    for track in places where track.isPresent && !track.isLeaving {
      let target = PCM.frames(nanos: time + track.shiftNanos - origin)
      guard track.end < target else { continue }
      track.isWaitedFor = false
      unsafe append(nil, frames: target - track.end, to: track, emit: emit)
    }
    written = max(written, target)
    unsafe emitComplete(emit)
  }

  /// Emits the kept blocks again, as they are after `silence`.
  @unsafe public func repeatBlocks(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    var frame = max(0, emitted - keptBlocks * blockFrames)
    while frame < emitted {
      unsafe emitBlock(at: frame, emit)
      frame += blockFrames
    }
  }

  // MARK: Blocks

  /// The sample frame up to which all tracks that deliver have been added.
  var complete: Int {
    var least = Int.max
    for track in present where track.isWaitedFor { least = min(least, track.end) }
    return least == .max ? max(written, emitted) : least
  }

  /// Starts the timeline anew.
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
    // What is emitted without a track is silence of it.
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
