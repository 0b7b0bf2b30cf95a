// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
public import Capture
internal import Director
public import Settings
internal import Synchronization

// The music beside the voice, and the volumes of both.

/// How loud the voices, which are all tracks but the music, and the music are, 0 to 100 each. 50 changes nothing, 100
/// doubles the amplitude.
public struct Volumes: Sendable, Equatable {
  public var voice = 50
  public var music = 50

  public init() {}
}

extension Studio {
  /// How loud voice and music are now.
  public var volumes: Volumes { state.withLock { $0.volumes } }

  /// Sets the volumes, until the settings set them. A value of `nil` changes nothing.
  public func setVolumes(voice: Int?, music: Int?) {
    let (audio, volumes) = state.withLock { state in
      state.volumes.voice = voice ?? state.volumes.voice
      state.volumes.music = music ?? state.volumes.music
      state.planTracks()
      return (state.audio, state.volumes)
    }
    // The other tracks follow with the next `adjust`.
    if voice != nil { audio?.set(voiceVolume: volumes.voice) }
  }

  /// The plan of the track with the music: one or none.
  func musicTracks(_ volumes: Volumes) -> [TrackPlan] {
    guard music.needsTrack else { return [] }
    return [
      TrackPlan(
        name: SilencedTracks.music, source: .none,
        adjustment: AudioPipeline.Adjustment(
          gain: TrackGain(volume: Double(volumes.music)), silenceSeconds: 0),
        role: .music, player: TrackPlan.Player(value: music))
    ]
  }

  /// Lets the music follow new settings.
  func follow(_ new: MusicSettings, after old: MusicSettings) {
    music.set(openingSeconds: new.timeoutSeconds)
    state.withLock { $0.audio }?.pipeline.follow(duckDB: new.duckDb)
    if new.volume != old.volume { state.withLock { $0.volumes.music = new.volume } }
    if new.loops != old.loops { music.set(loops: new.loops) }
    guard new.source != old.source, music.status.state != .stopped else { return }
    let name = new.source.shown(mediaFolder: folder)
    guard let request = MusicRequest(new.source, name: name, loops: new.loops) else {
      music.stop()
      return
    }
    // What plays already goes on: it was chosen before, and is only kept now. Nobody who paused hears what is chosen.
    if music.source != request.source { music.start(request, keepsPause: true) }
  }
}

extension Studio.State {
  /// Plans the tracks of the settings anew, after a change of settings or volumes.
  mutating func planTracks() {
    tracksOfSettings = settings.trackPlans(voiceVolume: volumes.voice)
  }
}

extension MusicRequest {
  /// - Parameter name: the source as people wrote it.
  /// - Returns: `nil` if the choice is none, or an address that cannot be opened.
  public init?(_ choice: MusicChoice, name: String, loops: Bool) {
    let source: MusicSource
    switch choice {
    case .none: return nil
    case .file(let path): source = .file(path: path)
    case .folder(let path, let isShuffled): source = .folder(path: path, isShuffled: isShuffled)
    case .address(let text):
      guard let address = MusicAddress(text) else { return nil }
      source = .address(address)
    }
    self.init(source: source, loops: loops, name: name)
  }
}
