// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Media
internal import Publish
internal import Settings

/// The state of the box, as `onair status --json` and `GET /api/status` write it, in snake_case. The names of the
/// fields are a contract.
public struct Status: Codable, Sendable, Equatable {
  /// What the person has asked for.
  public struct Wanted: Codable, Sendable, Equatable {
    /// "off", "live" or "paused".
    public var broadcast: String
    public var muted: Bool
  }

  /// A server that is fed.
  public struct Server: Codable, Sendable, Equatable {
    /// Host and port.
    public var server: String
    /// "stopped", "connecting", "connected", "publishing" (taken, not confirmed), "delivering" or "waiting".
    public var state: String
    /// Why it is not fed, if it is not.
    public var cause: String?
    /// Milliseconds since the newest frame or audio that the server has was captured.
    public var deliveredMsAgo: Int?
    public var sentBytes: UInt64
    /// Frames and audio packets that were dropped since the link was too slow.
    public var dropped: UInt64
    public var reconnects: UInt64
  }

  /// Each "unused", "opening", "good", "lost" (it worked before) or "missing" (it never did since the start of the
  /// broadcast).
  public struct Capture: Codable, Sendable, Equatable {
    public var camera: String
    public var microphone: String
  }

  /// What was encoded since the broadcast began.
  public struct Encoded: Codable, Sendable, Equatable {
    public var frames: Int
    /// Of these, repeats of the previous frame since no new one came.
    public var repeated: Int
    /// Frames from the source that could not be decoded.
    public var unreadable: Int
    public var audioPackets: Int
    /// The video bit rate at present in kbit/s; `nil` without video.
    public var videoKbps: Int?
    /// Whether the last frame and the last audio could be encoded.
    public var working: Bool
  }

  public var version: String
  public var intent: Wanted
  /// What is shown: "none", "camera", "file", "pattern", "pipe", "pause_still", "no_camera_still" or
  /// "poor_network_still".
  public var video: String
  /// What is heard: "none", "microphone", "file", "tone" or "silence".
  public var audio: String
  /// What the lamp shows.
  public var lamp: String
  /// Seconds since the broadcast began, whether or not a server takes it; `nil` off air.
  public var onAirSeconds: Int?
  public var capture: Capture
  /// `nil` off air.
  public var encode: Encoded?
  public var destinations: [Server]
  /// The network to the servers: "good", "weak" or "poor".
  public var link: String
  /// How fast the microphone's clock runs, in parts per million; `nil` while that is not known.
  public var driftPpm: Double?
  /// What is wrong now; empty when nothing is.
  public var troubles: [Trouble]

  init(
    director: Director, lamp: LampPattern, broadcast: Broadcast?, settings: Settings,
    troubles: [Trouble], now: MediaTime
  ) {
    version = Version.current
    intent = Wanted(
      broadcast: director.intent.broadcast.rawValue, muted: director.intent.isMuted)
    let conditions =
      broadcast == nil
      ? Conditions(camera: .unused, microphone: .unused) : director.conditions
    video =
      director.plan.video == .camera
      ? settings.video.source.statusName : director.plan.video.rawValue
    audio =
      director.plan.audio != .microphone
      ? director.plan.audio.rawValue
      // Until the source delivers there is silence.
      : conditions.microphone == .good ? settings.audio.source.statusName : "silence"
    self.lamp = lamp.rawValue
    onAirSeconds = broadcast.map { Int((now - $0.startedAt) / 1_000_000_000) }
    capture = Capture(
      camera: Status.name(conditions.camera, hasWorked: broadcast?.hasHadVideo ?? false),
      microphone: Status.name(conditions.microphone, hasWorked: broadcast?.hasHadAudio ?? false))
    link = conditions.link.rawValue
    driftPpm = broadcast?.driftPPM
    destinations = (broadcast?.destinationCounters ?? []).map { name, counters in
      Server(
        server: name, state: counters.state.rawValue, cause: counters.obstacle?.code,
        // Some sources stamp a block of audio with its end, which is later than now.
        deliveredMsAgo: counters.deliveredUpTo.map { max(0, Int((now - $0) / 1_000_000)) },
        sentBytes: counters.bytesSent, dropped: counters.dropped, reconnects: counters.reconnects)
    }
    let videoKbps = broadcast?.videoKbps
    encode = (broadcast?.figures).map {
      Encoded(
        frames: $0.frames, repeated: $0.repeats, unreadable: $0.unreadable,
        audioPackets: $0.audioPackets,
        videoKbps: videoKbps, working: !conditions.encoderFailed)
    }
    self.troubles = troubles
  }

  private static func name(_ input: Conditions.Input, hasWorked: Bool) -> String {
    input == .lost && !hasWorked ? "missing" : input.rawValue
  }

  /// Whether a server takes the stream.
  public var isTaken: Bool {
    destinations.contains { $0.state == "publishing" || $0.state == "delivering" }
  }
}

extension VideoSource {
  fileprivate var statusName: String {
    switch self {
    case .camera: "camera"
    case .pattern: "pattern"
    case .pipe: "pipe"
    case .file: "file"
    case .none: "none"
    }
  }
}

extension AudioSource {
  fileprivate var statusName: String {
    switch self {
    case .microphone: "microphone"
    case .tone: "tone"
    case .file: "file"
    case .silence: "silence"
    case .none: "none"
    }
  }
}
