// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// Waits for a socket in poll(2), and can be woken meanwhile.
final class Wakeup: Sendable {
  private let waker = Waker()

  func give() { waker.wake() }

  /// What poll(2) said of a socket.
  struct Events: OptionSet {
    let rawValue: Int16
    static let readable = Events(rawValue: Int16(POLLIN))
    static let writable = Events(rawValue: Int16(POLLOUT))
    /// The other side sends no more: POLLRDHUP, which glibc declares only under _GNU_SOURCE.
    static let ended = Events(rawValue: 0x2000)
    static let broken = Events(rawValue: Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL))
  }

  /// Waits until a wake-up, an event of the socket, or `deadline`; each may be the reason, so the
  /// caller looks.
  /// - Parameter socket: -1 for none.
  /// - Returns: what happened at the socket.
  func wait(
    until deadline: MediaTime, socket: Int32 = -1, for wanted: Events = []
  ) -> Events {
    let nanos = max(0, deadline - MediaTime.now())
    let milliseconds = Int32(min(60_000, (nanos + 999_999) / 1_000_000))
    return wait(milliseconds: milliseconds, socket: socket, for: wanted)
  }

  /// - Parameter milliseconds: 0 only looks.
  func wait(milliseconds: Int32, socket: Int32, for wanted: Events) -> Events {
    var waiting = (
      pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: wanted.rawValue, revents: 0)
    )
    let ready = unsafe withUnsafeMutablePointer(to: &waiting) { pair in
      unsafe pair.withMemoryRebound(to: pollfd.self, capacity: 2) { descriptors in
        unsafe poll(descriptors, 2, milliseconds)
      }
    }
    guard ready > 0 else { return [] }
    if waiting.0.revents != 0 { waker.clear() }
    return Events(rawValue: waiting.1.revents)
  }
}
