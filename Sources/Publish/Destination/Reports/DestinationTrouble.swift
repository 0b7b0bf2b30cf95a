// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The present problem of a destination. Unlike the destination's reports it is never filtered: it always matches the
/// state in `DestinationCounters`.
public struct DestinationTrouble: Sendable, Equatable {
  /// The server of the last attempt or of the present connection.
  public var target: PublishTarget
  /// What is wrong with the destination.
  public var cause: DestinationCause
  /// The error text of the server or of GnuTLS, as in `DestinationReport.said`.
  public var said: String
  /// Whether the server `target` has accepted this stream, with this key, since the destination was started.
  public var hasWorked: Bool
  /// When the present series of failures began: when the server stopped reading data, if that is known; otherwise at
  /// the first failure.
  public var since: MediaTime
  /// When the next attempt starts; `nil` during an attempt and while the connection stands.
  public var retryAt: MediaTime?
}

extension DestinationTrouble {
  /// The trouble of a destination that has not been started, because of `cause`.
  public init(waitingFor target: PublishTarget, cause: DestinationCause, since: MediaTime) {
    self.init(target: target, cause: cause, said: "", hasWorked: false, since: since)
  }
}

extension Destination {
  /// The present problem; `nil` if there is none.
  public var trouble: DestinationTrouble? { progress.withLock { $0.trouble } }
}

extension Destination.Progress {
  /// Whether the present server has accepted the present stream before.
  var hasWorked: Bool { acceptedTargets.contains { $0.isSameStream(as: target) } }

  /// Adds a target to `acceptedTargets`, because its server has accepted the stream.
  mutating func noteAccepted(_ one: RTMPTarget) {
    if !acceptedTargets.contains(where: one.isSameStream) { acceptedTargets.append(one) }
  }

  /// Clears `counters.obstacle`, because the server accepts the stream.
  mutating func forgetObstacle() {
    if trouble?.cause == counters.obstacle { trouble = nil }
    counters.obstacle = nil
    counters.needsPerson = false
  }

  /// Updates `trouble` when the state changes.
  /// - Parameters:
  ///   - cause: `nil` when there is no new problem: an attempt has begun, or the server has accepted the stream.
  ///   - stoppedAt: when the server stopped reading data; `nil` if it has not, or if the time is not known.
  mutating func noteTrouble(
    _ state: DestinationState, _ cause: DestinationCause?, said: String, retryAt: MediaTime?,
    stoppedAt: MediaTime? = nil, now: MediaTime
  ) {
    if let cause {
      // A slow link and a failure are separate problems: a change from one to the other sets a new `since`.
      let isSame = (trouble?.cause == .linkTooSlow) == (cause == .linkTooSlow)
      trouble = DestinationTrouble(
        target: .rtmp(target), cause: cause, said: said, hasWorked: hasWorked,
        since: (isSame ? trouble?.since : nil) ?? stoppedAt ?? now, retryAt: retryAt)
    } else if state.isOnAir && counters.obstacle != .closedAfterStart || state == .stopped {
      trouble = nil
    } else {
      trouble?.retryAt = nil
    }
  }
}
