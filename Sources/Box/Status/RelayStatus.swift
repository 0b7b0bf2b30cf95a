// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Publish
internal import Settings
internal import Studio

/// The state of a relay, as `GET /api/relays` writes it, in snake_case. The names of the fields are a contract.
/// Counts are since the relay began or the broadcast was last restarted.
public struct RelayStatus: Codable, Sendable, Equatable {
  /// The name of the relay in the settings.
  public var name: String
  /// The address with the key masked: "rtmp://live.example.org/app/***".
  public var url: String
  /// Whether the relay begins with each broadcast.
  public var enabled: Bool
  /// "programme", or "camera" for the box's own picture and sound.
  public var program: String
  /// "idle", "connecting", "running" (the server has acknowledged what was captured a moment ago) or "failure" (OnAir
  /// tries again until it works).
  public var state: String
  /// Whether a person has paused the relay.
  public var paused: Bool
  /// Why the relay fails, as a code for programs; `nil` unless `state` is "failure".
  public var code: String?
  /// What is wrong and what to do, for the user; `nil` if nothing is wrong.
  public var sentence: String?
  /// How much of the stream the relay gets: "whole" or, if the line is too slow for that, "keyframes" (and the sound)
  /// or "nothing".
  public var gets: String
  /// Age, in milliseconds since its capture, of the newest frame or audio packet that the server has; `nil` for none.
  public var deliveredMsAgo: Int?
  /// Bytes that were sent to the relay's server.
  public var sentBytes: UInt64
  /// How long the oldest queued packet has waited, in milliseconds.
  public var behindMs: Int
  /// Frames and audio packets that were dropped because the line was too slow.
  public var dropped: UInt64
  /// How many times the relay's server has accepted the stream again after the connection was lost.
  public var reconnects: UInt64
  /// The number of failed attempts to connect and of lost connections.
  public var failures: UInt64
}

extension RelayStatus {
  /// The names of the fields, in snake_case, that are not settings of the relay.
  package static let readOnly: Set = [
    "state", "paused", "code", "sentence", "gets", "delivered_ms_ago", "sent_bytes", "behind_ms",
    "dropped", "reconnects", "failures",
  ]

  /// - Parameter figures: the figures of the relay's connection; `nil` if the relay is not on, or the box is off air.
  init(
    _ entry: RelayDesk.Entry, _ wanted: RelayDesk.WantedState, _ figures: DestinationFigures?,
    now: MediaTime
  ) {
    name = entry.name
    url = entry.url
    (enabled, program) = (entry.isEnabled, entry.program.rawValue)
    paused = wanted == .paused
    gets = "\(Thinning.whole)"
    let counters = figures?.counters ?? DestinationCounters()
    deliveredMsAgo = counters.deliveredUpTo.map { max(0, Int((now - $0) / 1_000_000)) }
    sentBytes = counters.bytesSent
    behindMs = Int(counters.queueNanos / 1_000_000)
    dropped = counters.dropped
    reconnects = counters.reconnects
    failures = counters.failures
    (state, code) = figures.map(RelayStatus.state) ?? ("idle", nil)
    if state == "running" || code == DestinationCause.linkTooSlow.code, let figures {
      gets = "\(figures.thinning)"
    }
    let words = DestinationWords.relay(entry.name)
    if code == DestinationCause.linkTooSlow.code {
      sentence = figures?.target.sentence(.linkTooSlow, words)
    } else if let trouble = figures?.trouble, state != "running" {
      sentence = trouble.sentence(words)
    }
    if entry.target == nil {
      (state, code) = ("failure", "no_destination")
      sentence = "The stream key is not set: copy it from the platform's page, as the relay's key."
    }
  }
}

extension RelayStatus {
  /// The values of `state` and `code` for a relay that is on.
  private static func state(_ figures: DestinationFigures) -> (String, String?) {
    let counters = figures.counters
    return switch counters.state {
    case .delivering where figures.thinning != .nothing: ("running", nil)
    case .delivering, .publishing:
      figures.thinning == .nothing
        ? ("failure", DestinationCause.linkTooSlow.code)
        : figures.trouble.map { ("failure", $0.cause.code) } ?? ("connecting", nil)
    case .waiting: ("failure", counters.obstacle?.code)
    // A stopped destination may be waiting until the destination that it replaces has ended.
    case .stopped, .connecting, .connected:
      counters.obstacle.map { ("failure", $0.code) } ?? ("connecting", nil)
    }
  }
}

extension RelayStatus {
  /// This relay as a line of `onair status` and `onair relay list`.
  public var statusLine: String {
    let what =
      switch state {
      case "idle": paused ? "paused" : enabled ? "idle" : "idle, begins by hand only"
      case "connecting": "connecting"
      case "running": "has the stream"
      default: "fails"
      }
    let content = program == RelayProgram.camera.rawValue ? ", the camera alone" : ""
    let start = !enabled && state != "idle" ? ", begun by hand" : ""
    let part =
      switch gets {
      case "keyframes": ", keyframes and sound only: the line does not carry more"
      case "nothing": ", gets nothing for now: the line does not carry it"
      default: ""
      }
    return "\(name), \(url)\(content): \(what)\(start)\(part)" + (sentence.map { " (\($0))" } ?? "")
  }
}
