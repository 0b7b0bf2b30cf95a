// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Detects a thread that hangs. The thread calls `beat` in each pass of its loop, and `rest` before it waits; other
/// threads ask `isAlive`.
public struct Heartbeat: ~Copyable, Sendable {
  /// The time of the last beat or, while the thread rests, the time until which it may rest, in nanoseconds of
  /// `MediaTime`; 0 before the first beat.
  private let due = Atomic<Int64>(0)

  public init() {}

  /// Notes that the thread has made a pass of its loop, or has begun.
  public func beat(_ now: MediaTime) { due.store(now.nanos, ordering: .relaxed) }

  /// Notes that the thread waits now, and beats again at `deadline` at the latest.
  public func rest(until deadline: MediaTime) { due.store(deadline.nanos, ordering: .relaxed) }

  /// Whether the thread has beaten within `timeout`, or rests and its deadline has not passed by more than `timeout`.
  /// `true` before the first beat.
  /// - Parameter timeout: in nanoseconds.
  public func isAlive(_ now: MediaTime, timeout: Int64 = .seconds(10)) -> Bool {
    let due = due.load(ordering: .relaxed)
    return due == 0 || now.nanos - timeout < due
  }
}
