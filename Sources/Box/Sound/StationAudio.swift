// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Director
internal import Events
package import Figures
internal import Settings
internal import Studio
internal import Synchronization

// The sound of the box: its tracks, what is measured of them, and what is wrong with them.

/// The positions up to which one reader has read the levels of the sum and of all tracks.
package struct SoundReader: Sendable {
  var sum = LevelReader()
  var tracks = TrackLevelReader()

  package init() {}
}

extension Station {
  /// The name of the track of `audio.source`.
  package static var mainTrack: String { SilencedTracks.main }

  /// The sound.
  /// - Parameter mayViewOffAir: whether the caller may open the microphone off air, and so get its levels.
  package func audio(mayViewOffAir: Bool) -> AudioReply {
    let now = clock.now
    let mayHear = mayViewOffAir || isHeard
    let (settings, standing) = state.withLock {
      ($0.settings, mayHear ? $0.audioAlarms.standing : [])
    }
    let (sum, volumes) = (studio.sumReading, studio.volumes)
    let shown = mayHear ? sum : nil
    var tracks = tracks(settings)
    let readings = studio.trackReadings(now)
    let levels = mayHear ? studio.recentTrackLevels : [:]
    let troubles = events.troubles
    for index in tracks.indices {
      let name = tracks[index].name
      let own = standing.filter { $0.track == name }
      if name != SilencedTracks.music {
        let reading = readings.first { $0.name == name }
        tracks[index].state = tracks[index].enabled ? Station.word(reading?.health) : "off"
        tracks[index].alarms = own.map(\.alarm.rawValue)
      }
      let subject = name == SilencedTracks.main ? "audio" : "track.\(name).source"
      tracks[index].sentence =
        tracks[index].sentence ?? troubles.first { $0.subject == subject }?.sentence
        ?? own.first?.sentence
      if let level = levels[name].map(Levels.init) {
        (tracks[index].peakDb, tracks[index].rmsDb) = (level.peakDb, level.rmsDb)
      }
    }
    return AudioReply(
      state: sum == nil ? "closed" : "open", profile: settings.audio.profile.rawValue,
      scene: settings.audio.strip.scene.rawValue,
      targetLufs: settings.audio.targetLUFS ?? 0,
      correctionDb: shown.map { LoudnessLevels.rounded($0.correctionDB) },
      ducking: AudioReply.Ducking(
        depthDb: settings.music.duckDb,
        reductionDb: shown.map { LoudnessLevels.rounded($0.reductionDB) }),
      volumes: AudioReply.Volumes(voice: volumes.voice, music: volumes.music), tracks: tracks,
      levels: mayHear ? studio.recentLevels.map(Levels.init) : nil,
      loudness: shown.map { LoudnessLevels($0.loudness) },
      alarms: standing.map {
        AudioReply.Alarm(
          track: $0.track, cause: $0.alarm.rawValue, sentence: $0.sentence, humHz: $0.humHertz)
      })
  }

  /// The levels of the sum and of the tracks since the reader's last call, and the loudness; `nil` if no audio has been
  /// encoded since then, or off air if the caller may not view off air: levels reveal what happens in the room.
  package func levels(_ reader: inout SoundReader, mayViewOffAir: Bool) -> Levels? {
    guard mayViewOffAir || isHeard, var levels = studio.levels(&reader.sum).map(Levels.init)
    else { return nil }
    guard let sum = studio.sumReading else { return levels }
    levels.tracks = studio.trackLevels(&reader.tracks).sorted { $0.key < $1.key }.map {
      let level = Levels($0.value)
      return Levels.Track(name: $0.key, peakDb: level.peakDb, rmsDb: level.rmsDb)
    }
    levels.loudness = LoudnessLevels(sum.loudness)
    levels.reductionDb = LoudnessLevels.rounded(sum.reductionDB)
    return levels
  }

  /// Whether viewers get something, so that its levels are no secret.
  private var isHeard: Bool {
    state.withLock { $0.isOnAir && $0.director.intent.broadcast != .off }
  }

  /// The tracks of the settings, and the music.
  private func tracks(_ settings: Settings) -> [AudioReply.Track] {
    let folder = "file:\(directory)/\(MediaFolder.directoryName)/"
    var tracks = [
      AudioReply.Track(
        name: SilencedTracks.main, source: settings.audio.source, strip: settings.audio.strip,
        enabled: settings.audio.source != .none)
    ]
    tracks += settings.tracks.map {
      AudioReply.Track(name: $0.name, source: $0.source, strip: $0.strip, enabled: $0.enabled)
    }
    for index in tracks.indices where tracks[index].source.hasPrefix(folder) {
      tracks[index].source =
        "file:\(MediaFolder.directoryName)/\(tracks[index].source.dropFirst(folder.count))"
    }
    let music = music
    let words =
      music.title ?? music.piece ?? music.source.map { "Music: \($0)." } ?? "No music was chosen."
    tracks.append(
      AudioReply.Track(
        name: SilencedTracks.music, kind: "music", source: music.source ?? "",
        sourceSentence: words, volume: Double(music.volume), enabled: music.source != nil,
        state: Station.word(music), sentence: music.sentence))
    return tracks
  }

  /// The state of a track's source in one word.
  private static func word(_ health: StudioHealth.Input?) -> String {
    switch health {
    case nil, .released, .unused: "closed"
    case .opening: "opening"
    case .good: "on"
    case .lost: "lost"
    }
  }

  private static func word(_ music: MusicReply) -> String {
    if music.cause != nil { return "lost" }
    return switch music.state {
    case "playing": "on"
    case "starting": "opening"
    case "stopped": "off"
    default: "closed"
    }
  }

  /// What is measured of the sound, for the metrics; `nil` while it is closed.
  func sound(_ now: MediaTime) -> FigureReading.Sound? {
    guard let sum = studio.sumReading else { return nil }
    let standing = state.withLock { $0.audioAlarms.standing }
    let names = studio.trackReadings(now).filter { $0.source != .none }.map(\.name)
    return FigureReading.Sound(
      loudness: LoudnessLevels(sum.loudness),
      levels: studio.recentTrackLevels.mapValues(Levels.init),
      alarms: names.reduce(into: [:]) { alarms, name in
        alarms[name] = Set(standing.filter { $0.track == name }.map(\.alarm))
      })
  }

  /// Whether the main track is muted or turned down, and the source of each other voice is lost, so that viewers hear
  /// none. A main track that is lost is a condition of its own.
  func isVoiceLost(_ state: State, _ now: MediaTime) -> Bool {
    let voices = state.settings.voices(
      in: state.director.plan.audio, main: studio.sources.audio,
      voiceVolume: studio.volumes.voice)
    guard let first = voices.first, first.track != SilencedTracks.main else { return false }
    let readings = studio.trackReadings(now)
    return voices.allSatisfy { voice in
      readings.contains { $0.name == voice.track && $0.health == .lost }
    }
  }

  // MARK: Alarms

  /// Reports what begins or ends to be wrong with the sound. Called by `supervise`.
  func reportAudioAlarms(_ now: MediaTime) {
    let readings = studio.trackReadings(now)
    let volumes = studio.volumes
    let (reports, rules) = state.withLock { state in
      let context = state.alarmContext(readings.map(\.name), voiceVolume: volumes.voice)
      return (state.audioAlarms.check(readings, context, now: now), state.audioAlarms)
    }
    if !reports.isEmpty { events.handle(reports, rules) }
  }
}

extension Settings {
  /// The channel strips of the main track and of all others, by their names.
  fileprivate var strips: [String: ChannelStrip] {
    tracks.reduce(into: [SilencedTracks.main: audio.strip]) { $0[$1.name] = $1.strip }
  }

  /// Whether a mute or a volume of 0 takes a track away from viewers, or there is no such track.
  func isSilent(track name: String, voiceVolume: Int) -> Bool {
    guard voiceVolume > 0, let strip = strips[name] else { return true }
    return strip.isMuted || strip.volume <= 0
  }

  /// The tracks that reach viewers, without the music, with their sources: those that are neither silenced nor turned
  /// down.
  /// - Parameter main: the open source of the main track.
  func voices(
    in heard: Plan.Audio, main: AudioSource?, voiceVolume: Int
  ) -> [(track: String, source: AudioSource)] {
    let present =
      [(track: SilencedTracks.main, source: main ?? .none)]
      + tracks.filter(\.enabled).map { (track: $0.name, source: $0.source) }
    return present.filter {
      heard.hears($0.track) && !isSilent(track: $0.track, voiceVolume: voiceVolume)
    }
  }
}

extension Station.State {
  /// What the rules about alarms have to know.
  /// - Parameter names: the names of the open tracks.
  fileprivate func alarmContext(_ names: [String], voiceVolume: Int) -> AudioAlarmRules.Context {
    let strips = settings.strips
    let isLive = broadcast != nil && !isEnding && director.intent.broadcast == .live
    let heard = names.filter { name in
      isLive && director.plan.audio.hears(name)
        && !settings.isSilent(track: name, voiceVolume: voiceVolume)
    }
    return AudioAlarmRules.Context(
      heard: Set(heard), humFiltered: Set(strips.filter { $0.value.humFilter }.keys),
      silenceSeconds: settings.audio.silenceSeconds)
  }
}
