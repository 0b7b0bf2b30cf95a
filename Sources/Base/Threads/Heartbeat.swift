// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Detects a thread that hangs. The thread tells each time it goes around its loop, and until when it may rest.
public struct Heartbeat: ~Copyable, Sendable {
  /// When the next beat is due; 0 before the first one.
  private let due = Atomic<Int64>(0)

  public init() {}

  public func beat(_ now: MediaTime) { due.store(now.nanos, ordering: .relaxed) }

  /// The thread waits, and beats again by `deadline`.
  public func rest(until deadline: MediaTime) { due.store(deadline.nanos, ordering: .relaxed) }

  /// Whether the thread beats, or rests; `true` before its first beat.
  /// - Parameter timeout: how late a beat may be.
  public func isAlive(_ now: MediaTime, timeout: Int64 = .seconds(10)) -> Bool {
    let due = due.load(ordering: .relaxed)
    return due == 0 || now.nanos - timeout < due
  }
}
