// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when a destination makes its next attempt to publish. Reads no clock and draws no random numbers: both are
/// passed in.
///
/// A broken network may come back at any moment, so the next attempt starts at once, and further ones follow at regular
/// intervals. A server that refuses the stream will still refuse it two seconds later, so the pauses after refusals
/// grow. The pauses are randomised so that two publishers with the same key do not replace each other for ever.
struct RetrySchedule {
  /// The time limits of publishing, from which the pauses are computed.
  var deadlines: RTMPDeadlines
  /// The number of refusals since the server last accepted the stream for `RTMPDeadlines.goodPublish`.
  private var refusals = 0
  /// Whether the server may still hold the stream for this box's previous connection, because it has not noticed that
  /// connection's end. If so, it refuses a new connection.
  private var mayBeHeld: Bool
  /// Since when refusals may mean that the server holds the stream for this box's previous connection: since the server
  /// first refused the stream as in use, or first closed the connection within `RTMPDeadlines.shortPublish` of
  /// accepting the stream. `nil` if neither has happened since the server last accepted the stream for longer than
  /// `shortPublish`.
  private var heldSince: MediaTime?
  /// How many times in a row the server closed the connection within `RTMPDeadlines.shortPublish` of accepting the
  /// stream.
  private var shortPublishes = 0

  init(_ deadlines: RTMPDeadlines, mayBeHeld: Bool = false) {
    self.deadlines = deadlines
    self.mayBeHeld = mayBeHeld
  }

  /// Judges a failed attempt or a lost connection, and decides when the next attempt starts.
  /// - Parameters:
  ///   - published: nanoseconds for which the server accepted the stream; `nil` if it did not.
  ///   - now: when the attempt failed or the connection was lost.
  ///   - chance: a random number from -1 to 1, which spreads the pauses.
  mutating func next(
    after cause: DestinationCause, published: Int64?, now: MediaTime, chance: Double
  ) -> FailureVerdict {
    let isShort =
      cause == .closedByServer(.send) && published.map { $0 < deadlines.shortPublish } ?? false
    if isShort {
      shortPublishes += 1
    } else if published != nil || cause.isRefusal {
      shortPublishes = 0
    }
    let cause = shortPublishes >= 2 && isShort ? DestinationCause.closedAfterStart : cause
    let isHeld = isShort || cause == .refused(.streamInUse)
    if published != nil, !isShort { heldSince = nil }
    if isHeld, heldSince == nil { heldSince = now }
    let heldNanos = heldSince.map { now - $0 } ?? 0
    let needsPerson =
      switch cause {
      case .refused(.streamInUse): heldNanos >= deadlines.heldPublish
      case .closedAfterStart: !mayBeHeld || heldNanos >= deadlines.heldPublish
      default: cause.needsPerson
      }
    let retry = retry(
      after: cause, published: published, isShort: isShort, heldNanos: isHeld ? heldNanos : nil,
      chance: chance)
    return FailureVerdict(cause: cause, retry: retry, needsPerson: needsPerson)
  }

  /// Decides when the next attempt starts after a failure.
  /// - Parameter heldNanos: nanoseconds since the first refusal that may be due to this box's previous connection;
  ///   `nil` if the present failure cannot be due to that connection.
  private mutating func retry(
    after cause: DestinationCause, published: Int64?, isShort: Bool, heldNanos: Int64?,
    chance: Double
  ) -> DestinationRetry {
    let spreadPause = Double(deadlines.retryPause) * (1 + RTMPDeadlines.evenSpread * chance)
    let wasUsed = published.map { $0 >= min(deadlines.retryPause, .seconds(2)) } ?? false
    let wasGood = published.map { $0 >= deadlines.goodPublish } ?? false
    let isCut = wasUsed && !cause.isRefusal || wasGood && cause == .closedByServer(.send)
    let even = DestinationRetry(pauseNanos: isCut ? 0 : Int64(spreadPause), isGrowing: false)
    if wasGood { refusals = 0 }
    if published != nil, !isShort {
      // A device on the path may have cut the connection unnoticed by the server, which then still holds the stream.
      mayBeHeld = wasGood || !cause.isRefusal || cause == .closedByServer(.send)
    }
    if wasGood || !cause.isRefusal { return even }
    let isUndecided =
      (mayBeHeld || cause == .refused(.streamInUse))
      && heldNanos.map { $0 < deadlines.heldPublish } ?? false
    if mayBeHeld, isUndecided { return even }
    let longest = Double(deadlines.longestRetryPause)
    let grown = min(longest, Double(deadlines.retryPause << min(refusals, 16)))
    let spread = grown * (1 + RTMPDeadlines.retrySpread * chance)
    refusals += 1
    // A pause of the longest duration is only shortened by the random number, never lengthened.
    var pause = Int64(min(spread, 2 * longest - spread))
    // One attempt starts exactly when `heldPublish` ends: a refusal from then on means that another publisher uses the
    // key.
    if isUndecided, let heldNanos { pause = min(pause, deadlines.heldPublish - heldNanos) }
    return DestinationRetry(pauseNanos: pause, isGrowing: true)
  }
}

/// The judgement of a failure: its cause, when the next attempt starts, and whether a person has to act.
struct FailureVerdict: Equatable {
  /// The cause of the failure, or the cause that several failures in a row show together (`closedAfterStart`).
  var cause: DestinationCause
  /// When the next attempt starts.
  var retry: DestinationRetry
  /// Whether the cause stays until a person does something about it. "Stream in use" counts only after
  /// `RTMPDeadlines.heldPublish`: until then the server may hold this box's previous connection, which it drops itself.
  var needsPerson: Bool
}

/// The time of a destination's next attempt, relative to the failure.
public struct DestinationRetry: Sendable, Equatable {
  /// Nanoseconds from the failure to the next attempt's start.
  public var pauseNanos: Int64
  /// Whether the pause grows with each further failure of this kind.
  public var isGrowing: Bool
}

extension DestinationCause {
  /// Whether the cause stays until a person does something about it. `false` for "stream in use", for which
  /// `FailureVerdict.needsPerson` depends on how long the cause has lasted.
  var needsPerson: Bool {
    switch self {
    case .refused(.streamInUse), .endedByServer, .serverMisbehaved, .closedByServer(.send): false
    case .nameNotFound, .connectionForbidden, .handshakeFailed, .tlsExpected, .notTLS,
      .rootsMissing:
      true
    default: isRefusal
    }
  }

  /// Whether the server itself has refused or ended the stream, so that a change of this machine's routes does not
  /// help.
  var isServerDecision: Bool {
    switch self {
    case .refused, .endedByServer, .closedAfterStart, .serverMisbehaved: true
    default: false
    }
  }

  /// Whether the cause was probably a decision of the server, rather than a failure of the network.
  var isRefusal: Bool {
    switch self {
    case .refused, .endedByServer, .closedAfterStart, .serverMisbehaved: true
    // `certificateNotYetValid` does not count as a refusal: mostly this machine's clock is wrong, and may be set soon.
    case .certificateExpired, .certificateForeign, .certificateUntrusted, .certificateRevoked,
      .certificateUnfit:
      true
    // Some servers refuse a stream by closing the connection.
    case .closedByServer(.connectReply), .closedByServer(.publishReply), .closedByServer(.send):
      true
    // In an earlier step, a proxy whose server is not running yet has more likely closed the connection.
    case .closedByServer: false
    case .nameNotFound, .nameServerUnreachable, .noRoute, .connectionRefused,
      .connectionForbidden, .timedOut, .handshakeFailed, .certificateNotYetValid, .tlsFailed,
      .notTLS, .tlsExpected, .rootsMissing, .unconfirmed, .nothingToSend, .linkTooSlow,
      .noCameraPicture, .systemError:
      false
    }
  }
}
