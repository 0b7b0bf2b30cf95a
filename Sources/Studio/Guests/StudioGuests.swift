// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
public import Capture
internal import Media
internal import Synchronization
internal import Video

// Other people's pictures and sound in the programme.

extension Studio {
  /// The size of a frame of a guest who is not in the programme: it is shown small, to the box's owner alone.
  private static let thumbnail = PictureSize(width: 320, height: 180)

  /// Reads these guests, and no others. Reading alone shows nothing of a guest to viewers.
  public func read(guests requests: [GuestRequest]) { guests.follow(requests) }

  /// Shows and plays guests in the programme. The next `supervise` applies the change, from one frame to the next.
  public func show(guests scene: GuestScene) {
    let before = state.withLock { state in
      defer { state.guests = scene }
      return state.guests
    }
    // Who leaves is gone at once; the others are rearranged a moment later.
    let (old, new) = (before.visible, scene.visible)
    for name in old.symmetricDifference(new) { hide(name, !new.contains(name)) }
    // A pause that shows the last frame may show him.
    if !old.isSubset(of: new) {
      state.withLock { if $0.scenes.video == .lastFrame { $0.video?.freeze(nil) } }
    }
    let heard = Set(scene.sounds.map(\.guest))
    for sound in before.sounds where !heard.contains(sound.guest) {
      halves.audio?.silence(track: GuestScene.track(sound.guest))
    }
  }

  /// The line that reads the guest with this name; `nil` if he is not read.
  public func line(ofGuest name: String) -> GuestLine? { guests[name] }

  private func hide(_ guest: String, _ isHidden: Bool) {
    guard let video = halves.video else { return }
    for maker in [video.maker] + video.seconds.withLock({ $0.map(\.maker) }) {
      maker.guests.hide(guest, isHidden)
    }
  }

  /// The plans of the tracks of the guests who are heard.
  func guestTracks(_ scene: GuestScene, _ volumes: Volumes) -> [TrackPlan] {
    scene.sounds.compactMap { sound in
      guard let line = guests[sound.guest] else { return nil }
      var gain = sound.gain
      gain.volume *= Double(volumes.voice) / 50
      return TrackPlan(
        name: GuestScene.track(sound.guest), source: .none,
        adjustment: AudioPipeline.Adjustment(
          gain: gain, silenceSeconds: 0),
        role: .voice, player: TrackPlan.Player(value: line))
    }
  }

  /// Asks the readers for what is used: whole frames of those in the picture, fewer while the machine is too slow, and
  /// a small one now and then of the others.
  func followGuestWants(_ now: MediaTime) {
    let (scene, settings, divisor) = state.withLock { state in
      if let pipeline = state.video?.pipeline {
        state.guestFrames.follow(
          level: pipeline.present.level,
          isTooMuch: state.watch.isOverloaded || pipeline.present.processorPlan != .unlimited,
          at: .nanoseconds(now.nanos))
      }
      return (state.guests, state.appliedSettings, state.guestFrames.divisor)
    }
    let (size, rate) = (settings.video.size, max(1, settings.video.fps / divisor))
    guests.want { name in
      if settings.video.source == .guest(name: name) {
        return GuestWants(
          pictures: .all, largest: size.uncropped(settings.cropOfSource), framesPerSecond: rate)
      }
      let sound = !scene.unusedSounds.contains(name)
      let sizes =
        scene.unusedPictures.contains(name)
        ? [] : scene.panes.filter { $0.guest == name }.compactMap { $0.frameSize(on: size) }
      guard let largest = sizes.max(by: { $0.width * $0.height < $1.width * $1.height }) else {
        return GuestWants(pictures: .few, largest: Studio.thumbnail, sound: sound)
      }
      // A frame of 16:9 fills the pane, whose sides may be a little shorter.
      let filling = PictureSize(
        width: max(largest.width, largest.height * 16 / 9),
        height: max(largest.height, largest.width * 9 / 16))
      return GuestWants(
        pictures: .all, largest: filling, framesPerSecond: rate, sound: sound)
    }
  }
}
