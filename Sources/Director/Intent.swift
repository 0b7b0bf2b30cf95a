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

  public init(broadcast: Broadcast = .off, isMuted: Bool = false) {
    self.broadcast = broadcast
    self.isMuted = isMuted
  }
}

/// A command of a person, given by button, command line or HTTP.
public enum Command: String, Sendable, CaseIterable {
  /// `reconnect` renews the connections to the servers; `restart` also reopens the sources and the encoders.
  case start, stop, pause, resume, mute, unmute, reconnect, restart
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
    // A new broadcast starts unmuted, even if the last one was muted.
    case (.start, .off): intent = Intent(broadcast: .live)
    case (.start, _): break
    case (.stop, _): intent = Intent(broadcast: .off)
    case (_, .off): throw .offAir
    case (.pause, _): intent.broadcast = .paused
    case (.resume, _): intent.broadcast = .live
    case (.mute, _): intent.isMuted = true
    case (.unmute, _): intent.isMuted = false
    case (.reconnect, _), (.restart, _): break
    }
    return intent
  }
}
