// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What is wrong with a destination at present. Unlike its reports this is never filtered: it always matches
/// the state that the counters show.
public struct DestinationTrouble: Sendable, Equatable {
  /// The server that the last attempt or the present connection is to.
  public var target: PublishTarget
  public var cause: DestinationCause
  /// The server's own words, as `DestinationReport.said` has them.
  public var said: String
  /// Whether this server has accepted a connection since the destination was started.
  public var hasWorked: Bool
  /// When the first of the failures in a row happened.
  public var since: MediaTime
  /// When the next attempt starts; `nil` while one is running, and while the connection stands.
  public var retryAt: MediaTime?
}

extension Destination {
  /// What is wrong at present; `nil` when nothing is.
  public var trouble: DestinationTrouble? { progress.withLock { $0.trouble } }
}

extension Destination.Progress {
  /// Whether the present server has accepted a connection before.
  var hasWorked: Bool { worked.contains { $0.isSameServer(as: target) } }

  /// The present server has accepted the connection.
  mutating func noteWorks() {
    if !hasWorked { worked.append(target) }
  }

  /// The server takes the stream.
  mutating func forgetObstacle() {
    if trouble?.cause == counters.obstacle { trouble = nil }
    counters.obstacle = nil
    counters.needsPerson = false
  }

  /// Updates `trouble` for a new state.
  /// - Parameter cause: `nil` when nothing new is wrong; then an attempt has begun, or the stream is taken.
  mutating func noteTrouble(
    _ state: DestinationState, _ cause: DestinationCause?, said: String, retryAt: MediaTime?,
    now: MediaTime
  ) {
    if let cause {
      trouble = DestinationTrouble(
        target: .rtmp(target), cause: cause, said: said, hasWorked: hasWorked,
        since: trouble?.since ?? now,
        retryAt: retryAt)
    } else if state.isOnAir && counters.obstacle != .closedAfterStart || state == .stopped {
      trouble = nil
    } else {
      trouble?.retryAt = nil
    }
  }
}
