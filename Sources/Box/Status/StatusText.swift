// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Panel

extension Status {
  /// The lines of `onair status`, each with a name and a value.
  public var lines: [(name: String, value: String)] {
    let wanted = [
      intent.broadcast, intent.muted ? "muted" : nil,
      intent.videoOff == true ? "picture off" : nil, intent.audioOff == true ? "sound off" : nil,
    ]
    var lines = [("Wanted", wanted.compactMap(\.self).joined(separator: ", "))]
    if let state = presence.flatMap({ Situation.State(rawValue: $0.state) }) {
      lines.append(("State", [state.sentence, view].compactMap(\.self).joined(separator: " ")))
    }
    if let seconds = onAirSeconds {
      let age = Phrase.duration(seconds)
      lines.append(("Broadcast", isTaken ? "on the air, for \(age)" : notTaken(age)))
      lines.append(("Picture", Status.words(video) + Status.remark(capture.camera)))
      lines.append(("Sound", Status.words(audio) + Status.remark(capture.microphone)))
      if let late = encode?.late, late > 0 {
        let count = Phrase.count(late, "frame or audio block", plural: "frames or audio blocks")
        lines.append(("Machine", "too slow for \(count), which viewers missed"))
      }
    } else {
      lines.append(("Broadcast", "off the air"))
    }
    for server in destinations { lines.append(("Server", server.statusLine)) }
    for relay in relays where relay.state != "idle" || onAirSeconds != nil {
      lines.append(("Relay", relay.statusLine))
    }
    if let words = guests?.words { lines.append(("Guests", words)) }
    if let watched {
      lines.append(("Watched", "off air, by \(watched.by)"))
    }
    if let words = record?.words { lines.append(("Recording", words)) }
    if let monitor { lines.append(("Headphones", monitor.sentence)) }
    lines.append(("Lamp", lampWords))
    for trouble in troubles { lines.append(("Trouble", trouble.words)) }
    return lines
  }

  /// The state, in words, of a broadcast that the main server does not take.
  /// - Parameter age: the age of the broadcast, as "2 minutes".
  private func notTaken(_ age: String) -> String {
    let relays = relays.count { $0.state == "running" }
    guard relays > 0 else { return "not on the air: no server takes it (it began \(age) ago)" }
    let count = Phrase.count(relays, "relay", plural: "relays")
    return "on the air at \(count), but not at the first server (it began \(age) ago)"
  }

  /// A value of `video` or `audio` in words.
  private static func words(_ source: String) -> String {
    switch source {
    case "pattern": "test pattern"
    case "tone": "test tone"
    case "pause_still": "pause image"
    case "last_frame": "the last picture, frozen (not private)"
    case "sound_only": "none, sound only"
    case "no_camera_still": "no-camera image"
    case "poor_network_still": "poor-network image"
    case "video_off_still": "no-camera image, since the picture is off"
    default: source
    }
  }

  /// The reason in brackets why viewers do not get the source's picture or sound; empty if they do.
  private static func remark(_ source: String) -> String {
    switch source {
    case "opening": " (the source is being opened)"
    case "lost": " (the source has stopped)"
    case "missing": " (nothing has come from the source)"
    case "released": " (the camera is closed until the pause ends)"
    default: ""
    }
  }

  /// The lamp's pattern and its meaning, in words.
  private var lampWords: String {
    guard let pattern = LampPattern(rawValue: lamp) else { return lamp }
    let meaning =
      switch pattern {
      case .offAir: "off the air"
      case .watched: "off the air, and somebody looks"
      case .recording: "off the air, and the camera is recorded"
      case .ending: "live, and ends by itself within five minutes"
      case .starting: "starting"
      case .live: "live"
      case .unconfirmed: "sent, not confirmed"
      case .paused: "paused"
      case .weak: "weak network"
      case .reconnecting: "reconnecting"
      case .noCamera: "no camera"
      case .fault: "something is wrong"
      }
    return "\(pattern.words) (\(meaning))"
  }
}

extension Status.Server {
  /// This server and its state, as a line of `onair status`.
  fileprivate var statusLine: String {
    var stateWords =
      switch state {
      case "stopped": "stopped"
      case "connecting": "connecting"
      case "connected": "connected, but does not take the stream yet"
      case "publishing": "takes the stream; whether it arrives is not confirmed"
      case "delivering": "has the stream"
      default: "not connected"
      }
    if state == "delivering", let age = deliveredMsAgo { stateWords += " as it was \(age) ms ago" }
    var figures = [String]()
    if reconnects > 0 { figures.append(Phrase.count(reconnects, "reconnect")) }
    if dropped > 0 { figures.append("\(dropped) dropped on a slow network") }
    return "\(server): \(stateWords)"
      + (figures.isEmpty ? "" : " (\(figures.joined(separator: ", ")))")
  }
}

extension MusicReply {
  /// The music as `onair music` prints it.
  public var words: String {
    guard state != "stopped", let source else { return "No music plays." }
    let place = positionSeconds.map { position in
      " at \(Phrase.duration(position))"
        + (durationSeconds.map { " of \(Phrase.duration($0))" } ?? "")
    }
    let name = title.map { "\($0) (\(piece ?? source))" } ?? piece ?? source
    let trouble = sentence.map { "\n\($0)" } ?? ""
    return
      "\(state): \(name)\(place ?? "")\(loop ? ", again and again" : ""), volume \(volume)\(trouble)"
  }
}
