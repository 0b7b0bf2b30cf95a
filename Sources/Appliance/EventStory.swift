// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Publish

/// Which events the reports of a source are.
struct SourceStory {
  private var isTroubled = false

  mutating func take(_ report: SourceReport) -> Event.Code? {
    switch report.state {
    case .running:
      defer { isTroubled = false }
      return isTroubled ? .deviceBack : nil
    case .trouble:
      isTroubled = true
      switch report.code {
      case "busy": return .deviceBusy
      case "forbidden": return .deviceForbidden
      default: return .deviceLost
      }
    case .ended: return report.code == "ended" ? nil : .deviceLost
    }
  }
}

/// Which events the reports of a destination are: the first is what the report says, the others follow from it.
struct DestinationStory {
  private var wasPublished = false
  private var isOnAir = false
  private var isPoor = false
  private var isReconnecting = false

  mutating func take(_ report: DestinationReport) -> [Event.Code] {
    switch report.state {
    case .stopped: return []
    case .connecting:
      isOnAir = false
      // At a person's word, without a failure.
      guard wasPublished, !isReconnecting else { return [.connecting] }
      isReconnecting = true
      return [.connecting, .reconnectStarted]
    case .connected: return [.connected]
    case .publishing, .delivering: return onAir(report)
    case .waiting:
      isOnAir = false
      isPoor = false
      guard let cause = report.cause else { return [] }
      let code = DestinationStory.code(of: cause)
      guard wasPublished, !isReconnecting else { return [code] }
      isReconnecting = true
      return [code, .reconnectStarted]
    }
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
    if let cause = report.cause {
      isPoor = true
      codes.insert(cause == .nothingToSend ? .encoderFailed : .networkPoor, at: 0)
    } else if report.state == .delivering {
      codes.insert(.delivered, at: 0)
      if isPoor { codes.append(.networkRecovered) }
      isPoor = false
    }
    return codes
  }

  static func code(of cause: DestinationCause) -> Event.Code {
    switch cause {
    case .refused(.streamInUse): .replaced
    case .refused: .refused
    case .timedOut(.send): .sendTimedOut
    case .endedByServer, .closedByServer(.send), .closedByServer(.goodbye): .endedByServer
    default: .connectFailed
    }
  }
}
