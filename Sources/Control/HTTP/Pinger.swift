// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Tells whether threads that do whatever comes still do it: each look gives them something to do.
final class Pinger: Sendable {
  /// Requests are answered at the lowest priority, so that a busy machine may let them wait.
  static let timeout = Int64.seconds(30)

  private struct State {
    var ask: (@Sendable () async -> Void)?
    /// When the question without an answer was asked.
    var askedAt: MediaTime?
  }

  private let state = Mutex(State())

  /// - Parameter ask: returns once the threads have answered.
  func begin(asking ask: @escaping @Sendable () async -> Void) {
    state.withLock { $0 = State(ask: ask) }
  }

  /// The threads end.
  func end() { state.withLock { $0 = State() } }

  /// Whether the last question was answered, or is not old. Asks again once it was.
  func isAlive(_ now: MediaTime) -> Bool {
    let (ask, isAlive) = state.withLock { state -> ((@Sendable () async -> Void)?, Bool) in
      if let askedAt = state.askedAt { return (nil, now - askedAt < Pinger.timeout) }
      guard let ask = state.ask else { return (nil, true) }
      state.askedAt = now
      return (ask, true)
    }
    if let ask {
      // Ahead of other work, which is not what it asks about.
      Task(priority: .high) { [self] in
        await ask()
        state.withLock { $0.askedAt = nil }
      }
    }
    return isAlive
  }
}
