// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// A counting semaphore (sem_overview(7)) by which one thread wakes another. Neither `signal` nor `wait` allocates
/// memory.
///
/// A signal that is sent before `wait` is not lost: that `wait` returns at once. Check your condition again after each
/// `wait`: several signals may have been sent for one change.
@safe public final class Signal: @unchecked Sendable {
  /// A semaphore whose memory never moves, as sem_wait(3) needs it.
  private let semaphore: UnsafeMutablePointer<sem_t>

  public init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  /// Lets one call of `wait` return: one that is waiting, or else the next one.
  public func signal() { unsafe sem_post(semaphore) }

  /// Waits for a signal, until `deadline` at the latest.
  /// - Returns: `false` if `deadline` passed without a signal.
  public func wait(until deadline: MediaTime, on clock: MediaClock = .system) -> Bool {
    while true {
      var time = clock.wakeTime(for: deadline).timespecValue
      if unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) == 0 { return true }
      if errno != EINTR, clock.now >= deadline { return false }
    }
  }
}
