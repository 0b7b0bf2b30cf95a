// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// When the next attempt begins. Pure: causes, times and chance are handed in.
///
/// A network that fails may be back any moment, so it is tried at once, and then at an even pace. A server that says
/// no will hardly say anything else two seconds later: the pauses grow, and differ by chance, so
/// that two publishers with one key do not throw each other out for ever.
struct RetrySchedule {
  private let deadlines: RTMPDeadlines
  /// Refusals since it was last good.
  private var refusals = 0
  /// Whether the server may not have noticed the end of the last connection.
  private var mayBeHeld: Bool
  /// When the server first named that connection as its reason.
  private var heldSince: MediaTime?

  init(_ deadlines: RTMPDeadlines, mayBeHeld: Bool = false) {
    self.deadlines = deadlines
    self.mayBeHeld = mayBeHeld
  }

  /// The pause after a failure.
  /// - Parameters:
  ///   - published: nanoseconds for which the server took the stream; `nil` if it never did.
  ///   - now: when it failed.
  ///   - chance: -1 to 1.
  mutating func next(
    after cause: DestinationCause, published: Int64?, now: MediaTime, chance: Double
  ) -> DestinationRetry {
    let spreadPause = Double(deadlines.retryPause) * (1 + RTMPDeadlines.evenSpread * chance)
    let wasUsed = published.map { $0 >= min(deadlines.retryPause, .seconds(2)) } ?? false
    let wasGood = published.map { $0 >= deadlines.goodPublish } ?? false
    let isCut = wasUsed && !cause.isRefusal || wasGood && cause == .closedByServer(.send)
    let even = DestinationRetry(pauseNanos: isCut ? 0 : Int64(spreadPause), isGrowing: false)
    if wasGood { refusals = 0 }
    if published != nil {
      // A connection that breaks off may be the server's will, or that of anything on the way.
      mayBeHeld = wasGood || !cause.isRefusal || cause == .closedByServer(.send)
      heldSince = nil
    }
    if wasGood || !cause.isRefusal { return even }
    if cause == .refused(.streamInUse), mayBeHeld {
      let since = heldSince ?? now
      heldSince = since
      if now - since < deadlines.heldPublish { return even }
    }
    let longest = Double(deadlines.longestRetryPause)
    let grown = min(longest, Double(deadlines.retryPause << min(refusals, 16)))
    let spread = grown * (1 + RTMPDeadlines.retrySpread * chance)
    refusals += 1
    // At the longest, chance can only shorten.
    return DestinationRetry(
      pauseNanos: Int64(min(spread, 2 * longest - spread)), isGrowing: true)
  }
}

/// When a destination tries again.
public struct DestinationRetry: Sendable, Equatable {
  /// Nanoseconds from the failure to the next attempt's start.
  public var pauseNanos: Int64
  /// Whether the pause is longer each time that the same happens again.
  public var isGrowing: Bool
}

extension DestinationCause {
  /// Whether it stays as it is until a person does something.
  public var needsPerson: Bool {
    switch self {
    // The server gives up its earlier connection by itself.
    case .refused(.streamInUse), .endedByServer, .serverMisbehaved, .closedByServer(.send): false
    case .nameNotFound, .connectionForbidden, .handshakeFailed, .tlsExpected, .notTLS,
      .rootsMissing:
      true
    default: isRefusal
    }
  }

  /// Whether the server itself has said so: by another way it would say the same.
  var isServersWord: Bool {
    switch self {
    case .refused, .endedByServer, .serverMisbehaved: true
    default: false
    }
  }

  /// Whether it is the server's own will, as far as can be told, rather than the network's state.
  var isRefusal: Bool {
    switch self {
    case .refused, .endedByServer, .serverMisbehaved: true
    // A certificate that is not valid yet mostly is this machine's clock, which may be set any moment.
    case .certificateExpired, .certificateForeign, .certificateUntrusted, .certificateRevoked,
      .certificateUnfit:
      true
    // Some servers know no better way to say no.
    case .closedByServer(.connectReply), .closedByServer(.publishReply), .closedByServer(.send):
      true
    // Earlier it is rather a proxy whose server is not up yet.
    case .closedByServer: false
    case .nameNotFound, .nameServerUnreachable, .noRoute, .connectionRefused,
      .connectionForbidden, .timedOut, .handshakeFailed, .certificateNotYetValid, .tlsFailed,
      .notTLS, .tlsExpected, .rootsMissing, .unconfirmed, .nothingToSend, .linkTooSlow,
      .systemError:
      false
    }
  }
}
