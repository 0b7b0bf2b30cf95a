// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Decides when the next attempt starts. Pure: time and randomness are passed in.
///
/// A broken network may come back at any moment, so it is retried at once and then at regular intervals. A server
/// that refuses the stream will still refuse it two seconds later, so these pauses grow. They are randomised so
/// that two publishers with the same key do not replace each other for ever.
struct RetrySchedule {
  private let deadlines: RTMPDeadlines
  /// Refusals since the last publish that lasted `goodPublish`.
  private var refusals = 0
  /// Whether the server may still hold the stream for this box's previous connection.
  private var mayBeHeld: Bool
  /// When the server first refused the stream as in use for that reason.
  private var heldSince: MediaTime?

  init(_ deadlines: RTMPDeadlines, mayBeHeld: Bool = false) {
    self.deadlines = deadlines
    self.mayBeHeld = mayBeHeld
  }

  /// The pause after a failure.
  /// - Parameters:
  ///   - published: nanoseconds for which the server took the stream; `nil` if it did not.
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
      // A connection that was cut may have been cut by something between, without the server noticing.
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
    // At the maximum, randomness only shortens the pause.
    return DestinationRetry(
      pauseNanos: Int64(min(spread, 2 * longest - spread)), isGrowing: true)
  }
}

/// When a destination makes its next attempt.
public struct DestinationRetry: Sendable, Equatable {
  /// Nanoseconds from the failure to the next attempt's start.
  public var pauseNanos: Int64
  /// Whether the pause grows with each further failure of this kind.
  public var isGrowing: Bool
}

extension DestinationCause {
  /// Whether the cause stays until a person does something about it.
  public var needsPerson: Bool {
    switch self {
    // The server drops this box's earlier connection by itself after a while.
    case .refused(.streamInUse), .endedByServer, .serverMisbehaved, .closedByServer(.send): false
    case .nameNotFound, .connectionForbidden, .handshakeFailed, .tlsExpected, .notTLS,
      .rootsMissing:
      true
    default: isRefusal
    }
  }

  /// Whether the server itself said so. Another route to it would not help.
  var isServerDecision: Bool {
    switch self {
    case .refused, .endedByServer, .serverMisbehaved: true
    default: false
    }
  }

  /// Whether the server probably decided this, rather than the network having failed.
  var isRefusal: Bool {
    switch self {
    case .refused, .endedByServer, .serverMisbehaved: true
    // Not `certificateNotYetValid`: that mostly means that this machine's clock is wrong, which may be set soon.
    case .certificateExpired, .certificateForeign, .certificateUntrusted, .certificateRevoked,
      .certificateUnfit:
      true
    // Some servers refuse a stream by closing the connection.
    case .closedByServer(.connectReply), .closedByServer(.publishReply), .closedByServer(.send):
      true
    // At an earlier step it is more likely a proxy whose server is not running yet.
    case .closedByServer: false
    case .nameNotFound, .nameServerUnreachable, .noRoute, .connectionRefused,
      .connectionForbidden, .timedOut, .handshakeFailed, .certificateNotYetValid, .tlsFailed,
      .notTLS, .tlsExpected, .rootsMissing, .unconfirmed, .nothingToSend, .linkTooSlow,
      .systemError:
      false
    }
  }
}
