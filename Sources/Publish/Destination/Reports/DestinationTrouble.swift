// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The present problem of a destination. Unlike the destination's reports it is never filtered: it always matches the
/// state in `DestinationCounters`.
public struct DestinationTrouble: Sendable, Equatable {
  /// The server of the last attempt or of the present connection.
  public var target: PublishTarget
  public var cause: DestinationCause
  /// The server's own words about the cause, or GnuTLS's, as in `DestinationReport.said`.
  public var said: String
  /// Whether this server has taken this stream, with this key, since the destination was started.
  public var hasWorked: Bool
  /// When the present series of failures began: with the first failure or, if that is known, when the server stopped
  /// taking data before it.
  public var since: MediaTime
  /// When the next attempt starts; `nil` during an attempt and while the connection stands.
  public var retryAt: MediaTime?
}

extension Destination {
  /// The present problem; `nil` if there is none.
  public var trouble: DestinationTrouble? { progress.withLock { $0.trouble } }
}

extension Destination.Progress {
  /// Whether the present server has taken the present stream before.
  var hasWorked: Bool { worked.contains { $0.isSameStream(as: target) } }

  /// Notes that a server has taken a stream.
  mutating func noteWorks(_ one: RTMPTarget) {
    if !worked.contains(where: one.isSameStream) { worked.append(one) }
  }

  /// Clears the obstacle, because the server takes the stream.
  mutating func forgetObstacle() {
    if trouble?.cause == counters.obstacle { trouble = nil }
    counters.obstacle = nil
    counters.needsPerson = false
  }

  /// Updates `trouble` when the state changes.
  /// - Parameters:
  ///   - cause: `nil` when nothing new is wrong; then an attempt has begun, or the stream is taken.
  ///   - stoppedAt: when the server stopped taking data, if `cause` says that it has; otherwise `nil`.
  mutating func noteTrouble(
    _ state: DestinationState, _ cause: DestinationCause?, said: String, retryAt: MediaTime?,
    stoppedAt: MediaTime? = nil, now: MediaTime
  ) {
    if let cause {
      // A link that is too slow is another problem than a server that takes nothing, which begins later.
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
