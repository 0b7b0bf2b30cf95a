// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Something that has happened, for whoever watches the box: the page, other people's programs.
public struct Event: Codable, Sendable, Equatable {
  /// All that can happen. The names are for other people's programs, and stay.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The broadcast has begun, at a person's word or when the box started.
    case started
    /// It has ended; `totals` tells what it was.
    case ended
    case paused, resumed, muted, unmuted

    /// Nothing comes from a camera, a microphone or a file; or a line of the panel does not work.
    case deviceLost = "device_lost"
    /// It came back by itself.
    case deviceBack = "device_back"
    /// This user may not open it.
    case deviceForbidden = "device_forbidden"
    /// Another program has it.
    case deviceBusy = "device_busy"

    case connecting
    /// The server has taken the connection.
    case connected
    /// It takes the stream.
    case publishing
    /// It is known to have what was captured a moment ago.
    case delivered
    /// The link does not carry what is sent, or nothing confirms that it arrives.
    case networkPoor = "network_poor"
    case networkRecovered = "network_recovered"
    case connectFailed = "connect_failed"
    /// The connection stands and takes nothing any more.
    case sendTimedOut = "send_timed_out"
    case refused
    /// Somebody else publishes under the same key.
    case replaced
    case endedByServer = "ended_by_server"
    case reconnectStarted = "reconnect_started"
    case reconnectSucceeded = "reconnect_succeeded"
    /// The address to publish to runs out within a minute.
    case urlExpiring = "url_expiring"
    /// It has: the server may refuse the next connection.
    case urlExpired = "url_expired"

    /// The machine is too slow for what is asked of it.
    case frameBudgetMissed = "frame_budget_missed"
    /// Pictures or sound cannot be encoded.
    case encoderFailed = "encoder_failed"
    /// An image of the settings cannot be shown, and OnAir's own stands in.
    case stillUnusable = "still_unusable"
    /// What is wanted cannot be kept over a power cut.
    case stateNotSaved = "state_not_saved"
    /// A button is down without a hand on it, as far as the box can tell, and does nothing.
    case buttonStuck = "button_stuck"
    case buttonReleased = "button_released"
    case passwordReset = "password_reset"
    /// The page cannot listen where it should.
    case pageUnavailable = "page_unavailable"
    case pageBack = "page_back"
  }

  /// What a broadcast was, at its end.
  public struct Totals: Codable, Sendable, Equatable {
    public var seconds: Int
    /// Handed to all servers together.
    public var bytes: UInt64
    /// Pictures that were encoded.
    public var frames: Int
    /// Times that viewers missed something: connections made anew, and queues given up on a slow link.
    public var interruptions: Int
  }

  /// Rises by one from event to event, and further at each start of the program.
  public var number: Int
  /// In UTC, as ISO 8601 writes it.
  public var time: String
  public var code: Code
  /// "picture", "sound", "main button", or a server's host and port; nil for the box itself.
  public var subject: String?
  /// A closer code for programs: "no_signal", "connection_refused".
  public var cause: String?
  /// For a person: what has happened, and what to do.
  public var sentence: String
  public var totals: Totals?
}
