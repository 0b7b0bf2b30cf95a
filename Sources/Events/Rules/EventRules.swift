// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Publish

/// Turns the reports of a source into events. Reads no clock and does no I/O.
struct SourceEvents {
  /// Whether the source has reported a trouble since it last ran.
  private var isTroubled = false
  /// Whether the source has reported, since it last ran, that its file is outdated.
  private var isOutdated = false

  /// Turns a report of the source into an event.
  /// - Returns: the event that the report causes; `nil` for none.
  mutating func handle(_ report: SourceReport) -> Event.Code? {
    switch report.state {
    case .running:
      defer { (isTroubled, isOutdated) = (false, false) }
      return isTroubled ? .deviceBack : isOutdated ? .fileCurrent : nil
    case .outdated:
      isOutdated = true
      return .fileOutdated
    case .trouble:
      isTroubled = true
      return Event.Code(deviceTrouble: report.code)
    case .ended: return report.code == "ended" ? nil : .deviceLost
    }
  }
}

extension Event.Code {
  /// The event for a device that does not work.
  /// - Parameter code: the code of the device's report, such as "busy" or "missing".
  package init(deviceTrouble code: String) {
    switch code {
    case "busy": self = .deviceBusy
    case "forbidden": self = .deviceForbidden
    default: self = .deviceLost
    }
  }
}

/// Turns the reports of a destination into events, in the order in which they happened. Reads no clock and does no I/O.
struct DestinationEvents {
  /// An event that a report causes.
  struct Outcome: Equatable {
    var code: Event.Code
    /// The code of the report's cause; `nil` if the report has none, or its cause does not explain this event.
    var cause: String?
    /// The value of `Event.elapsedMs`, but in nanoseconds: the time since the broadcast began or was last restarted or,
    /// after a lost connection, since the loss. `nil` if the event has no elapsed time.
    var elapsedNanos: Int64?
    /// Whether the connection was closed on purpose: a person asked for a new one, or the address has changed.
    var isDeliberate = false

    /// The sentence of the event; `nil` to use the sentence of the report.
    func sentence(of host: String) -> String? {
      switch code {
      case .publishing: "\(host) takes the stream."
      case .reconnectStarted where isDeliberate: "A new connection to \(host) is being made."
      case .reconnectStarted: "Connecting to \(host) again, until it works."
      case .reconnectSucceeded: "\(host) takes the stream again."
      case .networkRecovered: "The stream arrives at \(host) in time again."
      default: nil
      }
    }
  }

  /// Whether the server has accepted the stream before in this broadcast.
  private var wasPublished = false
  /// Whether the server currently accepts the stream.
  private var isOnAir = false
  /// Whether the event `networkPoor` was made on this connection, and `networkRecovered` has not followed.
  private var isPoor = false
  /// Whether the event `reconnectStarted` was made, and `reconnectSucceeded` has not followed.
  private var isReconnecting = false
  /// Whether this connection's first delivery was reported.
  private var isDelivered = false

  /// Turns a report into the events that it causes.
  /// - Parameter isLinkFollowed: whether the rate controller reports a slow link. If it does, the destination's own
  ///   reports of a slow link do not become events.
  mutating func handle(_ report: DestinationReport, isLinkFollowed: Bool = true) -> [Outcome] {
    codes(report, isLinkFollowed).map { code in
      let isReported: Bool =
        switch code {
        case .publishing, .reconnectStarted, .reconnectSucceeded, .networkRecovered: false
        default: true
        }
      return Outcome(
        code: code, cause: isReported ? report.cause?.code : nil,
        elapsedNanos: elapsed(code, report),
        isDeliberate: code == .reconnectStarted && report.state == .connecting)
    }
  }

  /// The events that a report causes, in order.
  private mutating func codes(
    _ report: DestinationReport, _ isLinkFollowed: Bool
  ) -> [Event.Code] {
    switch report.state {
    case .stopped: return []
    case .connecting:
      isOnAir = false
      // A reconnect begins here only if a person has requested a new connection: after a failure it has begun already.
      return beginReconnecting() + [.connecting]
    case .connected: return [.connected]
    case .publishing, .delivering: return onAir(report, isLinkFollowed)
    case .waiting:
      guard let cause = report.cause else { return [] }
      let code = DestinationEvents.code(of: cause, isOnAir: isOnAir)
      isOnAir = false
      isPoor = false
      return [code] + beginReconnecting()
    }
  }

  /// The nanoseconds from the start of the broadcast, or from the loss of a connection, to an event: the value of
  /// `Event.elapsedMs`. `nil` if the event has none.
  private mutating func elapsed(_ code: Event.Code, _ report: DestinationReport) -> Int64? {
    switch code {
    case .publishing, .reconnectSucceeded: return report.publishedAfter
    case .delivered:
      // Later deliveries on this connection have no elapsed time: they only mean that data arrives again.
      defer { isDelivered = true }
      return isDelivered ? nil : report.deliveredAfter
    default: return nil
    }
  }

  /// The event `reconnectStarted`. Empty if the server has not accepted the stream before, or if the event has already
  /// been made for this loss.
  private mutating func beginReconnecting() -> [Event.Code] {
    guard wasPublished, !isReconnecting else { return [] }
    isReconnecting = true
    return [.reconnectStarted]
  }

  /// The events that a report causes while the server accepts the stream, in order.
  private mutating func onAir(
    _ report: DestinationReport, _ isLinkFollowed: Bool
  ) -> [Event.Code] {
    var codes: [Event.Code] = []
    if !isOnAir {
      codes.append(.publishing)
      if isReconnecting { codes.append(.reconnectSucceeded) }
      isOnAir = true
      isDelivered = false
      wasPublished = true
      isReconnecting = false
    }
    if report.cause == .linkTooSlow, isLinkFollowed { return codes }
    if let cause = report.cause {
      isPoor = cause != .nothingToSend
      codes.append(isPoor ? .networkPoor : .encoderFailed)
    } else if report.state == .delivering {
      codes.append(.delivered)
      if isPoor { codes.append(.networkRecovered) }
      isPoor = false
    }
    return codes
  }

  /// The event for a failure of a destination.
  /// - Parameter isOnAir: whether the server accepted the stream until the failure. If it did not, the key may be in
  ///   use by this program's own earlier connection, so another program is not blamed.
  static func code(of cause: DestinationCause, isOnAir: Bool) -> Event.Code {
    switch cause {
    case .refused(.streamInUse) where isOnAir: .replaced
    case .refused, .closedAfterStart: .refused
    case .timedOut(.send): .sendTimedOut
    case .endedByServer, .closedByServer(.send), .closedByServer(.goodbye): .endedByServer
    default: isOnAir ? .endedByServer : .connectFailed
    }
  }
}

/// Turns the reports of a relay into events, in the order in which they happened. Reads no clock and does no I/O.
struct RelayEvents {
  /// The last event of the relay; `nil` before the first.
  private var last: Event.Code?

  /// Turns a report of the relay into an event.
  /// - Returns: the event; `nil` for none. After a failure, each further failure is an event, but attempts to connect
  ///   are not.
  mutating func handle(_ report: DestinationReport) -> Event.Code? {
    let code: Event.Code? =
      switch report.state {
      case .connecting, .connected: last == .relayFailed ? nil : .relayConnecting
      // Both causes mean that no data has arrived for three seconds, perhaps because the relay gives way to the main
      // destination.
      case .publishing:
        report.cause == .unconfirmed || report.cause == .linkTooSlow ? .relayFailed : nil
      case .delivering: .relayRunning
      case .waiting: report.cause == nil ? nil : .relayFailed
      case .stopped: .relayStopped
      }
    // A further failure is an event, too, since its cause may be another one.
    guard let code, code != last || code == .relayFailed else { return nil }
    last = code
    return code
  }
}
