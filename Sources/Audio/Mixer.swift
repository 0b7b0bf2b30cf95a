// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CSamples
internal import Media

/// Sums the tracks of several sources into one continuous sequence of samples, split into blocks for the encoder.
///
/// Tracks deliver their samples in chunks. Each chunk is placed by its time: gaps become silence, and overlaps are
/// dropped. The times of blocks are counted in samples, so they do not jitter. A block is summed, limited and emitted
/// when all tracks have reached its end, and `lookAheadFrames` more for the limiter. A track that has stalled is
/// silent, and the other tracks do not wait for it.
///
/// The samples of each track are kept separately, also for `keptBlocks` blocks after they were emitted, so that a
/// single track can still be silenced. Tracks join and leave between chunks. Used by one thread; allocates no memory
/// after its initialiser.
@safe public final class Mixer {
  /// The largest number of tracks that a mixer can have at the same time: the main one, three of the settings, the music,
  /// eight guests, and some that are still leaving.
  public static let maxTracks = 16
  /// A chunk that starts within this many sample frames (5 ms) of the end of its track's previous chunk is appended
  /// without a gap or overlap. 5 ms is more than the jitter of a source, and too little to disturb lip sync.
  static let toleranceFrames = 240
  /// The longest gap between two chunks, in sample frames (2 s), that is filled with silence. A longer gap stays a gap
  /// in the timeline.
  static let maxSilenceFrames = 96_000
  /// How many blocks one track may be ahead of another: 65,536 sample frames (1.4 s) with 1,024 in a block, and up to
  /// six times as many with the larger blocks of the profiles "low" and "basic".
  private static let leadBlocks = 64
  /// Sample frames after a block that are needed before it is emitted.
  static let lookAheadFrames = TruePeakLimiter.lookAheadFrames

  /// The number of audio channels, the same for all tracks and for their sum.
  public let channels: Int
  /// Sample frames in a block.
  public let blockFrames: Int
  /// How many emitted blocks are kept for `silence` and `repeatBlocks`.
  let keptBlocks: Int
  /// One slot for each of the `maxTracks` tracks that the mixer can have; a slot without a track is free.
  let slots: [MixerTrack]
  /// The slots that have a track. Tracks that are leaving are included.
  var occupied: [MixerTrack] = []
  /// The memory for the rings of all slots. Its pages take no physical memory before a track writes to them.
  private let ringMemory: UnsafeMutablePointer<Float>
  /// A block of the sum, with the frames before and after it that the limiter reads.
  private let sum: UnsafeMutablePointer<Float>
  private let limiter: TruePeakLimiter
  private var ducker = Ducker()
  /// The number of the sample frame up to which the tracks with the role `music` have been lowered.
  private var duckedUntil = 0
  /// The number of the first sample frame of the block that is being emitted.
  private var emitting = 0
  /// A factor on the sum, before the limiter. Within a block it moves from the value of the block before.
  public var sumGain: Float = 1
  /// The value of `sumGain` in the newest block.
  private var appliedGain: Float = 1
  /// A copy of the chunk that is being added, for the filters of its track to change.
  private let filtered: UnsafeMutablePointer<Float>
  /// The number of sample frames in the ring of each track: `ringFramesAlone` or `ringFramesShared`.
  var ringFrames: Int
  /// The size of the ring, in sample frames, while the mixer has a single track. That track is never ahead of another,
  /// so it needs a smaller ring, which stays in the processor's cache.
  let ringFramesAlone: Int
  /// The size of the ring of each track, in sample frames, while the mixer has several tracks.
  let ringFramesShared: Int
  /// Whether the newest block had samples at or above full scale, which the limiter has lowered.
  public private(set) var hasClipped = false
  /// The time of sample frame 0 of the timeline.
  var origin: MediaTime
  /// The number of the next sample frame to be emitted, which is the first of a block.
  var emitted = 0
  /// The number of the sample frame that follows the last one of the track that is furthest ahead.
  var written = 0

  /// - Parameters:
  ///   - tracks: the first tracks, which get the slots from 0 on. Blocks wait for the samples of all of them.
  ///   - blockFrames: sample frames in a block, a multiple of 32 and at least 256: 1024 for AAC.
  ///   - keptBlocks: how many emitted blocks are kept for `silence` and `repeatBlocks`; at least 1.
  ///   - origin: the time of the first sample of the first block.
  public init(
    channels: Int, tracks: [AudioTrack], blockFrames: Int, keptBlocks: Int = 1, origin: MediaTime
  ) {
    self.channels = channels
    self.blockFrames = blockFrames
    self.keptBlocks = keptBlocks
    self.origin = origin
    // The kept blocks, the next one, and the one after it, into which the limiter looks.
    let blocksAlone = keptBlocks + 2
    ringFramesAlone = blocksAlone * blockFrames
    // The size is a multiple of `ringFramesAlone`. It includes a block for the fade-out of a leaving track.
    ringFramesShared =
      (Mixer.leadBlocks + keptBlocks + 2 + blocksAlone - 1) / blocksAlone * ringFramesAlone
    ringFrames = ringFramesShared
    let ringSamples = ringFramesShared * channels
    let ringMemory = UnsafeMutablePointer<Float>.allocate(capacity: Mixer.maxTracks * ringSamples)
    unsafe self.ringMemory = ringMemory
    slots = (0..<Mixer.maxTracks).map {
      unsafe MixerTrack(ring: ringMemory + $0 * ringSamples, channels: channels)
    }
    unsafe sum = .allocate(capacity: Mixer.summedFrames(blockFrames) * channels)
    limiter = TruePeakLimiter(channels: channels, maxFrames: blockFrames)
    unsafe filtered = .allocate(capacity: PCMQueue.chunkFrames * channels)
    occupied.reserveCapacity(Mixer.maxTracks)
    for track in tracks {
      guard let slot = join(track) else { break }
      slots[slot].isNew = false
      slots[slot].isWaitedFor = true
    }
  }

  deinit {
    unsafe ringMemory.deallocate()
    unsafe sum.deallocate()
    unsafe filtered.deallocate()
  }

  /// How tracks with the role `music` are lowered while one with the role `voice` is heard.
  public var ducking: Ducking {
    get { ducker.ducking }
    set { ducker.ducking = newValue }
  }

  /// By how many decibels tracks with the role `music` are lowered now.
  public var duckedDB: Double { ducker.reductionDB }

  /// The highest true peaks of the sum, in dBTP, from the next block on: -1 unless set otherwise.
  public var ceilingDB: Double {
    get { limiter.ceilingDB }
    set { limiter.ceilingDB = newValue }
  }

  // MARK: Times

  /// The time of the first sample of the block that will be emitted next.
  public var nextBlockTime: MediaTime { origin + PCM.nanos(frames: emitted) }

  /// The time on the mixer's timeline, including the track's delay, up to which a track has samples.
  public func end(track slot: Int) -> MediaTime { origin + PCM.nanos(frames: slots[slot].end) }

  /// The capture time (without delays) up to which the track that is furthest behind has samples. Only tracks that
  /// blocks wait for count. If blocks wait for no track, this is the time of the track that is furthest ahead.
  public var earliestCaptureEnd: MediaTime {
    var (least, most) = (MediaTime.distantFuture, MediaTime.distantPast)
    for track in occupied where !track.isLeaving {
      let end = origin + PCM.nanos(frames: track.end) - track.shiftNanos
      if track.isWaitedFor { least = min(least, end) }
      most = max(most, end)
    }
    if least < .distantFuture { return least }
    return most > .distantPast ? most : origin + PCM.nanos(frames: written)
  }

  // MARK: Samples

  /// Adds a chunk of a track at the chunk's time on the timeline.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples; `nil` for silence.
  ///   - frames: at most `PCMQueue.chunkFrames` if the track has filters.
  ///   - startsAt: the time of the chunk's first sample, without the track's delay.
  ///   - emit: receives the samples of each full block, valid during the call, and the time of its first sample.
  /// - Returns: how many sample frames were dropped because they came too late. Sample frames from before `origin`, and
  ///   those in the first chunk of a track that has joined, do not count.
  @discardableResult @unsafe public func add(
    _ interleaved: UnsafePointer<Float>?, frames: Int, startsAt: MediaTime, track slot: Int = 0,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let track = slots[slot]
    guard track.isPresent, !track.isLeaving else { return 0 }
    let isBeginning = written == 0 || track.isNew
    let startsAt = startsAt + track.shiftNanos
    let offset = PCM.frames(nanos: startsAt - origin) - track.end
    // A track that has joined has no previous chunk: it is placed exactly.
    let tolerance = track.isNew ? 0 : Mixer.toleranceFrames
    var skipped = 0
    if offset > Mixer.maxSilenceFrames {
      begin(at: startsAt)
    } else if offset > tolerance {
      unsafe append(nil, frames: offset, to: track, emit: emit)
    } else if offset < -tolerance {
      skipped = min(frames, -offset)
      if !track.isNew { track.beginSeam(ringFrames: ringFrames) }
    }
    track.isNew = false
    track.isWaitedFor = true
    let samples = unsafe interleaved.map { unsafe filter($0, frames: frames, of: track) }
    // What a filter delivers before the first sample of the track is silence, from which the track fades in.
    let filling = unsafe samples == nil ? 0 : track.takeFilling(frames: frames)
    if filling > skipped { unsafe append(nil, frames: filling - skipped, to: track, emit: emit) }
    let first = max(skipped, filling)
    unsafe append(
      samples.map { unsafe $0 + first * channels }, frames: frames - first, to: track, emit: emit)
    return isBeginning ? 0 : skipped
  }

  /// Adds silence to each track that ends before `time` plus the track's delay, up to that point. Until such a track
  /// delivers again, the others do not wait for it.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var shift = Int64.max
    for track in occupied where !track.isLeaving { shift = min(shift, track.shiftNanos) }
    let earliest = time + (shift == .max ? 0 : shift)
    let target = PCM.frames(nanos: earliest - origin)
    if target - complete > Mixer.maxSilenceFrames { return begin(at: earliest) }
    // The loop is not over `occupied`, because emitting a block changes `occupied`.
    for track in slots where track.isPresent && !track.isLeaving {
      let target = PCM.frames(nanos: time + track.shiftNanos - origin)
      guard track.end < target else { continue }
      track.isWaitedFor = false
      unsafe append(nil, frames: target - track.end, to: track, emit: emit)
    }
    written = max(written, target)
    unsafe emitComplete(emit)
  }

  /// Emits the kept blocks once more, without the samples that `silence` has removed since they were first emitted.
  @unsafe public func repeatBlocks(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    var frame = max(0, emitted - keptBlocks * blockFrames)
    limiter.restart()
    while frame < emitted {
      unsafe emitBlock(at: frame, emit)
      frame += blockFrames
    }
  }

  // MARK: Blocks

  /// The number of the sample frame up to which all tracks that blocks wait for have samples.
  var complete: Int {
    var least = Int.max
    for track in occupied where track.isWaitedFor { least = min(least, track.end) }
    return least == .max ? max(written, emitted) : least
  }

  /// Begins a new timeline at `time`. Samples of the earlier timeline that have not been emitted are dropped.
  private func begin(at time: MediaTime) {
    origin = time
    written = 0
    emitted = 0
    duckedUntil = 0
    limiter.restart()
    removeTracks { _ in true }
    for track in occupied {
      track.restart(at: 0)
      track.isWaitedFor = true
    }
  }

  /// Applies the track's filters to a copy of the samples. A value that is not a number would stay in the filters.
  /// - Returns: the copy, or `samples` if the track has no filters.
  private func filter(
    _ samples: UnsafePointer<Float>, frames: Int, of track: MixerTrack
  ) -> UnsafePointer<Float> {
    guard !track.filters.isEmpty else { return unsafe samples }
    unsafe onair_samples_scale(
      filtered, samples, frames, Int32(channels), 1, 1, MixerTrack.mostLevel)
    for filter in track.filters { unsafe filter.process(filtered, frames: frames) }
    return unsafe UnsafePointer(filtered)
  }

  /// Appends samples to a track, or silence for `nil`, and emits each block that becomes complete.
  private func append(
    _ samples: UnsafePointer<Float>?, frames: Int, to track: MixerTrack,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var done = 0
    while done < frames {
      let start = track.end
      let lead =
        ringFrames == ringFramesAlone
        ? blockFrames + Mixer.lookAheadFrames : Mixer.leadBlocks * blockFrames
      // If this track is too far ahead of the other tracks, emit a block without their missing samples.
      if start >= emitted + lead { unsafe emitNext(emit) }
      let (emitted, ringFrames) = (self.emitted, self.ringFrames)
      let count = min(frames - done, emitted + lead - start, ringFrames - start % ringFrames)
      unsafe track.append(
        samples.map { unsafe $0 + done * channels }, count: count, ringFrames: ringFrames)
      done += count
      let end = start + count
      if end > written { written = end }
      if end >= endOfNext { unsafe emitComplete(emit) }
    }
  }

  /// The number of the sample frame up to which samples are needed before the next block is emitted.
  private var endOfNext: Int { emitted + blockFrames + Mixer.lookAheadFrames }

  /// Emits all blocks that are complete.
  private func emitComplete(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    while complete >= endOfNext { unsafe emitNext(emit) }
  }

  /// Emits the next block, even if tracks have not reached its end.
  private func emitNext(_ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    let (frame, end) = (emitted, endOfNext)
    emitted += blockFrames
    // A track without samples up to this end is silent there.
    for track in occupied where track.end < end {
      track.appendSilence(until: end, ringFrames: ringFrames)
    }
    duck(until: end)
    unsafe emitBlock(at: frame, emit)
    if ringFrames != ringFramesAlone {
      removeTracks { $0.endOfFade <= emitted }
      changeRingFrames()
    }
  }

  /// The samples of one track in the block that is being emitted, with its filters, its gain and its ducking:
  /// `blockFrames` × `channels`. Valid while `emit` is called.
  public func samples(ofTrack slot: Int) -> UnsafePointer<Float> {
    unsafe UnsafePointer(slots[slot].samples(from: emitting, ringFrames: ringFrames))
  }

  /// Lowers the tracks with the role `music` up to, but not including, the sample frame with the number `end`. The
  /// lowered samples stay in the rings: a block that is emitted once more is the same.
  private func duck(until end: Int) {
    defer { duckedUntil = end }
    guard occupied.contains(where: { $0.role == .music }) else { return }
    let step = Ducker.stepFrames
    for frame in stride(from: duckedUntil, to: end, by: step) {
      var level = Float(0)
      for track in occupied where track.role == .voice {
        let samples = unsafe track.samples(from: frame, ringFrames: ringFrames)
        level = unsafe max(level, onair_samples_peak(samples, step * channels))
      }
      let before = ducker.gain
      let after = ducker.step(level: level)
      guard before != 1 || after != 1 else { continue }
      for track in occupied where track.role == .music {
        let samples = unsafe track.samples(from: frame, ringFrames: ringFrames)
        unsafe onair_samples_ramp(samples, step, Int32(channels), before, after)
      }
    }
  }

  /// The number of sample frames that are summed for a block.
  private static func summedFrames(_ blockFrames: Int) -> Int {
    TruePeakLimiter.lookBackFrames + blockFrames + lookAheadFrames
  }

  private func emitBlock(at frame: Int, _ emit: (UnsafePointer<Float>, MediaTime) -> Void) {
    emitting = frame
    addUp(from: frame - TruePeakLimiter.lookBackFrames)
    if sumGain != 1 || appliedGain != 1 { applyGain() }
    let block = unsafe sum + TruePeakLimiter.lookBackFrames * channels
    let peak = unsafe onair_samples_peak(sum, Mixer.summedFrames(blockFrames) * channels)
    if limiter.passes(peak: peak) {
      hasClipped = false
    } else {
      hasClipped = unsafe onair_samples_peak(block, blockFrames * channels) >= 1
      unsafe limiter.limit(block, frames: blockFrames)
    }
    unsafe emit(block, origin + PCM.nanos(frames: frame))
  }

  /// Adds up the samples of all tracks, from the sample frame with the number `first` on.
  private func addUp(from first: Int) {
    let frames = Mixer.summedFrames(blockFrames)
    // There is nothing before frame 0.
    let skipped = max(0, -first)
    unsafe sum.update(repeating: 0, count: (occupied.isEmpty ? frames : skipped) * channels)
    var isFirst = true
    for track in occupied {
      var done = skipped
      while done < frames {
        let start = first + done
        let count = min(frames - done, ringFrames - start % ringFrames)
        let (samples, target) = unsafe (
          track.samples(from: start, ringFrames: ringFrames), sum + done * channels
        )
        if isFirst {
          unsafe target.update(from: samples, count: count * channels)
        } else {
          unsafe onair_samples_add(target, samples, count * channels)
        }
        done += count
      }
      isFirst = false
    }
  }

  /// Multiplies the sum by `sumGain`.
  private func applyGain() {
    let (before, after) = (appliedGain, sumGain)
    appliedGain = after
    let start = TruePeakLimiter.lookBackFrames
    let block = unsafe sum + start * channels
    let channelCount = Int32(channels)
    unsafe onair_samples_ramp(sum, start, channelCount, before, before)
    unsafe onair_samples_ramp(block, blockFrames, channelCount, before, after)
    unsafe onair_samples_ramp(
      block + blockFrames * channels, Mixer.lookAheadFrames, channelCount, after, after)
  }
}
