// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the person at the box wants. It is saved to disk and survives a power cut.
public struct Intent: Equatable, Sendable {
  /// The state of the broadcast that the person wants.
  public enum Broadcast: String, Sendable, CaseIterable {
    case off, live, paused
  }

  /// Whether the person wants the broadcast to be off, live or paused.
  public var broadcast: Broadcast
  /// Whether the microphone is replaced by silence.
  public var isMuted: Bool
  /// Whether viewers get a still in place of the video, although the broadcast is live.
  public var isVideoOff: Bool
  /// Whether viewers get silence in place of all audio. Independent of `isMuted`: ending one does not end the other.
  public var isAudioOff: Bool

  public init(
    broadcast: Broadcast = .off, isMuted: Bool = false, isVideoOff: Bool = false,
    isAudioOff: Bool = false
  ) {
    self.broadcast = broadcast
    self.isMuted = isMuted
    self.isVideoOff = isVideoOff
    self.isAudioOff = isAudioOff
  }

  /// Whether the person wants viewers to hear nothing.
  public var isSilent: Bool { isMuted || isAudioOff }
}

/// A command of a person, given by button, command line or HTTP.
public enum Command: String, Sendable, CaseIterable {
  /// `reconnect` renews the connections to the servers; `restart` also reopens the sources and the encoders.
  case start, stop, pause, resume, mute, unmute
  /// Replace the video by a still, and the audio by silence, until the opposite command. The tracks stay in the stream.
  case videoOff = "video_off"
  case videoOn = "video_on"
  case audioOff = "audio_off"
  case audioOn = "audio_on"
  case reconnect, restart

  /// Whether the command only hides something from viewers. Such a command is carried out however late it comes.
  public var onlyHides: Bool {
    switch self {
    case .pause, .mute, .videoOff, .audioOff: true
    case .start, .stop, .resume, .unmute, .videoOn, .audioOn, .reconnect, .restart: false
    }
  }
}

/// Why a command is not possible now.
public enum CommandError: String, Error, Sendable, CaseIterable {
  /// The command needs a broadcast, and there is none.
  case offAir = "off_air"
  /// The command is possible only while there is no broadcast.
  case onAir = "on_air"

  /// The cause and the remedy, as a sentence for a person.
  public var sentence: String {
    switch self {
    case .offAir: "The box is off air: start the broadcast first."
    case .onAir: "A broadcast is on the air already: end it first."
    }
  }
}

extension Intent {
  /// The intent after `command`. It is the same intent if the command asks for the state that is already set.
  public func after(_ command: Command) throws(CommandError) -> Intent {
    var intent = self
    switch (command, broadcast) {
    // A new broadcast starts with video and audio, even if the last one was muted or had one of them off.
    case (.start, .off): intent = Intent(broadcast: .live)
    case (.start, _): break
    case (.stop, _): intent = Intent(broadcast: .off)
    case (_, .off): throw .offAir
    case (.pause, _): intent.broadcast = .paused
    case (.resume, _): intent.broadcast = .live
    case (.mute, _): intent.isMuted = true
    case (.unmute, _): intent.isMuted = false
    case (.videoOff, _): intent.isVideoOff = true
    case (.videoOn, _): intent.isVideoOff = false
    case (.audioOff, _): intent.isAudioOff = true
    case (.audioOn, _): intent.isAudioOff = false
    case (.reconnect, _), (.restart, _): break
    }
    return intent
  }
}
