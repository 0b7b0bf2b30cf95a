// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Wakes a thread that waits in `poll` for a device: an eventfd, to be put beside the device's own
/// descriptor.
public final class Waker: Sendable {
  /// Readable once `wake` was called, until `clear`.
  public let descriptor: Int32

  public init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(descriptor >= 0, "cannot make an eventfd: out of descriptors")
  }

  deinit { close(descriptor) }

  public func wake() { _ = eventfd_write(descriptor, 1) }

  public func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }

  /// Waits until `other` has something to read, or the waker was called, or time is up.
  /// - Parameters:
  ///   - other: a descriptor; -1 to wait for the waker alone.
  ///   - second: another waker that ends the wait.
  /// - Returns: poll's events for `other` (0: none), and whether this waker was called.
  public func wait(
    for other: Int32, or second: Waker? = nil, until deadline: MediaTime
  ) -> (events: Int16, woken: Bool) {
    while true {
      let left = deadline - MediaTime.now()
      // Rounded up, so that the deadline has passed when poll says so.
      let timeout = Int32(clamping: max(0, (left + 999_999) / 1_000_000))
      var waiting = (
        pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: second?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
      )
      let ready = unsafe withUnsafeMutableBytes(of: &waiting) { raw in
        unsafe poll(raw.bindMemory(to: pollfd.self).baseAddress, 3, timeout)
      }
      if ready < 0, errno == EINTR { continue }
      return (waiting.0.revents, waiting.1.revents != 0)
    }
  }
}
