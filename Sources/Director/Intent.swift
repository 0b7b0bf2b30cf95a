// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the person at the box wants: the one thing here that outlives a power cut.
public struct Intent: Equatable, Sendable {
  /// What viewers are to get.
  public enum Broadcast: String, Sendable, CaseIterable {
    case off, live, paused
  }

  public var broadcast: Broadcast
  /// Viewers hear nothing of the microphone.
  public var isMuted: Bool

  public init(broadcast: Broadcast = .off, isMuted: Bool = false) {
    self.broadcast = broadcast
    self.isMuted = isMuted
  }
}

/// What a person can ask for, at the button, the command line or the page.
public enum Command: String, Sendable, CaseIterable {
  case start, stop, pause, resume, mute, unmute, reconnect
}

/// Why a command does not fit what the box is at.
public enum Refusal: String, Error, Sendable, CaseIterable {
  case offAir = "off_air"

  /// The cause and the remedy.
  public var sentence: String {
    switch self {
    case .offAir: "The box is off air: start the broadcast first."
    }
  }
}

extension Intent {
  /// What is wanted after `command`. A command for what is so already changes nothing.
  public func after(_ command: Command) throws(Refusal) -> Intent {
    var intent = self
    switch (command, broadcast) {
    // A new broadcast never begins silenced by what was wanted of an earlier one.
    case (.start, .off): intent = Intent(broadcast: .live)
    case (.start, _): break
    case (.stop, _): intent = Intent(broadcast: .off)
    case (_, .off): throw .offAir
    case (.pause, _): intent.broadcast = .paused
    case (.resume, _): intent.broadcast = .live
    case (.mute, _): intent.isMuted = true
    case (.unmute, _): intent.isMuted = false
    case (.reconnect, _): break
    }
    return intent
  }
}
