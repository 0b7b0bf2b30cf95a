// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

// How tracks join, change and leave.

extension Mixer {
  /// Sample frames in which a leaving track fades out: 5 ms.
  private static let fadeFrames = 240

  /// Adds a track. Until its first chunk it is silent, and the others do not wait for it.
  /// - Returns: the track's place, from 0 on; `nil` if all places are taken.
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

  /// Removes a track from the sum after the samples that it has delivered, with a short fade. Its place is free after
  /// the fade.
  public func leave(_ place: Int) {
    let track = places[place]
    guard track.isPresent, !track.isLeaving else { return }
    track.isLeaving = true
    track.isWaitedFor = false
    changeRoom()
    track.fade(frames: min(Mixer.fadeFrames, blockFrames), room: room)
    written = max(written, track.end)
  }

  /// Changes the gain and the delay of a track from its next chunk on.
  public func set(gainDB: Double, delayNanos: Int64 = 0, track place: Int) {
    places[place].set(gainDB: gainDB, delayNanos: delayNanos)
  }

  /// Replaces samples of a track with silence: those that have not been emitted yet, and those of the kept blocks.
  /// - Parameter time: samples from this time on stay. It includes the track's delay.
  public func silence(track place: Int, until time: MediaTime = .distantFuture) {
    let track = places[place]
    let isAll = time >= end(track: place)
    let end = isAll ? track.end : PCM.frames(nanos: max(time, origin) - origin)
    track.silence(
      from: max(0, emitted - keptBlocks * blockFrames), until: end, room: room)
    if isAll { for filter in track.filters { filter.reset() } }
  }

  /// Removes the tracks that are leaving at once, without the rest of their samples and fades.
  public func forgetLeaving() { removeTracks { _ in true } }

  /// The time up to which all tracks that others wait for have samples.
  public var end: MediaTime { origin + PCM.nanos(frames: complete) }

  /// Removes those of the leaving tracks for which `isOver` returns `true`, and frees their places.
  func removeTracks(where isOver: (MixerTrack) -> Bool) {
    present.removeAll { track in
      guard track.isLeaving, isOver(track) else { return false }
      track.forget()
      return true
    }
  }

  /// Changes the size of the rings, if a track is now alone or no longer alone.
  func changeRoom() {
    let isAlone =
      present.count == 1 && !present[0].isLeaving && present[0].end < emitted + blockFrames
    let new = isAlone ? roomAlone : roomAmongOthers
    guard new != room else { return }
    // The kept blocks and the next one fill a small ring exactly, and the large ring is a multiple of it: a block that
    // moves takes the place of none that has yet to move.
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
