// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Glibc
internal import Media

/// Mixes the tracks of an audio pipeline, and determines to which scene (the period between two cuts) each block of
/// mixed audio belongs. Used only by the pipeline's thread.
final class AudioMixing {
  /// A track that has a slot in the mixer.
  private struct JoinedTrack {
    let track: AudioPipeline.Track
    /// The number of the track's slot in the mixer.
    let slot: Int
    /// The gain, delay and filters that were last passed to the mixer.
    var adjustment: AudioPipeline.Adjustment
    /// The filters in the mixer, one for each of the adjustment's plans.
    var filters: [any AudioFilter]
    /// The hum that the filters remove; `nil` for none.
    var hum: Hum?
    /// Samples captured before this time are not heard; `nil` while the track is silenced (`AudioScene.heardSince`).
    var heardSince: MediaTime?
    /// The time, on the stream's timeline, of the first sample that was captured after `heardSince`. `distantFuture`
    /// while this sample has not arrived yet; `distantPast` as long as `heardSince` has never changed.
    var heardFrom = MediaTime.distantPast
    /// Samples before this time on the stream's timeline are dropped because the delay was shortened. Such samples do
    /// not count as late.
    var shortenedUntil = MediaTime.distantPast
  }

  /// How the encoder is replaced at a cut that hides samples which the encoder may still hold.
  enum Renewal {
    /// The new encoder gets none of the samples that were mixed before the cut.
    case empty
    /// The new encoder first gets the last blocks of mixed audio once more (the mixer has kept them), without the
    /// samples of tracks that the cut silences.
    case repeating
  }

  /// Mixes the samples of all tracks into blocks for the encoder.
  let mixer: Mixer
  /// Measures the sum of the tracks.
  let loudness: LoudnessMeter
  /// Brings the sum slowly to a target loudness.
  private var correction = LoudnessCorrection()
  /// The tracks that are being mixed.
  private var joined: [JoinedTrack] = []
  /// The present audio scene: which tracks are heard since the last cut.
  private(set) var scene: AudioScene
  /// Earlier scenes to which blocks that are not mixed yet may belong, the oldest first. A block belongs to the first
  /// of these scenes whose end `until`, on the stream's timeline, is after the start of the block.
  private var earlierScenes: [(number: UInt32, until: MediaTime)] = []
  /// The largest number of entries in `earlierScenes`.
  private static let maxEarlierScenes = 8
  /// The time of the newest packet that was offered to sinks, on the stream's timeline.
  var offeredAt = MediaTime.distantPast

  /// - Parameters:
  ///   - tracks: the first tracks. The mixer waits for the samples of all of them.
  ///   - keptBlocks: how many emitted blocks the mixer keeps, because the encoder may still hold their samples.
  init(
    _ tracks: [AudioPipeline.Track], channels: Int, blockFrames: Int, keptBlocks: Int,
    scene: AudioScene, now: MediaTime
  ) {
    self.scene = scene
    loudness = LoudnessMeter(channels: channels, maxFrames: blockFrames)
    let adjustments = tracks.map(\.present)
    let filters = adjustments.map { $0.filters.map { $0.make(channels) } }
    // The mixer's times are on the stream's timeline: capture time plus the track's delay.
    mixer = Mixer(
      channels: channels,
      tracks: tracks.indices.map {
        AudioTrack(
          gain: adjustments[$0].gain, delayNanos: adjustments[$0].delayNanos,
          filters: filters[$0], role: tracks[$0].role)
      },
      blockFrames: blockFrames, keptBlocks: keptBlocks,
      origin: now + (adjustments.first?.delayNanos ?? 0))
    joined.reserveCapacity(Mixer.maxTracks)
    earlierScenes.reserveCapacity(AudioMixing.maxEarlierScenes)
    for (slot, track) in tracks.prefix(Mixer.maxTracks).enumerated() {
      joined.append(joining(track, adjustments[slot], filters[slot], at: slot))
    }
  }

  /// Makes the entry for a track that joins the mixer in this slot. The present scene decides from which time on the
  /// track is heard.
  private func joining(
    _ track: AudioPipeline.Track, _ adjustment: AudioPipeline.Adjustment,
    _ filters: [any AudioFilter], at slot: Int
  ) -> JoinedTrack {
    JoinedTrack(
      track: track, slot: slot, adjustment: adjustment, filters: filters,
      heardSince: scene.heardSince(track.name))
  }

  /// Removes the tracks that are not in the list, and adds the tracks of the list that have not joined yet.
  /// - Returns: `false` if the mixer has no free slot yet for a new track.
  func follow(_ tracks: [AudioPipeline.Track]) -> Bool {
    joined.removeAll { old in
      guard !tracks.contains(where: { $0 === old.track }) else { return false }
      mixer.leave(old.slot)
      return true
    }
    for track in tracks where !joined.contains(where: { $0.track === track }) {
      let adjustment = track.present
      let filters = adjustment.filters.map { $0.make(mixer.channels) }
      guard
        let slot = mixer.join(
          AudioTrack(
            gain: adjustment.gain, delayNanos: adjustment.delayNanos, filters: filters,
            role: track.role))
      else { return false }
      joined.append(joining(track, adjustment, filters, at: slot))
    }
    return true
  }

  /// Passes changed gains, delays and filters of the tracks to the mixer.
  func adjust(_ sum: AudioPipeline.SumAdjustment) {
    mixer.ducking.depthDB = sum.duckDB
    correction.targetLUFS = sum.targetLUFS.map(Double.init)
    for index in joined.indices {
      let wanted = joined[index].track.present
      let (slot, old) = (joined[index].slot, joined[index].adjustment)
      let hum = wanted.humFilterIndex == nil ? nil : humToRemove(joined[index])
      guard wanted != old || hum != joined[index].hum else { continue }
      if wanted.delayNanos < old.delayNanos {
        joined[index].shortenedUntil = mixer.end(track: slot)
      }
      let (plans, oldPlans) = (
        wanted.filters(removing: hum), old.filters(removing: joined[index].hum)
      )
      if plans != oldPlans {
        let filters = joined[index].filters
        joined[index].filters = plans.map { plan in
          oldPlans.firstIndex(of: plan).map { filters[$0] } ?? plan.make(mixer.channels)
        }
        mixer.set(
          filters: joined[index].filters, delayNanos: wanted.delayNanos, track: slot)
      }
      mixer.set(gain: wanted.gain, delayNanos: wanted.delayNanos, track: slot)
      joined[index].track.alarms.silenceSeconds = Double(wanted.silenceSeconds)
      joined[index].adjustment = wanted
      joined[index].hum = hum
    }
  }

  /// The hum that a track's filters are to remove. It stays what it was while the alarm lasts, so that the filters do
  /// not change with each measurement.
  private func humToRemove(_ joined: JoinedTrack) -> Hum? {
    let alarms = joined.track.alarms
    return alarms.isRaised(.hum) ? joined.hum ?? alarms.hum : nil
  }

  /// Measures the level of each track in the block that is being emitted.
  func measure() {
    for joined in joined {
      unsafe joined.track.levels.note(
        mixer.samples(ofTrack: joined.slot), frames: mixer.blockFrames, channels: mixer.channels,
        hasClipped: false)
    }
  }

  /// Measures the loudness of the block that is being emitted.
  /// - Parameter report: receives a reading ten times a second.
  func measureLoudness(_ block: UnsafePointer<Float>, report: (SumReading) -> Void) {
    unsafe loudness.note(block, frames: mixer.blockFrames) { reading in
      correction.note(reading)
      mixer.sumGain = correction.gainDB == 0 ? 1 : Float(pow(10, correction.gainDB / 20))
      report(
        SumReading(
          loudness: reading, correctionDB: correction.gainDB, reductionDB: mixer.duckedDB))
    }
  }

  // MARK: Scenes

  /// Begins another scene. Silences the samples in the mixer that must not be heard in this scene.
  /// - Returns: how the encoder is to be replaced; `nil` if the present encoder stays.
  func cut(to scene: AudioScene) -> Renewal? {
    let number = self.scene.number
    self.scene = scene
    mixer.removeLeaving()
    /// Whether any track is heard both before and after the cut, and whether any track is silenced by the cut.
    var (hasContinuing, hasEnding) = (false, false)
    for track in joined {
      guard let before = track.heardSince else { continue }
      let since = scene.heardSince(track.track.name)
      if since == before { hasContinuing = true } else if since == nil { hasEnding = true }
    }
    // Whether the encoder has to be replaced, because it may hold samples that the new scene hides.
    let replacesEncoder = scene.hiddenBefore > number && (hasContinuing || hasEnding)
    var until = MediaTime.distantPast
    for index in joined.indices {
      let track = joined[index]
      let since = scene.heardSince(track.track.name)
      joined[index].heardSince = since
      if since != track.heardSince { joined[index].heardFrom = .distantFuture }
      if replacesEncoder {
        mixer.silence(track: track.slot, until: joined[index].heardFrom)
        continue
      }
      // Its samples stay in the earlier scene; nothing of them may fade into the new one.
      if since != track.heardSince { mixer.breakOff(track: track.slot) }
      if let since {
        until = max(until, since + track.adjustment.delayNanos)
        // The mixer may already have samples of the earlier scene after `until`, because a delay was shortened or a
        // chunk was appended early.
        if since != track.heardSince { until = max(until, mixer.end(track: track.slot)) }
      }
    }
    guard replacesEncoder else {
      addEarlierScene(number, until: until)
      return nil
    }
    earlierScenes.removeAll(keepingCapacity: true)
    return hasContinuing ? .repeating : .empty
  }

  /// Notes that blocks before the time `until` belong to the earlier scene with this number.
  private func addEarlierScene(_ number: UInt32, until: MediaTime) {
    earlierScenes.removeAll { $0.until <= mixer.nextBlockTime }
    if earlierScenes.count < AudioMixing.maxEarlierScenes {
      earlierScenes.append((number, until))
    } else {
      // The list is full: these blocks count as part of the scene before. Sinks that have to discard this scene discard
      // the scene before as well.
      let last = earlierScenes.count - 1
      earlierScenes[last].until = max(until, earlierScenes[last].until)
    }
  }

  /// The number of the scene that a block belongs to.
  /// - Parameter time: the time of the block's first sample, on the stream's timeline.
  func number(at time: MediaTime) -> UInt32 {
    for earlier in earlierScenes where time < earlier.until { return earlier.number }
    return scene.number
  }

  // MARK: Samples

  /// Takes the oldest chunk from the queues of all tracks, so that no track falls behind the others.
  /// - Returns: the index of the track in `joined`, and the chunk; `nil` if all queues are empty.
  func take(
    into samples: UnsafeMutablePointer<Float>
  ) -> (track: Int, chunk: PCMQueue.Chunk)? {
    var oldest: (index: Int, time: MediaTime)?
    for index in joined.indices {
      guard let time = joined[index].track.queue.first else { continue }
      if oldest.map({ time < $0.time }) ?? true { oldest = (index, time) }
    }
    guard let index = oldest?.index,
      let chunk = unsafe joined[index].track.queue.takeNow(into: samples)
    else { return nil }
    return (index, chunk)
  }

  /// Adds a chunk of a track to the mixer, as silence if the present scene silences the track.
  /// - Returns: how many sample frames were dropped because they came too late.
  func add(
    _ samples: UnsafePointer<Float>, _ chunk: PCMQueue.Chunk, track index: Int, now: MediaTime,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let track = joined[index]
    track.track.sourcePulse.beat(now)
    unsafe track.track.watch(samples, frames: chunk.frames)
    let isHeard = track.heardSince.map { chunk.startsAt >= $0 } ?? false
    if isHeard, track.heardFrom == .distantFuture {
      joined[index].heardFrom = mixer.end(track: track.slot)
    }
    let late = unsafe mixer.add(
      isHeard ? samples : nil, frames: chunk.frames, startsAt: chunk.startsAt, track: track.slot,
      emit: emit)
    guard late > 0, chunk.startsAt + track.adjustment.delayNanos >= track.shortenedUntil else {
      return 0
    }
    track.track.late.add(late)
    return late
  }
}
