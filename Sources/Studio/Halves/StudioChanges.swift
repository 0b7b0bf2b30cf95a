// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Settings

extension Studio {
  /// Applies the planned audio tracks to the open audio half.
  /// - Returns: `false` if the source of a removed track did not end in time.
  func applyTracks() -> Bool {
    let (planned, guests, volumes, audio, makers) = state.withLock {
      (
        $0.tracksOfSettings + $0.tracks, $0.guests, $0.volumes, $0.audio, $0.sharedParts?.makers
      )
    }
    guard let audio, let makers else { return true }
    let tracks = planned + musicTracks(volumes) + guestTracks(guests, volumes)
    let deadline = MediaTime.now() + Studio.closingNanos
    var allEnded = audio.follow(tracks, makers: makers, by: deadline)
    let sinks = state.withLock { $0.trackSinks?.sinks }
    allEnded =
      audio.encodeCameraSound(
        cameraProgramme == .running, cut: { cut in state.withLock { cut($0.scenes.audioScene) } },
        by: deadline)
      && allEnded
    allEnded =
      audio.separate(
        to: sinks,
        cut: { pipeline in
          state.withLock { state in
            guard state.trackSinks?.sinks === sinks else { return false }
            pipeline.cut(to: state.scenes.audioScene)
            return true
          }
        }, by: deadline) && allEnded
    if !allEnded { state.withLock { $0.hasAbandonedThread = true } }
    return allEnded
  }

  /// Applies the present settings to the open halves.
  /// - Returns: `false` if a source that was replaced did not end in time.
  func applySettings() -> Bool {
    // `areSettingsApplied` shows whether the settings have changed: comparing all settings twenty times a second would
    // take too long.
    let change = state.withLock { state -> (old: Settings, new: Settings)? in
      guard !state.areSettingsApplied else { return nil }
      defer { (state.appliedSettings, state.areSettingsApplied) = (state.settings, true) }
      return (state.appliedSettings, state.settings)
    }
    guard let (old, new) = change, new != old else { return true }
    let (video, audio, leads) = state.withLock { ($0.video, $0.audio, $0.isLed) }
    if new.box != old.box { describe(new.box) }
    if new.music != old.music { follow(new.music, after: old.music) }
    let deadline = MediaTime.now() + Studio.closingNanos
    var allEnded = true
    if let sharedParts = state.withLock({ $0.sharedParts }) {
      // A new maker has a new start time, so the video and audio of a file start again at the same time.
      let makers = makeMakers(sharedParts.ending)
      state.withLock { $0.sharedParts?.makers = makers }
      allEnded =
        video?.change(
          new, makers: makers, shown: shownLayers(new), followsEncoding: !leads,
          by: deadline)
        ?? true
      allEnded =
        audio?.change(new.audio, makers: makers, followsBitrate: !leads, by: deadline) ?? true
        && allEnded
    }
    state.withLock { state in
      if !allEnded { state.hasAbandonedThread = true }
      state.watch.change(new.video)
    }
    return allEnded
  }
}
