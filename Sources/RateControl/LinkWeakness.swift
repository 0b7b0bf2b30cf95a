// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Measurements of the path to a server while the link is weak.
public struct LinkEvidence: Equatable, Sendable {
  /// Whether there is a default route over an interface that is up and has a carrier.
  public var hasRoute: Bool
  /// The Wi-Fi signal strength in dBm, about -30 (strong) to -90 (weak); `nil` if the default route is not over Wi-Fi.
  public var signalDBm: Int?
  /// How long the server's TCP window was full (tcpi_rwnd_limited of tcp(7)), as a share, 0 to 1, of the time in which
  /// there was data to send.
  public var receiverLimitedShare: Double

  public init(hasRoute: Bool, signalDBm: Int?, receiverLimitedShare: Double) {
    self.hasRoute = hasRoute
    self.signalDBm = signalDBm
    self.receiverLimitedShare = receiverLimitedShare
  }
}

/// The weakest part of the path, as far as this box can tell.
public enum LinkWeakness: String, Sendable, CaseIterable {
  /// This box's own cable or Wi-Fi.
  case box
  /// The internet connection, or the path from there to the server.
  case path = "way"
  /// The server reads too slowly.
  case platform

  /// Below this signal strength Wi-Fi loses packets and lowers its bit rate.
  static let weakSignalDBm = -75

  public init(_ evidence: LinkEvidence) {
    self =
      if !evidence.hasRoute {
        .box
      } else if evidence.receiverLimitedShare > 0.3 {
        .platform
      } else if let signal = evidence.signalDBm, signal < LinkWeakness.weakSignalDBm {
        .box
      } else {
        .path
      }
  }

  /// A sentence for the user that says which part of the path is weak, and what to do.
  /// - Parameter host: name of the server.
  public func sentence(_ evidence: LinkEvidence, host: String) -> String {
    switch self {
    case .box:
      if let signal = evidence.signalDBm, evidence.hasRoute {
        "This box's Wi-Fi is weak (\(signal) dBm): move the box or the access point, or use a cable."
      } else {
        "This box has no network: check the cable or the Wi-Fi."
      }
    case .path:
      "This box's cable or Wi-Fi works, but the internet connection or the path to \(host) is too slow: check what "
        + "else uses the internet connection."
    case .platform:
      "\(host) reads the stream too slowly, although the path to it is fast enough: check the service's status page."
    }
  }
}
