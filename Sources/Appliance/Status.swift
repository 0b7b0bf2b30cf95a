// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Media
internal import Publish

/// What the box is at, as `onair status --json` and `GET /api/status` write it, in snake_case. The names of the
/// fields are for other people's programs, and stay.
public struct Status: Codable, Sendable, Equatable {
  /// What the person wants.
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
    public var code: String?
    /// Milliseconds since what the server has last was captured.
    public var deliveredMsAgo: Int?
    public var sentBytes: UInt64
    /// Pictures and pieces of sound left out, since the link was too slow.
    public var dropped: UInt64
    public var reconnects: UInt64
  }

  /// Each "unused", "opening", "good" or "lost".
  public struct Capture: Codable, Sendable, Equatable {
    public var camera: String
    public var microphone: String
  }

  /// What was encoded since the broadcast began.
  public struct Encoded: Codable, Sendable, Equatable {
    public var pictures: Int
    /// Of these, shown again since no new one came.
    public var repeated: Int
    /// Frames that could not be read.
    public var broken: Int
    public var sounds: Int
    /// What pictures may take of the line by now, in kbit/s; `nil` without pictures.
    public var videoKbps: Int?
    /// Whether the last picture and the last piece of sound could be encoded.
    public var good: Bool
  }

  public var version: String
  public var intent: Wanted
  /// What viewers are meant to see: "none", "camera", "pause_still", "no_camera_still",
  /// "poor_network_still".
  public var picture: String
  /// What they are meant to hear: "none", "microphone" or "silence".
  public var sound: String
  /// What the lamp says.
  public var lamp: String
  /// Seconds since the broadcast began; `nil` off air.
  public var onAirSeconds: Int?
  public var capture: Capture
  /// `nil` off air.
  public var encode: Encoded?
  public var destinations: [Server]
  /// The way to them: "good", "weak" or "poor".
  public var link: String
  /// How fast the microphone's clock runs, in millionths; `nil` while it is not known.
  public var driftPpm: Double?

  init(director: Director, lamp: LampPattern, broadcast: Broadcast?, now: MediaTime) {
    version = Version.current
    intent = Wanted(
      broadcast: director.intent.broadcast.rawValue, muted: director.intent.isMuted)
    picture = director.plan.video.rawValue
    sound = director.plan.audio.rawValue
    self.lamp = lamp.rawValue
    onAirSeconds = broadcast.map { Int((now - $0.startedAt) / 1_000_000_000) }
    let conditions =
      broadcast == nil
      ? Conditions(camera: .unused, microphone: .unused) : director.conditions
    capture = Capture(
      camera: conditions.camera.rawValue, microphone: conditions.microphone.rawValue)
    link = conditions.link.rawValue
    driftPpm = broadcast?.driftPPM
    destinations = (broadcast?.destinationCounters ?? []).map { name, counters in
      Server(
        server: name, state: counters.state.rawValue, code: counters.obstacle?.code,
        // A source may stamp what it gives with the end of it.
        deliveredMsAgo: counters.delivery.map { max(0, Int((now - $0.capturedAt) / 1_000_000)) },
        sentBytes: counters.bytesSent, dropped: counters.dropped, reconnects: counters.reconnects)
    }
    let videoKbps = broadcast?.videoKbps
    encode = (broadcast?.figures).map {
      Encoded(
        pictures: $0.pictures, repeated: $0.repeats, broken: $0.broken, sounds: $0.sounds,
        videoKbps: videoKbps, good: !conditions.encoderFailed)
    }
  }
}
