// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// One thread tells another that something is there. Neither side allocates.
///
/// It counts: a signal given before the wait is not lost, and the waiter looks again at what it waits
/// for, since several signals may stand for one thing that is already taken.
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

  public func give() { unsafe sem_post(semaphore) }

  /// Waits for a signal.
  /// - Returns: `false` when `deadline` passed first.
  public func wait(until deadline: MediaTime) -> Bool {
    var time = deadline.timespecValue
    while unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
