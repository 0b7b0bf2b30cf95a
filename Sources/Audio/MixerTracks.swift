// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

// How tracks come, change and go.

extension Mixer {
  /// How long a track that leaves fades: 5 ms.
  private static let fadeFrames = 240

  /// Adds a track. It is silent, and not waited for, until its first chunk.
  /// - Returns: its place, from 0 on; `nil` while all are taken.
  public func join(_ track: AudioTrack) -> Int? {
    guard let place = places.firstIndex(where: { !$0.isPresent }) else { return nil }
    let joining = places[place]
    let kept = max(0, emitted - keptBlocks * blockFrames)
    present.append(joining)
    joining.begin(track, at: kept)
    joining.isNew = true
    joining.isWaitedFor = false
    changeRoom()
    joining.appendSilence(until: emitted, room: room)
    return place
  }

  /// Takes a track out of the sum after what it has delivered, with a short fade. Its place is free after the fade.
  public func leave(_ place: Int) {
    let track = places[place]
    guard track.isPresent, !track.isLeaving else { return }
    track.isLeaving = true
    track.isWaitedFor = false
    changeRoom()
    track.fade(frames: min(Mixer.fadeFrames, blockFrames), room: room)
    written = max(written, track.end)
  }

  /// Changes a track from its next chunk on.
  public func set(gainDB: Double, delayNanos: Int64 = 0, track place: Int) {
    places[place].set(gainDB: gainDB, delayNanos: delayNanos)
  }

  /// Replaces samples of a track with silence that have not been emitted, or are of the kept blocks.
  /// - Parameter time: those from this time on, with the track's delay, stay.
  public func silence(track place: Int, until time: MediaTime = .distantFuture) {
    let track = places[place]
    let isAll = time >= end(track: place)
    let end = isAll ? track.end : PCM.frames(nanos: max(time, origin) - origin)
    track.silence(
      from: max(0, emitted - keptBlocks * blockFrames), until: end, room: room)
    if isAll { for filter in track.filters { filter.reset() } }
  }

  /// Forgets the tracks that are fading.
  public func forgetLeaving() { removeTracks { _ in true } }

  /// The time up to which all tracks that deliver have been added.
  public var end: MediaTime { origin + PCM.nanos(frames: complete) }

  /// Frees the places of leaving tracks.
  func removeTracks(where isOver: (MixerTrack) -> Bool) {
    present.removeAll { track in
      guard track.isLeaving, isOver(track) else { return false }
      track.forget()
      return true
    }
  }

  /// Changes the room after a track has come or gone.
  func changeRoom() {
    let isAlone =
      present.count == 1 && !present[0].isLeaving && present[0].end < emitted + blockFrames
    let new = isAlone ? roomAlone : roomAmongOthers
    guard new != room else { return }
    // The blocks fill a room alone, and the other one is a multiple of it: a block that moves takes the place of none
    // that has yet to move.
    var frame = max(0, emitted - keptBlocks * blockFrames)
    while frame <= emitted {
      for track in present {
        track.move(from: frame, frames: blockFrames, room: room, to: new)
      }
      frame += blockFrames
    }
    room = new
  }
}
