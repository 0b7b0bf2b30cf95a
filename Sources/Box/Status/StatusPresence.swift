// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Guests
internal import Panel

extension Status {
  /// The state of the box in codes, which `onair status` and the page put into words. The codes are a contract.
  public struct Presence: Codable, Sendable, Equatable {
    /// The state of the broadcast, as a code of `Situation.State`: "live" only while a server has the stream.
    public var state: String
    /// The state in one word: "off", "ending", "connecting", "going_live", "live", "unconfirmed", "not_on_air",
    /// "paused" or "private".
    public var word: String
    /// How well the broadcast goes: "off", "starting", "good", "muted", "part_off", "weak", "poor", "paused" or
    /// "private".
    public var grade: String
    /// The colour of the lamp: "white", "yellow", "green", "blue" or "red".
    public var colour: String
    /// Who gets the `video` and `audio` that the status names: "none" (nothing is sent), "nobody" (no server has the
    /// stream), "soon" (all, in a moment), "perhaps" (arrival is not confirmed), "relays" (viewers of relays alone) or
    /// "all".
    public var audience: String
    /// The names of the relays that have the stream.
    public var relays: [String]
    /// What the user should do: "wait", "look_at_platform", "use_cable", "mute_too", or "see_below", which refers to
    /// the list of troubles; `nil` for nothing.
    public var advice: String?
  }
}

extension Status.Presence {
  /// - Parameter hearsNothing: whether mutes and volumes of single tracks leave nothing to hear, which counts as a mute.
  init(
    _ director: Director, lamp: LampSignal, relays: [RelayStatus], troubles: [Trouble],
    hearsNothing: Bool = false
  ) {
    let running = relays.filter { $0.state == "running" }.map(\.name)
    var intent = director.intent
    intent.isMuted = intent.isMuted || hearsNothing
    let situation = Situation(
      intent, director.plan, director.conditions, lamp: lamp, relays: running.count)
    self.init(
      state: situation.state.rawValue, word: situation.word.rawValue,
      grade: situation.grade.rawValue, colour: lamp.pattern.colour.rawValue,
      audience: situation.audience.rawValue, relays: running,
      advice: situation.advice(isExplained: !troubles.isEmpty)?.rawValue)
  }
}

// The states as English sentences. The page has the same sentences in en.json.
extension Situation.State {
  /// The state as a sentence for the user.
  package var sentence: String {
    switch self {
    case .offAir: "You are off the air."
    case .offFault: "You are off the air, and something needs repair."
    case .ending: "The broadcast is ending."
    case .connecting: "Connecting to the server."
    case .goingLive: "Going live: the server does not have the new picture yet."
    case .live: "You are live."
    case .liveMuted: "You are live, muted."
    case .liveVideoOff: "You are live, with the picture switched off."
    case .liveAudioOff: "You are live, with the sound switched off."
    case .liveBothOff: "You are live, with picture and sound switched off."
    case .unconfirmed: "The stream is sent, but the server does not confirm it."
    case .weak: "You are live, but the network is weak."
    case .weakStill: "You are live, but the network is too weak for video."
    case .relayFails: "You are live, but not at every relay."
    case .audioAlarm: "You are live, but something is wrong with the sound."
    case .noCamera: "You are live, but the camera sends no picture."
    case .noMicrophone: "You are live, but the main sound is missing."
    case .noInputs: "You are live, but there is neither picture nor sound."
    case .needsRepair: "You are live, and something needs repair."
    case .notEncoded: "Picture or sound cannot be encoded."
    case .notSaved: "You are live, but a power cut would end the broadcast."
    case .unsupervised: "The box has not looked after the broadcast for seconds."
    case .relaysOnly: "You are live at relays alone: the first server does not have the stream."
    case .notOnAir: "You are not on the air: there is no connection to the server."
    case .refused: "You are not on the air: the server does not take the stream."
    case .pausing: "Paused: the server does not have the still yet."
    case .paused: "Paused: the room is private."
    case .pausedHeard: "Paused, but the sound goes on."
    case .pausedSeen: "Paused, but not private: the last picture stays."
    case .pausedConnecting: "Paused: connecting to the server."
    case .pausedUnconfirmed: "Paused, but the server does not confirm the still."
    case .pausedNotEncoded: "Paused, but picture or sound cannot be encoded."
    case .pausedNotSaved: "Paused, but a power cut would undo that."
    case .pausedRelaysOnly: "Paused at relays alone: the first server does not have the still."
    case .pausedNotOnAir: "Paused, and not on the air: no server has the still."
    }
  }
}

extension Status {
  /// A sentence about what viewers see and hear; `nil` if the sentence about the state says enough.
  var view: String? {
    guard let presence else { return nil }
    let (sees, hears) = (seen, heard)
    let both =
      sees == hears && sees != "nothing"
      ? "see and hear \(sees)" : "see \(sees) and hear \(hears)"
    let what = music == true ? "\(both), with music" : both
    switch presence.audience {
    case "none": return presence.state == "ending" ? nil : "Nothing from the room is sent."
    case "nobody": return "No server has the stream, so viewers see and hear nothing of it."
    case "soon":
      return presence.word == "private" && presence.state == "pausing"
        ? "Nothing from the room is sent any more." : nil
    case "perhaps": return "If it arrives, viewers \(what)."
    case "relays": return "Viewers of \(presence.relays.joined(separator: ", ")) \(what)."
    default: return "Viewers \(what)."
    }
  }

  /// What viewers see, in words.
  private var seen: String {
    let own = Status.seen(video)
    let covers = ["none", "poor_network_still", "video_off_still"]
    guard intent.broadcast == "live", !covers.contains(video), let layout = guests?.layout else {
      return own
    }
    return switch GuestLayout(layout) {
    case .single: own
    case .guest: "the guest"
    case .sideBySide, .pip, .grid: "\(own) and the guests"
    // Whether the camera has a pane in it is not known here.
    case .free(let name): name == "bypass" ? own : "the layout \(name)"
    }
  }

  /// What viewers hear, in words.
  private var heard: String {
    let own = Status.heard(audio)
    let isSilent =
      intent.broadcast != "live" || intent.muted || intent.audioOff == true || audio == "none"
    guard !isSilent, let guests, guests.layout != "bypass" else { return own }
    if guests.mode == "bypass" { return "the guest" }
    return own == "nothing" ? "the guests" : "\(own) and the guests"
  }

  /// What viewers see in the camera's place, in words, for a value of `Status.video`.
  private static func seen(_ video: String) -> String {
    switch video {
    case "camera": "the room"
    case "file": "the file"
    case "pattern": "the test picture"
    case "pipe": "the picture"
    case "last_frame": "the last picture, frozen"
    case "sound_only": "no new picture"
    case "none": "nothing"
    default: "a still"
    }
  }

  /// What viewers hear, in words, for a value of `Status.audio`.
  private static func heard(_ audio: String) -> String {
    switch audio {
    case "microphone": "the room"
    case "file": "the file"
    case "tone": "the test tone"
    case "pipe": "the sound"
    case "music": "the music"
    default: "nothing"
    }
  }
}
