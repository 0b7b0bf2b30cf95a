// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Media
internal import Synchronization

/// Holds one source of an open studio, the value of the setting from which the source was made, and the time when it
/// was opened. Only the thread that calls `Studio.adjust` replaces the source.
final class SourceSlot<Kind: Sendable>: Sendable {
  /// The source, its kind, and the time of its opening.
  private struct State {
    /// The open source; `nil` if `kind` is "none".
    var source: (any Source)?
    var kind: Kind
    var openedAt: MediaTime
  }

  /// The source with its kind. Changed only by the thread that calls `Studio.adjust`; read by any thread.
  private let state: Mutex<State>

  init(_ source: (any Source)?, kind: Kind, now: MediaTime) {
    state = Mutex(State(source: source, kind: kind, openedAt: now))
  }

  /// The open source; `nil` if there is none.
  var source: (any Source)? { state.withLock { $0.source } }
  /// The value of the setting from which the source was made.
  var kind: Kind { state.withLock { $0.kind } }

  /// Starts the present source, if there is one.
  func start() { source?.start() }

  /// Replaces the present source, which must be closed already, with another source, and starts that source.
  func open(_ source: (any Source)?, kind: Kind, now: MediaTime) {
    state.withLock { $0 = State(source: source, kind: kind, openedAt: now) }
    source?.start()
  }

  /// Notes that the source opens its device again at `now`. From then on `now` counts as the time when the source was
  /// opened.
  func beginAgain(_ now: MediaTime) { state.withLock { $0.openedAt = now } }

  /// Asks the thread of the source to end; does not wait for its end.
  func requestStop() { source?.requestStop() }

  /// Closes the source, and waits until its thread has ended.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. The thread is then abandoned.
  func stop(by deadline: MediaTime) -> Bool { source?.stop(by: deadline) ?? true }

  /// Whether the source is being opened, delivers frames or chunks, or is lost.
  /// - Parameter pulse: the pulse that beats with each frame or chunk of this source.
  func health(_ now: MediaTime, _ pulse: borrowing Pulse) -> Pulse.Health {
    pulse.health(now, startedAt: state.withLock { $0.openedAt })
  }
}
