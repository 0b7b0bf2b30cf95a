// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Director

// Sentences about commands, for the log and for the person who gave the command.

extension Command {
  /// Whether the command does something even if it leaves the intent (what the user wants: on air, paused, muted) as it
  /// is.
  package var alwaysActs: Bool { self == .reconnect || self == .restart }

  /// The event that reports the command; `nil` for `start` and `stop`, after which the broadcast itself reports events.
  package var event: Event.Code? {
    switch self {
    case .pause: .paused
    case .resume: .resumed
    case .mute: .muted
    case .unmute: .unmuted
    case .videoOff: .videoOff
    case .videoOn: .videoOn
    case .audioOff: .audioOff
    case .audioOn: .audioOn
    case .restart: .restarted
    case .reconnect: .reconnectAsked
    case .start, .stop: nil
    }
  }

  /// The effect of the command in the past tense, for the log, such as "Paused".
  package var past: String {
    switch self {
    case .start: "Started"
    case .stop: "Stopped"
    case .pause: "Paused"
    case .resume: "Resumed"
    case .mute: "Muted"
    case .unmute: "Unmuted"
    case .videoOff: "Picture switched off"
    case .videoOn: "Picture switched on"
    case .audioOff: "Sound switched off"
    case .audioOn: "Sound switched on"
    case .reconnect: "A new connection was asked for"
    case .restart: "Restarting sources, encoders and connection"
    }
  }

  /// A space before each sentence about a state that the command does not change, although the user might expect so:
  /// resuming does not unmute. Empty if there is no such state.
  package func unchangedState(of intent: Intent) -> String {
    let paused = intent.broadcast == .paused ? " The broadcast is still paused." : ""
    let picture = intent.isVideoOff ? " The picture is still off." : ""
    let sound = intent.isAudioOff ? " The sound is still off." : ""
    let muted = intent.isMuted ? " The microphone is still muted." : ""
    return switch self {
    case .resume: muted + picture + sound
    case .mute, .videoOff, .videoOn, .audioOff: paused
    case .unmute: sound + paused
    case .audioOn: muted + paused
    case .start, .stop, .pause, .reconnect, .restart: ""
    }
  }

  /// A sentence for the user: the effect of the command.
  /// - Parameter intent: the intent after the command.
  package func result(_ intent: Intent) -> String {
    switch self {
    case .start: "The broadcast begins."
    case .stop: "The broadcast ends."
    case .pause: "Paused: viewers no longer see the camera."
    case .resume where intent.isVideoOff: "Live."
    case .resume: "Live: viewers see the camera again."
    case .mute: "Muted: viewers no longer hear the microphone."
    case .unmute where intent.isAudioOff: "Unmuted."
    case .unmute: "Unmuted: viewers hear the microphone again."
    case .videoOff: "Picture off: viewers see a still."
    case .videoOn where intent.broadcast == .paused: "Picture on."
    case .videoOn: "Picture on: viewers see the camera again."
    case .audioOff: "Sound off: viewers hear nothing."
    case .audioOn where intent.isMuted || intent.broadcast == .paused: "Sound on."
    case .audioOn: "Sound on: viewers hear it again."
    case .reconnect: "Connecting again."
    case .restart: "Sources, encoders and connection begin anew."
    }
  }

  /// A sentence for the person who gave the command: why it has changed nothing.
  package func noChange(_ intent: Intent) -> String {
    switch self {
    case .start where intent.broadcast == .paused: "Already started; the broadcast is paused."
    case .start, .resume: "Already live."
    case .stop: "Already off air."
    case .pause: "Already paused."
    case .mute: "Already muted."
    case .unmute: "Not muted."
    case .videoOff: "The picture is off already."
    case .videoOn: "The picture is not switched off."
    case .audioOff: "The sound is off already."
    case .audioOn: "The sound is not switched off."
    case .reconnect, .restart: ""
    }
  }
}
