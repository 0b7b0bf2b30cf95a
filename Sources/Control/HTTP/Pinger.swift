// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Tells whether an event loop still runs: a call of `isAlive` gives it a task, and later calls see whether the task
/// was done.
final class Pinger: Sendable {
  /// Nanoseconds after which a task that was not done means that the event loop hangs. Requests are answered at a low
  /// priority, so a busy machine may let them wait.
  static let timeoutNanos = Int64.seconds(30)

  /// The event loop that is watched, and its open task.
  private struct State {
    /// Gives the event loop a task, and returns once the task is done; `nil` while no event loop is watched.
    var ask: (@Sendable () async -> Void)?
    /// When the task that is not done yet was submitted; `nil` while there is none.
    var askedAt: MediaTime?
  }

  /// The event loop that is watched, and its open task.
  private let state = Mutex(State())

  /// Begins to watch an event loop.
  /// - Parameter ask: gives the event loop a task, and returns once the task is done.
  func beginWatching(asking ask: @escaping @Sendable () async -> Void) {
    state.withLock { $0 = State(ask: ask) }
  }

  /// Ends the watch, because the event loop is about to end.
  func endWatching() { state.withLock { $0 = State() } }

  /// Whether the last task was done, or was submitted less than `timeoutNanos` ago. Submits the next task if no task is
  /// open.
  func isAlive(_ now: MediaTime) -> Bool {
    let (ask, isAlive) = state.withLock { state -> ((@Sendable () async -> Void)?, Bool) in
      if let askedAt = state.askedAt { return (nil, now - askedAt < Pinger.timeoutNanos) }
      guard let ask = state.ask else { return (nil, true) }
      state.askedAt = now
      return (ask, true)
    }
    if let ask {
      // High priority: the check must not wait for other tasks, whose delay says nothing about the event loop.
      Task(priority: .high) { [self] in
        await ask()
        state.withLock { $0.askedAt = nil }
      }
    }
    return isAlive
  }
}
