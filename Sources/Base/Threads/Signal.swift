// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A counting semaphore (sem_overview(7)). Neither side allocates.
///
/// A signal before the wait is not lost. Check your condition again after each wait: several signals may stand for
/// one change.
@safe public final class Signal: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  public init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  public func signal() { unsafe sem_post(semaphore) }

  /// Waits for a signal.
  /// - Returns: `false` when `deadline` passed first.
  public func wait(until deadline: MediaTime, on clock: MediaClock = .system) -> Bool {
    while true {
      var time = clock.wakeTime(for: deadline).timespecValue
      if unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) == 0 { return true }
      if errno != EINTR, clock.now >= deadline { return false }
    }
  }
}
