// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
public import Figures
internal import Settings

/// The sound of the box as `GET /api/audio` writes it. The names of the fields are a contract.
public struct AudioReply: Codable, Sendable, Equatable {
  /// A channel strip: "main", a `[[track]]`, or the music, which has only some of the values.
  public struct Track: Codable, Sendable, Equatable {
    /// "main", "music", or the name of a `[[track]]`.
    public var name: String
    /// "microphone", "tone", "silence", "file", "pipe", "none" or "music".
    public var kind: String
    /// The source as in `audio.source`; of music, what is played.
    public var source: String
    /// The source in words.
    public var sourceSentence: String
    public var volume: Double
    public var gainDb: Double?
    public var mute: Bool?
    public var pan: Int?
    public var delayMs: Int?
    public var scene: String?
    public var denoise: Int?
    public var highPassHz: Int?
    public var humFilter: Bool?
    public var compressor: Bool?
    public var deesser: Bool?
    public var autoLevel: Bool?
    public var gate: Bool?
    public var enabled: Bool
    /// "on", "opening", "lost", "off" or "closed".
    public var state: String
    /// What is wrong, and what to do; `nil` for nothing.
    public var sentence: String?
    /// The level in the sum, in dBFS; `nil` while there is none.
    public var peakDb: Double?
    public var rmsDb: Double?
    /// The alarms that stand.
    public var alarms: [String]?
  }

  /// What is wrong with the sound of a track.
  public struct Alarm: Codable, Sendable, Equatable {
    public var track: String
    public var cause: String
    public var sentence: String
    /// The frequency of hum.
    public var humHz: Int?
  }

  /// How music is lowered while somebody speaks.
  public struct Ducking: Codable, Sendable, Equatable {
    public var depthDb: Double
    /// By how much it is lowered now; `nil` while the sound is closed.
    public var reductionDb: Double?
  }

  /// See `Volumes`.
  public struct Volumes: Codable, Sendable, Equatable {
    public var voice: Int
    public var music: Int
  }

  /// "open", or "closed" while neither a broadcast nor a preview needs sound.
  public var state: String
  public var profile: String
  public var scene: String
  /// 0 for no correction.
  public var targetLufs: Int
  /// `nil` while the sound is closed, or if the caller may not view off air.
  public var correctionDb: Double?
  public var ducking: Ducking
  public var volumes: Volumes
  public var tracks: [Track]
  /// `nil` while the sound is closed, or if the caller may not view off air.
  public var levels: Levels?
  public var loudness: LoudnessLevels?
  public var alarms: [Alarm]
}

extension AudioReply.Track {
  init(name: String, source: AudioSource, strip: ChannelStrip, enabled: Bool) {
    self.name = name
    (kind, sourceSentence) = (source.kind, source.sentence)
    self.source = source.text
    (volume, gainDb, mute, pan) = (strip.volume, strip.gainDB, strip.isMuted, strip.pan)
    (delayMs, scene) = (strip.delayMs, strip.scene.rawValue)
    (denoise, highPassHz, humFilter) = (strip.denoiseDB, strip.highPassHz, strip.humFilter)
    (compressor, deesser) = (strip.compressor, strip.deEsser)
    (autoLevel, gate) = (strip.autoLevel, strip.gate)
    self.enabled = enabled
    state = "closed"
    alarms = []
  }

  /// The track as a line for people.
  package var words: String {
    let level = peakDb.map { ", \($0 <= -100 ? "silent" : "up to \($0) dBFS")" } ?? ""
    let muted = mute == true ? ", muted" : ""
    let number = volume == volume.rounded() ? "\(Int(volume))" : "\(volume)"
    return "\(name): \(state), volume \(number)\(muted)\(level). \(sourceSentence)"
      + (sentence.map { " \($0)" } ?? "")
  }
}

extension LoudnessLevels {
  /// The loudness as a line for people.
  package var words: String {
    let integrated = integratedLufs.map { ", \($0) since the broadcast began" } ?? ""
    return shortTermLufs <= -100
      ? "loudness: silence"
      : "loudness: \(shortTermLufs) LUFS\(integrated), true peak \(truePeakDbtp) dBTP"
  }
}

extension AudioSource {
  /// The kind of source, as `GET /api/audio` writes it.
  fileprivate var kind: String {
    switch self {
    case .microphone: "microphone"
    case .tone: "tone"
    case .silence: "silence"
    case .file: "file"
    case .pipe: "pipe"
    case .none: "none"
    }
  }

  /// The source in words.
  fileprivate var sentence: String {
    switch self {
    case .microphone(nil): "The first microphone."
    case .microphone(let pcm?): "The microphone \(pcm)."
    case .tone: "A test tone."
    case .silence: "Silence."
    case .file(let path): "The file \(path.split(separator: "/").last ?? ""), again and again."
    case .pipe(let path): "A program that writes into \(path)."
    case .none: "No source."
    }
  }
}
