// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is known of the parts of the way to a server while the link is weak.
public struct LinkEvidence: Equatable, Sendable {
  /// There is a way out of this box at all: a default route, over an interface that is up and has a carrier.
  public var hasRoute: Bool
  /// Of the radio, if that way is one: dBm, about -30 to -90.
  public var signalDBm: Int?
  /// The share of the time with something to send in which the server's machine took nothing: its window was full.
  public var receiverLimitedShare: Double

  public init(hasRoute: Bool, signalDBm: Int?, receiverLimitedShare: Double) {
    self.hasRoute = hasRoute
    self.signalDBm = signalDBm
    self.receiverLimitedShare = receiverLimitedShare
  }
}

/// Where a weak link is weak, as far as this box can tell.
public enum LinkWeakness: String, Sendable, CaseIterable {
  /// This box's own cable or Wi-Fi.
  case box
  /// The line out of the house, or the way from there.
  case way
  /// The server does not read as fast as it is sent to.
  case platform

  /// Below this a radio loses packets and slows down.
  static let weakSignalDBm = -75

  // In the first row that fits.
  public init(_ evidence: LinkEvidence) {
    self =
      if !evidence.hasRoute {
        .box
      } else if evidence.receiverLimitedShare > 0.3 {
        .platform
      } else if let signal = evidence.signalDBm, signal < LinkWeakness.weakSignalDBm {
        .box
      } else {
        .way
      }
  }

  /// The part and the remedy.
  /// - Parameter host: the server's.
  public func sentence(_ evidence: LinkEvidence, host: String) -> String {
    switch self {
    case .box:
      if let signal = evidence.signalDBm, evidence.hasRoute {
        "This box's Wi-Fi is weak (\(signal) dBm): move the box or the access point, or use a cable."
      } else {
        "This box has no network: check the cable or the Wi-Fi."
      }
    case .way:
      "This box's own connection is well; the line out of the house or the way to \(host) carries too little: see "
        + "what else uses the line."
    case .platform:
      "\(host) takes the stream too slowly, while the way there is well: see the service's own page."
    }
  }
}
