// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

// The methods of the mixer with which tracks join, change and leave.

extension Mixer {
  /// Adds a track. It is silent until its first chunk, and the other tracks do not wait for it.
  /// - Returns: the track's slot, from 0 on; `nil` if all slots are taken.
  public func join(_ track: AudioTrack) -> Int? {
    guard let slot = slots.firstIndex(where: { !$0.isPresent }) else { return nil }
    let joining = slots[slot]
    let kept = max(0, emitted - keptBlocks * blockFrames)
    occupied.append(joining)
    joining.begin(track, at: kept)
    joining.isNew = true
    joining.isWaitedFor = false
    changeRingFrames()
    // The limiter has already looked at these frames.
    if emitted > 0 {
      joining.appendSilence(until: emitted + Mixer.lookAheadFrames, ringFrames: ringFrames)
    }
    return slot
  }

  /// Removes a track after the samples that it has delivered, with a short fade-out. Its slot is free once the fade-out
  /// has been emitted.
  public func leave(_ slot: Int) {
    let track = slots[slot]
    guard track.isPresent, !track.isLeaving else { return }
    track.isLeaving = true
    track.isWaitedFor = false
    changeRingFrames()
    track.fade(ringFrames: ringFrames)
    written = max(written, track.end)
  }

  /// Replaces the filters of a track from its next chunk on. Those that it had before go on with what they hold and have
  /// learned.
  public func set(filters: [any AudioFilter], delayNanos: Int64, track slot: Int) {
    slots[slot].set(filters: filters, delayNanos: delayNanos, ringFrames: ringFrames)
  }

  /// Changes the gain of a track, smoothly, and its delay, both from its next chunk on.
  public func set(gain: TrackGain, delayNanos: Int64 = 0, track slot: Int) {
    slots[slot].set(gain: gain, delayNanos: delayNanos)
  }

  /// Replaces samples of a track with silence: those that have not been emitted yet, and those of the kept blocks.
  /// - Parameter time: samples from this time on stay. The time is on the mixer's timeline, so it includes the track's
  ///   delay.
  public func silence(track slot: Int, until time: MediaTime = .distantFuture) {
    let track = slots[slot]
    let isAll = time >= end(track: slot)
    let end = isAll ? track.end : PCM.frames(nanos: max(time, origin) - origin)
    track.silence(
      from: max(0, emitted - keptBlocks * blockFrames), until: end, ringFrames: ringFrames)
    if isAll { track.breakOff() }
  }

  /// Keeps all samples that a track has delivered out of what follows them: they do not fade out into it, and no filter
  /// holds them. They are still emitted themselves.
  public func breakOff(track slot: Int) { slots[slot].breakOff() }

  /// Immediately removes all tracks that are leaving. Their samples that were not emitted yet are dropped.
  public func removeLeaving() { removeTracks { _ in true } }

  /// The time up to which every track that blocks wait for has samples.
  public var end: MediaTime { origin + PCM.nanos(frames: complete) }

  /// Removes the leaving tracks for which `isOver` returns `true`, and frees their slots.
  func removeTracks(where isOver: (MixerTrack) -> Bool) {
    occupied.removeAll { track in
      guard track.isLeaving, isOver(track) else { return false }
      track.forget()
      return true
    }
  }

  /// Changes the size of the rings if the mixer now has a single track, or no longer has a single one.
  func changeRingFrames() {
    let isAlone =
      occupied.count == 1 && !occupied[0].isLeaving
      && occupied[0].end <= emitted + blockFrames + Mixer.lookAheadFrames
    let new = isAlone ? ringFramesAlone : ringFramesShared
    guard new != ringFrames else { return }
    // The kept blocks and the next two blocks fill the small ring exactly, and the size of the large ring is a multiple
    // of the size of the small ring. So a block that is copied overwrites no block that is still to be copied.
    var frame = max(0, emitted - keptBlocks * blockFrames)
    while frame <= emitted + blockFrames {
      for track in occupied {
        track.move(from: frame, frames: blockFrames, ringFrames: ringFrames, to: new)
      }
      frame += blockFrames
    }
    ringFrames = new
  }
}
