// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Media
internal import Synchronization

/// The place of a source in a studio that is open: the source, of which kind it is, and since when it is open. The thread
/// that owns the studio replaces it.
final class SourceSlot<Kind: Sendable>: Sendable {
  private struct State {
    /// `nil` if the kind is none.
    var source: (any Source)?
    var kind: Kind
    var openedAt: MediaTime
  }

  private let state: Mutex<State>

  init(_ source: (any Source)?, kind: Kind, now: MediaTime) {
    state = Mutex(State(source: source, kind: kind, openedAt: now))
  }

  /// The source that is open.
  var source: (any Source)? { state.withLock { $0.source } }
  var kind: Kind { state.withLock { $0.kind } }

  func start() { source?.start() }

  /// Opens another source. The present one has to be closed by then.
  func open(_ source: (any Source)?, kind: Kind, now: MediaTime) {
    state.withLock { $0 = State(source: source, kind: kind, openedAt: now) }
    source?.start()
  }

  /// Asks the source's thread to end; does not wait for it.
  func requestStop() { source?.requestStop() }

  /// Closes the source.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if it had not ended by `deadline`. It is left behind.
  func stop(by deadline: MediaTime) -> Bool { source?.stop(by: deadline) ?? true }

  /// - Parameter pulse: beats with what the source delivers.
  func health(_ now: MediaTime, _ pulse: borrowing Pulse) -> Pulse.Health {
    pulse.health(now, startedAt: state.withLock { $0.openedAt })
  }
}
