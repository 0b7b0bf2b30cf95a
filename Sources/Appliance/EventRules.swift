// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Director
internal import Media
internal import Publish

/// Which events the reports of a source are.
struct SourceEvents {
  private var isTroubled = false

  mutating func take(_ report: SourceReport) -> Event.Code? {
    switch report.state {
    case .running:
      defer { isTroubled = false }
      return isTroubled ? .deviceBack : nil
    case .trouble:
      isTroubled = true
      return Event.Code(deviceTrouble: report.code)
    case .ended: return report.code == "ended" ? nil : .deviceLost
    }
  }
}

extension Event.Code {
  /// - Parameter code: a device's own: "busy", "missing", …
  init(deviceTrouble code: String) {
    switch code {
    case "busy": self = .deviceBusy
    case "forbidden": self = .deviceForbidden
    default: self = .deviceLost
    }
  }
}

/// Which events the state of the link is: each step down is told, a weak link when it lasts, and that all is well
/// once it has been for a while.
struct LinkEvents {
  private static let settledNanos: Int64 = .seconds(10)

  private static let lastingNanos: Int64 = .seconds(5)

  private var told = Conditions.Link.good
  private var goodSince: MediaTime?
  private var weakSince: MediaTime?

  mutating func take(_ link: Conditions.Link, now: MediaTime) -> Event.Code? {
    guard link == .good else {
      goodSince = nil
      let since = weakSince ?? now
      weakSince = since
      guard link == .poor ? told != .poor : told == .good,
        link == .poor || now - since >= LinkEvents.lastingNanos
      else { return nil }
      told = link
      return .networkPoor
    }
    weakSince = nil
    guard told != .good else { return nil }
    let since = goodSince ?? now
    goodSince = since
    guard now - since >= LinkEvents.settledNanos else { return nil }
    told = .good
    return .networkRecovered
  }

  /// There is no connection, which says nothing of the link.
  mutating func pause() {
    goodSince = nil
    weakSince = nil
  }

  static func sentence(_ plan: LinkPlan, of targetKbps: Int) -> String {
    plan.link == .poor
      ? "The link does not carry pictures: viewers get slate.network_image and sound until it does. "
      : "The link is weak: the picture gets \(plan.videoKbps) of \(targetKbps) kbit/s. "
  }
}

/// Which events the reports of a destination are, in the order in which they happened.
struct DestinationEvents {
  struct Happening: Equatable {
    var code: Event.Code
    /// The report's, where the event is what the report says.
    var cause: String?

    /// What there is to say of it; `nil` where the report says it.
    func sentence(of host: String) -> String? {
      switch code {
      case .publishing: "\(host) takes the stream."
      case .reconnectStarted: "Connecting to \(host) again, for as long as it takes."
      case .reconnectSucceeded: "\(host) takes the stream again."
      case .networkRecovered: "What is sent arrives at \(host) in time again."
      default: nil
      }
    }
  }

  /// Whether `LinkEvents` tells of a slow link.
  let isLinkFollowed: Bool
  private var wasPublished = false
  private var isOnAir = false
  private var isPoor = false
  private var isReconnecting = false

  init(isLinkFollowed: Bool = true) { self.isLinkFollowed = isLinkFollowed }

  mutating func take(_ report: DestinationReport) -> [Happening] {
    codes(report).map { code in
      let isReports: Bool =
        switch code {
        case .publishing, .reconnectStarted, .reconnectSucceeded, .networkRecovered: false
        default: true
        }
      return Happening(code: code, cause: isReports ? report.cause?.code : nil)
    }
  }

  private mutating func codes(_ report: DestinationReport) -> [Event.Code] {
    switch report.state {
    case .stopped: return []
    case .connecting:
      isOnAir = false
      // At a person's word, without a failure.
      return [.connecting] + beginReconnecting()
    case .connected: return [.connected]
    case .publishing, .delivering: return onAir(report)
    case .waiting:
      guard let cause = report.cause else { return [] }
      let code = DestinationEvents.code(of: cause, isOnAir: isOnAir)
      isOnAir = false
      isPoor = false
      return [code] + beginReconnecting()
    }
  }

  private mutating func beginReconnecting() -> [Event.Code] {
    guard wasPublished, !isReconnecting else { return [] }
    isReconnecting = true
    return [.reconnectStarted]
  }

  private mutating func onAir(_ report: DestinationReport) -> [Event.Code] {
    var codes: [Event.Code] = []
    if !isOnAir {
      codes.append(.publishing)
      if isReconnecting { codes.append(.reconnectSucceeded) }
      isOnAir = true
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

  /// - Parameter isOnAir: the server took the stream until then. Else a key that is in use may be in use by
  ///   this box's own connection of before.
  static func code(of cause: DestinationCause, isOnAir: Bool) -> Event.Code {
    switch cause {
    case .refused(.streamInUse) where isOnAir: .replaced
    case .refused: .refused
    case .timedOut(.send): .sendTimedOut
    case .endedByServer, .closedByServer(.send), .closedByServer(.goodbye): .endedByServer
    default: isOnAir ? .endedByServer : .connectFailed
    }
  }
}
