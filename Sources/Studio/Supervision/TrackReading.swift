// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Audio
public import Base
internal import Media
public import Settings

/// What is measured of an open audio track.
public struct TrackReading: Sendable, Equatable {
  /// "main", or the name of a `[[track]]`.
  public var name: String
  /// Where its sound comes from; `.none` for music.
  public var source: AudioSource
  /// Whether its source is being opened, delivers samples, or is lost.
  public var health: StudioHealth.Input
  /// What is wrong with the sound of its source, as far as a source of its kind is judged.
  public var alarms: Set<AudioAlarm>
  /// The hum that was found; `nil` for none.
  public var hum: Hum?

  public init(
    name: String, source: AudioSource, health: StudioHealth.Input, alarms: Set<AudioAlarm> = [],
    hum: Hum? = nil
  ) {
    (self.name, self.source, self.health) = (name, source, health)
    (self.alarms, self.hum) = (alarms, hum)
  }
}

/// What is measured of the sum of the tracks.
public struct SumReading: Sendable, Equatable {
  public var loudness = Loudness()
  /// By how many decibels the sum is louder than its tracks, because of `audio.target_lufs`.
  public var correctionDB = 0.0
  /// By how many decibels music is lowered, because somebody speaks.
  public var reductionDB = 0.0

  public init() {}

  init(loudness: Loudness, correctionDB: Double, reductionDB: Double) {
    (self.loudness, self.correctionDB, self.reductionDB) = (loudness, correctionDB, reductionDB)
  }
}

extension AudioSource {
  /// What a source of this kind is watched for. A file may be as loud and as silent as it likes, and only what comes
  /// through a cable hums.
  var alarms: Set<AudioAlarm> {
    switch self {
    case .microphone: Set(AudioAlarm.allCases)
    case .pipe: [.clipping, .silence, .deadChannel, .inverted]
    case .file: [.silence]
    case .tone, .silence, .none: []
    }
  }
}

/// The positions up to which one reader has read the levels of all tracks.
public struct TrackLevelReader: Sendable {
  fileprivate var readers: [String: LevelReader] = [:]

  public init() {}
}

extension Studio {
  /// The readings of all open audio tracks, the main one first; empty while audio is closed.
  public func trackReadings(_ now: MediaTime) -> [TrackReading] {
    halves.audio?.readings(now) ?? []
  }

  /// The levels of the open audio tracks in the programme since the reader's previous call, by the names of the tracks.
  /// A track that has delivered nothing since then is missing.
  public func trackLevels(_ reader: inout TrackLevelReader) -> [String: AudioLevels] {
    var levels: [String: AudioLevels] = [:]
    for track in halves.audio?.openTracks ?? [] {
      var position = reader.readers[track.name] ?? LevelReader()
      levels[track.name] = track.levels.read(&position)
      reader.readers[track.name] = position
    }
    return levels
  }

  /// The levels of the open audio tracks in the programme in the last 0.4 s, by the names of the tracks.
  public var recentTrackLevels: [String: AudioLevels] {
    (halves.audio?.openTracks ?? []).reduce(into: [:]) { $0[$1.name] = $1.levels.recent }
  }

  /// The levels of the programme in the last 0.4 s; `nil` while audio is closed.
  public var recentLevels: AudioLevels? { halves.audio == nil ? nil : levels.recent }

  /// What is measured of the sum of the tracks; `nil` while audio is closed.
  public var sumReading: SumReading? { halves.audio?.pipeline.sum }

  /// Begins the integrated loudness, the loudness range and the true peak anew, because a broadcast begins.
  public func restartLoudness() { halves.audio?.pipeline.restartLoudness() }
}
