// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Media

/// The tracks of an audio pipeline as its thread has them, and which scene a block is of. Used by that thread alone.
final class AudioMixing {
  private struct Joined {
    let track: AudioPipeline.Track
    /// In the mixer.
    let place: Int
    var adjustment: AudioPipeline.Adjustment
    /// See `AudioScene.heardSince`.
    var heardSince: MediaTime?
    /// Where the first samples since then are on the stream's timeline; before the first, the distant future.
    var heardFrom = MediaTime.distantPast
    /// Samples before this time were left out for a shorter delay, and are not late.
    var shortenedUntil = MediaTime.distantPast
  }

  /// What a cut needs beyond the mixer.
  enum Renewal {
    /// A new encoder, which has none of the samples so far.
    case empty
    /// A new encoder, to which the mixer gives the samples of the tracks that go on once more.
    case repeating
  }

  let mixer: Mixer
  private var joined: [Joined] = []
  /// The scene on air.
  private(set) var scene: AudioScene
  /// The scenes before it, the oldest first: until which time on the stream's timeline blocks are of each, since they may
  /// hold samples that later scenes do not.
  private var formers: [(number: UInt32, until: MediaTime)] = []
  private static let maxFormers = 8
  /// The time of the newest packet that sinks could take.
  var offeredAt = MediaTime.distantPast

  /// - Parameters:
  ///   - tracks: the mixer waits for them.
  ///   - keptBlocks: those of which the encoder may still hold samples.
  init(
    _ tracks: [AudioPipeline.Track], channels: Int, blockFrames: Int, keptBlocks: Int,
    scene: AudioScene, now: MediaTime
  ) {
    self.scene = scene
    let adjustments = tracks.map(\.present)
    // The mixer's time is that of the stream: capture time plus delay.
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

  /// Lets tracks leave that are not in the list, and others join.
  /// - Returns: `false` while there is no place for one.
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

  /// Follows changed gains and delays.
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

  /// Begins another scene. Silences in the mixer what it does not hold any more.
  /// - Returns: `nil` if the present encoder can go on.
  func cut(to scene: AudioScene) -> Renewal? {
    let number = self.scene.number
    self.scene = scene
    mixer.forgetLeaving()
    /// Whether tracks are heard before and after it, and whether tracks are silenced.
    var (goOn, end) = (false, false)
    for track in joined {
      guard let before = track.heardSince else { continue }
      let since = scene.heardSince(track.track.name)
      if since == before { goOn = true } else if since == nil { end = true }
    }
    // Sinks take nothing any more of what the encoder holds.
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
        // With a delay that was shortened, or a chunk that was joined early, the mixer holds samples of before for longer.
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
      // Of an older one, of which no more may be heard.
      formers[formers.count - 1].until = max(until, formers[formers.count - 1].until)
    }
  }

  /// The number of the scene of a block.
  func number(at time: MediaTime) -> UInt32 {
    for former in formers where time < former.until { return former.number }
    return scene.number
  }

  // MARK: Samples

  /// Takes the oldest chunk of all tracks, so that none falls behind the others.
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

  /// Adds a chunk of a track, or silence if it is not heard.
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
