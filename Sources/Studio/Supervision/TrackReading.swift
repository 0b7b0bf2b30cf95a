// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Audio
public import Base
internal import Media

/// What is measured of an open audio track.
public struct TrackReading: Sendable, Equatable {
  /// "main", or the name of a `[[track]]`.
  public var name: String
  /// Whether its source is being opened, delivers samples, or is lost.
  public var health: StudioHealth.Input
  /// What is wrong with the sound of its source.
  public var alarms: Set<AudioAlarm>
  /// The hum that was found; `nil` for none.
  public var hum: Hum?
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

  /// The loudness of the programme; `nil` while audio is closed.
  public var loudness: Loudness? { halves.audio?.pipeline.loudness }
}
