// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
public import Events
internal import Figures
internal import Publish
internal import Settings
internal import Studio

/// The state of the box, as `onair status --json` and `GET /api/status` write it, in snake_case. The names of the
/// fields are a contract.
public struct Status: Codable, Sendable, Equatable {
  /// The state that the user has requested.
  public struct Wanted: Codable, Sendable, Equatable {
    /// The broadcast that the user wants: "off", "live" or "paused".
    public var broadcast: String
    public var muted: Bool
    /// Whether viewers get a still in place of the picture; `nil` in the status of an earlier version.
    public var videoOff: Bool?
    /// Whether viewers get silence in place of all sound; `nil` in the status of an earlier version.
    public var audioOff: Bool?
  }

  /// A server to which the broadcast is published. Counts are since the broadcast began or was last restarted.
  public struct Server: Codable, Sendable, Equatable {
    /// The name of the destination: "main".
    public var name: String
    /// Host and port of the server.
    public var server: String
    /// The address of the server, with the key masked: "rtmp://live.example.org/app/***".
    public var url: String
    /// The state of the connection: "stopped", "connecting", "connected", "publishing" (accepted, but not
    /// acknowledged), "delivering" or "waiting" (for the next attempt).
    public var state: String
    /// Why the server does not receive the stream, as a code; `nil` if it does.
    public var cause: String?
    /// Age, in milliseconds since its capture, of the newest frame or audio packet that the server has; `nil` for none.
    public var deliveredMsAgo: Int?
    public var sentBytes: UInt64
    /// Frames and audio packets that were dropped because the link was too slow.
    public var dropped: UInt64
    public var reconnects: UInt64
    /// The number of failed attempts to connect and of lost connections.
    public var failures: UInt64
    /// Seconds for which the server did not take the stream, since the broadcast began or was last restarted.
    public var outageSeconds: Int
  }

  /// The states of the sources. Each is "unused", "opening", "good", "lost" (it worked before) or "missing" (it has not
  /// worked since the broadcast began or was last restarted); the camera is "released" while it is closed for a pause.
  public struct Capture: Codable, Sendable, Equatable {
    public var camera: String
    public var microphone: String
  }

  /// The encoders' counters, since the broadcast began or was last restarted, and their present state.
  public struct Encoded: Codable, Sendable, Equatable {
    public var frames: Int
    /// Of `frames`, those that repeat the previous frame because no new one arrived.
    public var repeated: Int
    /// Frames from the source that could not be decoded.
    public var unreadable: Int
    public var audioPackets: Int
    /// Frames and blocks of audio that were dropped because this machine was too slow.
    public var late: Int
    /// The video bit rate to which the encoder is now set, in kbit/s; `nil` without video.
    public var videoKbps: Int?
    /// The bit rate of the video of the last second, in kbit/s. It may be far below `videoKbps`: a still needs little.
    public var encodedKbps: Int?
    /// Whether the last frame and the last block of audio were encoded without an error.
    public var working: Bool
  }

  /// A period in which somebody sees the camera while the box is off air.
  public struct Watched: Codable, Sendable, Equatable {
    /// The viewers, for people: "the page (192.168.1.20)", "the token NAME (192.168.1.20)".
    public var by: String
    /// When the period began: UTC in ISO 8601.
    public var since: String
  }

  /// The headphones at the box (`audio.monitor`).
  public struct Headphones: Codable, Sendable, Equatable {
    /// ALSA's name of the device: `audio.monitor`.
    public var device: String
    /// What is heard: "programme", or the name of a track.
    public var source: String
    /// "on"; "private" while the programme is silent because of a pause or a mute; "opening"; "closed" while the sound
    /// is not open; otherwise why nothing is heard: "missing", "busy", "forbidden", "lost", "no_screen", …
    public var state: String
    /// Milliseconds from the capture of a sound until it is heard; `nil` while nothing is heard.
    public var delayMs: Int?
    /// Whether viewers hear anything, or of a track: whether they hear it.
    public var heard: Bool
    /// The state in a sentence.
    public var sentence: String
  }

  /// The guests, and the layout of camera and guests.
  public struct Guests: Codable, Sendable, Equatable {
    public struct Guest: Codable, Sendable, Equatable {
      public var name: String
      /// See `GuestsReply.Guest.state`.
      public var state: String
    }

    /// The layout, or "bypass" for the camera alone.
    public var layout: String
    /// "bypass" or "mix".
    public var mode: String
    public var guests: [Guest]
  }

  /// The play-out to players near by (`playout.listen`).
  public struct Playout: Codable, Sendable, Equatable {
    /// The address of the playlist of HLS, without a key.
    public var hls: String
    /// The address of the stream of HTTP-FLV, without a key.
    public var flv: String
    public var viewers: Int
    /// The most viewers: `playout.max_viewers`.
    public var maxViewers: Int
    /// Whether addresses need a key (`auth_key`), because `playout.secret` is set.
    public var needsKey: Bool
  }

  /// The version of OnAir: "1.0.0".
  public var version: String
  /// The name of the box for people: `box.name`, else its host name.
  public var name: String
  /// The time zone in which times are shown to people: `box.zone`, else that of the system.
  public var zone: String
  /// The address at which viewers watch: `publish.play_url`; `nil` if it is not set.
  public var playUrl: String?
  /// Whether the page mirrors the picture: `preview.mirror`; `nil` in the status of an earlier version.
  public var previewMirror: Bool?
  /// The state that the user has requested.
  public var intent: Wanted
  /// The video that is sent: "none", "camera", "file", "pattern", "pipe", "no_camera_still", "poor_network_still" or
  /// "video_off_still"; in a pause "pause_still", "last_frame" or "sound_only". The last frame of a camera that is lost
  /// counts as "no_camera_still".
  public var video: String
  /// The audio that is sent: "none", "microphone", "file", "pipe", "tone", "music" or "silence". "music" is told while
  /// viewers hear nothing else, as in a pause. A sound that is muted or turned down counts as silence.
  public var audio: String
  /// Whether viewers hear music beside `audio`; `nil` in the status of an earlier version.
  public var music: Bool?
  /// The name of the lamp's pattern.
  public var lamp: String
  /// The state of the box in codes; `nil` in the status of an earlier version.
  public var presence: Presence?
  /// Seconds since the start of the broadcast, even if no server accepts it; `nil` off air.
  public var onAirSeconds: Int?
  /// Milliseconds from the machine's power-on until the main server first had something of the present broadcast; `nil`
  /// before that, and off air.
  public var startedMs: Int?
  /// Seconds since the main server first had something of the present broadcast or, if the program was restarted during
  /// the broadcast, since the broadcast's beginning. `nil` before the server has anything, and off air.
  public var deliveredSeconds: Int?
  /// The states of the sources.
  public var capture: Capture
  /// The encoders' counters; `nil` off air.
  public var encode: Encoded?
  /// The main server, as a list of one; empty off air. Relays are in `relays`.
  public var destinations: [Server]
  /// All relays of the settings, whether they are on or not.
  public var relays: [RelayStatus]
  /// The quality of the network to the servers: "good", "weak" or "poor".
  public var link: String
  /// Deviation of the microphone's sample clock in parts per million; `nil` while unknown.
  public var driftPpm: Double?
  /// `nil` if the settings name no headphones.
  public var monitor: Headphones?
  /// The play-out to players near by; `nil` if it is off.
  public var playout: Playout?
  /// `nil` in the status of an earlier version.
  public var guests: Guests?
  /// The current troubles.
  public var troubles: [Trouble]
  /// Who sees the camera off air; `nil` for nobody.
  public var watched: Watched?
  /// `nil` without a schedule.
  public var schedule: ScheduleStatus?
  /// What is recorded, and where; `nil` in the status of an earlier version.
  public var record: Record?

  /// - Parameter delivering: the names of the tracks whose sources deliver.
  init(
    settings: Settings, director: Director, lamp: LampSignal, broadcast: Broadcast?,
    startedAt: MediaTime?, startedMs: Int?, liveAt: MediaTime?, encodedKbps: Double?,
    sources: (video: VideoSource?, audio: AudioSource?), delivering: Set<String> = [],
    monitor: MonitorState? = nil,
    volumes: (voice: Int, music: Int) = (50, 50), playsMusic: Bool = false,
    relays: [RelayStatus] = [], playout: Playout? = nil,
    troubles: [Trouble], watched: Watched? = nil, record: Record? = nil, now: MediaTime
  ) {
    version = Version.current
    name = settings.box.shownName
    zone = settings.box.shownZone
    playUrl = settings.publish.playUrl.isEmpty ? nil : settings.publish.playUrl
    previewMirror = settings.preview.mirror
    intent = Wanted(
      broadcast: director.intent.broadcast.rawValue, muted: director.intent.isMuted,
      videoOff: director.intent.isVideoOff, audioOff: director.intent.isAudioOff)
    let conditions =
      broadcast == nil
      ? Conditions(camera: .unused, microphone: .unused) : director.conditions
    let shown = director.plan.shownVideo(conditions)
    video = shown == .camera ? (sources.video ?? .none).statusName : shown.rawValue
    let sent = director.plan.audio
    let hearsMusic = sent.hears(SilencedTracks.music) && playsMusic && volumes.music > 0
    let voices = settings.voices(in: sent, main: sources.audio, voiceVolume: volumes.voice)
    // Until a source delivers, its sound is silence.
    let voice = voices.first {
      $0.track == SilencedTracks.main
        ? conditions.microphone == .good : delivering.contains($0.track)
    }
    let isHeard = !voices.isEmpty || hearsMusic
    audio =
      sent == .none
      ? sent.word
      : voice?.source.statusName ?? (hearsMusic && voices.isEmpty ? "music" : "silence")
    music = hearsMusic && !voices.isEmpty
    self.lamp = lamp.pattern.rawValue
    self.watched = watched
    self.record = record
    presence = Presence(
      director, lamp: lamp, relays: relays, troubles: troubles,
      hearsNothing: sent.isHeard && !isHeard)
    onAirSeconds = startedAt.map { Int((now - $0) / 1_000_000_000) }
    self.startedMs = startedMs
    deliveredSeconds = liveAt.map { Int((now - $0) / 1_000_000_000) }
    capture = Capture(
      camera: Status.name(conditions.camera, hasWorked: broadcast?.hasHadVideo ?? false),
      microphone: Status.name(conditions.microphone, hasWorked: broadcast?.hasHadAudio ?? false))
    link = conditions.link.rawValue
    driftPpm = broadcast?.driftPPM
    self.monitor = monitor.map { monitor in
      switch monitor.settings.source {
      case .programme: Headphones(monitor, isHeard: isHeard)
      case .track(let name):
        Headphones(
          monitor,
          isHeard: sent.hears(name)
            && !settings.isSilent(track: name, voiceVolume: volumes.voice))
      }
    }
    self.relays = relays
    self.playout = playout
    destinations = [broadcast?.mainFigures].compactMap(\.self).map { destination in
      let counters = destination.counters
      return Server(
        name: destination.name, server: "\(destination.target)",
        url: destination.target.maskedURL, state: counters.state.rawValue,
        cause: counters.obstacle?.code,
        // The timestamp may be later than now, since some sources stamp a block of audio with its end.
        deliveredMsAgo: counters.deliveredUpTo.map { max(0, Int((now - $0) / 1_000_000)) },
        sentBytes: counters.bytesSent, dropped: counters.dropped, reconnects: counters.reconnects,
        failures: counters.failures, outageSeconds: Int(counters.outageNanos / 1_000_000_000))
    }
    let videoKbps = broadcast?.videoKbps
    encode = (broadcast?.figures).map {
      Encoded(
        frames: $0.frames, repeated: $0.repeats, unreadable: $0.unreadable,
        audioPackets: $0.audioPackets, late: $0.late,
        videoKbps: videoKbps,
        encodedKbps: videoKbps == nil ? nil : encodedKbps.map { Int($0.rounded()) },
        working: !conditions.encoderFailed)
    }
    self.troubles = troubles
  }

  /// The name of a source's state: "missing" instead of "lost" if the source has not worked yet.
  private static func name(_ input: Conditions.Input, hasWorked: Bool) -> String {
    input == .lost && !hasWorked ? "missing" : input.rawValue
  }

  /// Whether a server of `destinations` takes the stream.
  public var isTaken: Bool {
    destinations.contains { $0.state == "publishing" || $0.state == "delivering" }
  }
}

extension VideoSource {
  /// The source as a value of `Status.video`.
  fileprivate var statusName: String {
    switch self {
    case .camera: "camera"
    case .pattern: "pattern"
    case .pipe: "pipe"
    case .file: "file"
    case .guest: "guest"
    case .none: "none"
    }
  }
}

extension AudioSource {
  /// The source as a value of `Status.audio`.
  fileprivate var statusName: String {
    switch self {
    case .microphone: "microphone"
    case .tone: "tone"
    case .file: "file"
    case .pipe: "pipe"
    case .silence: "silence"
    case .none: "none"
    }
  }
}
