// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Media

/// The tracks of an audio pipeline as its thread uses them, and the scene that each block of mixed audio belongs to.
/// Used by that thread alone.
final class AudioMixing {
  private struct Joined {
    let track: AudioPipeline.Track
    /// The track's place in the mixer.
    let place: Int
    var adjustment: AudioPipeline.Adjustment
    /// Samples captured before this time are not heard; `nil` while the track is silenced (`AudioScene.heardSince`).
    var heardSince: MediaTime?
    /// Where on the stream's timeline the samples captured since `heardSince` begin. The distant past until
    /// `heardSince` first changes; after each change, the distant future until the first of these samples has come.
    var heardFrom = MediaTime.distantPast
    /// Samples before this time on the stream's timeline are left out because the delay was shortened. They do not
    /// count as late.
    var shortenedUntil = MediaTime.distantPast
  }

  /// How the encoder is replaced at a cut that hides samples which it may hold.
  enum Renewal {
    /// By a new encoder that gets none of the samples mixed so far.
    case empty
    /// By a new encoder that gets the mixer's kept blocks again, without the samples of tracks that are silenced.
    case repeating
  }

  let mixer: Mixer
  private var joined: [Joined] = []
  /// The present scene.
  private(set) var scene: AudioScene
  /// Earlier scenes whose samples may still be in blocks to come, the oldest first. A block that begins before `until`,
  /// on the stream's timeline, belongs to that scene.
  private var formers: [(number: UInt32, until: MediaTime)] = []
  private static let maxFormers = 8
  /// The time of the newest packet that was offered to sinks.
  var offeredAt = MediaTime.distantPast

  /// - Parameters:
  ///   - tracks: the first tracks. The mixer waits for the samples of all of them.
  ///   - keptBlocks: how many emitted blocks the mixer keeps, because the encoder may still hold their samples.
  init(
    _ tracks: [AudioPipeline.Track], channels: Int, blockFrames: Int, keptBlocks: Int,
    scene: AudioScene, now: MediaTime
  ) {
    self.scene = scene
    let adjustments = tracks.map(\.present)
    // The mixer counts in the stream's time: capture time plus the track's delay.
    mixer = Mixer(
      channels: channels,
      tracks: zip(tracks, adjustments).map {
        AudioTrack(gainDB: $1.gainDB, delayNanos: $1.delayNanos, filters: $0.filters)
      },
      blockFrames: blockFrames, keptBlocks: keptBlocks,
      origin: now + (adjustments.first?.delayNanos ?? 0))
    joined.reserveCapacity(Mixer.maxTracks)
    formers.reserveCapacity(AudioMixing.maxFormers)
    for (place, track) in tracks.prefix(Mixer.maxTracks).enumerated() {
      joined.append(joining(track, adjustments[place], at: place))
    }
  }

  private func joining(
    _ track: AudioPipeline.Track, _ adjustment: AudioPipeline.Adjustment, at place: Int
  ) -> Joined {
    Joined(
      track: track, place: place, adjustment: adjustment,
      heardSince: scene.heardSince(track.name))
  }

  /// Removes the tracks that are not in the list, and adds those that are new in it.
  /// - Returns: `false` if the mixer has no place for a new track yet.
  func follow(_ tracks: [AudioPipeline.Track]) -> Bool {
    joined.removeAll { old in
      guard !tracks.contains(where: { $0 === old.track }) else { return false }
      mixer.leave(old.place)
      return true
    }
    for track in tracks where !joined.contains(where: { $0.track === track }) {
      let adjustment = track.present
      guard
        let place = mixer.join(
          AudioTrack(
            gainDB: adjustment.gainDB, delayNanos: adjustment.delayNanos, filters: track.filters))
      else { return false }
      joined.append(joining(track, adjustment, at: place))
    }
    return true
  }

  /// Passes changed gains and delays of the tracks to the mixer.
  func adjust() {
    for index in joined.indices {
      let wanted = joined[index].track.present
      let (place, old) = (joined[index].place, joined[index].adjustment)
      guard wanted != old else { continue }
      if wanted.delayNanos < old.delayNanos {
        joined[index].shortenedUntil = mixer.end(track: place)
      }
      mixer.set(gainDB: wanted.gainDB, delayNanos: wanted.delayNanos, track: place)
      joined[index].adjustment = wanted
    }
  }

  // MARK: Scenes

  /// Begins another scene, and silences in the mixer the samples that the scene hides.
  /// - Returns: how the encoder is to be replaced; `nil` if it can go on.
  func cut(to scene: AudioScene) -> Renewal? {
    let number = self.scene.number
    self.scene = scene
    mixer.forgetLeaving()
    /// Whether any track is heard both before and after the cut, and whether any track is silenced by it.
    var (goOn, end) = (false, false)
    for track in joined {
      guard let before = track.heardSince else { continue }
      let since = scene.heardSince(track.track.name)
      if since == before { goOn = true } else if since == nil { end = true }
    }
    // Sinks take no more packets with the samples that the encoder holds.
    let forgets = scene.hiddenBefore > number && (goOn || end)
    var until = MediaTime.distantPast
    for index in joined.indices {
      let track = joined[index]
      let since = scene.heardSince(track.track.name)
      joined[index].heardSince = since
      if since != track.heardSince { joined[index].heardFrom = .distantFuture }
      if forgets {
        mixer.silence(track: track.place, until: joined[index].heardFrom)
      } else if let since {
        until = max(until, since + track.adjustment.delayNanos)
        // After a delay was shortened, or a chunk was joined early, the mixer holds earlier samples for longer.
        if since != track.heardSince { until = max(until, mixer.end(track: track.place)) }
      }
    }
    guard forgets else {
      note(number, until: until)
      return nil
    }
    formers.removeAll(keepingCapacity: true)
    return goOn ? .repeating : .empty
  }

  private func note(_ number: UInt32, until: MediaTime) {
    formers.removeAll { $0.until <= mixer.next }
    if formers.count < AudioMixing.maxFormers {
      formers.append((number, until))
    } else {
      // The list is full: these blocks count as part of the scene before. Sinks that must discard this scene discard
      // that one, too.
      formers[formers.count - 1].until = max(until, formers[formers.count - 1].until)
    }
  }

  /// The number of the scene that a block belongs to.
  /// - Parameter time: of the block's first sample, on the stream's timeline.
  func number(at time: MediaTime) -> UInt32 {
    for former in formers where time < former.until { return former.number }
    return scene.number
  }

  // MARK: Samples

  /// Takes the oldest chunk that waits in the queue of any track, so that no track falls behind the others.
  /// - Returns: `nil` if no chunk waits.
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
    track.track.source.beat(now)
    let isHeard = track.heardSince.map { chunk.startsAt >= $0 } ?? false
    if isHeard, track.heardFrom == .distantFuture {
      joined[index].heardFrom = mixer.end(track: track.place)
    }
    let late = unsafe mixer.add(
      isHeard ? samples : nil, frames: chunk.frames, startsAt: chunk.startsAt, track: track.place,
      emit: emit)
    guard late > 0, chunk.startsAt + track.adjustment.delayNanos >= track.shortenedUntil else {
      return 0
    }
    track.track.late.add(late)
    return late
  }
}
