// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// Wakes a thread that blocks in poll(2). It is an eventfd(2) that the thread polls together with the descriptor that
/// it waits for.
public final class Waker: Sendable {
  /// The eventfd: readable from `wake` until `clear`.
  public let descriptor: Int32

  public init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(descriptor >= 0, "cannot make an eventfd: out of descriptors")
  }

  deinit { close(descriptor) }

  /// Makes `descriptor` readable: if the thread waits, its wait returns; if not, its next wait returns at once.
  public func wake() { _ = eventfd_write(descriptor, 1) }

  /// Makes `descriptor` unreadable again, until the next `wake`.
  public func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }

  /// Waits until `descriptor` is ready, `wake` is called on this waker or on `other`, or `deadline` passes.
  /// - Parameters:
  ///   - descriptor: the file descriptor to poll; -1 to wait for the wakers only.
  ///   - wanted: the events of `descriptor` to wait for.
  ///   - other: another waker that ends the wait.
  /// - Returns: the events of `descriptor`, and whether `wake` was called on this waker (not on `other`) since its last
  ///   `clear`.
  public func wait(
    for descriptor: Int32, events wanted: PollEvents = .readable, or other: Waker? = nil,
    until deadline: MediaTime, on clock: MediaClock = .system
  ) -> (events: PollEvents, woken: Bool) {
    while true {
      let timeout = clock.pollTimeout(until: deadline)
      var waiting = (
        pollfd(fd: descriptor, events: wanted.rawValue, revents: 0),
        pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: other?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
      )
      let ready = unsafe withUnsafeMutableBytes(of: &waiting) { raw in
        unsafe poll(raw.bindMemory(to: pollfd.self).baseAddress, 3, timeout)
      }
      if ready < 0, errno == EINTR { continue }
      if ready == 0, clock.now < deadline { continue }
      return (PollEvents(rawValue: waiting.0.revents), waiting.1.revents != 0)
    }
  }

  /// Waits until one of `descriptors` is readable, `wake` is called, or `deadline` passes. Allocates memory, so it is
  /// not for threads that process media.
  /// - Returns: whether `wake` was called since the last `clear`.
  public func wait(
    forAnyOf descriptors: [Int32], until deadline: MediaTime, on clock: MediaClock = .system
  ) -> Bool {
    var waiting = (descriptors + [descriptor]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      let timeout = clock.pollTimeout(until: deadline)
      let ready = unsafe poll(&waiting, nfds_t(waiting.count), timeout)
      if ready < 0, errno == EINTR { continue }
      if ready == 0, clock.now < deadline { continue }
      return waiting.last?.revents != 0
    }
  }

  /// Returns for each of `descriptors` whether it can be read without blocking. Allocates memory, so it is not for
  /// threads that process media.
  public static func areReadable(_ descriptors: [Int32]) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&polled, nfds_t(polled.count), 0) > 0 else {
      return descriptors.map { _ in false }
    }
    return polled.map { $0.revents != 0 }
  }
}

/// A set of poll(2) events.
public struct PollEvents: OptionSet, Sendable {
  /// The bits of `events` and `revents` in poll(2).
  public let rawValue: Int16

  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// The descriptor can be read without blocking: POLLIN.
  public static let readable = PollEvents(rawValue: Int16(POLLIN))
  /// The descriptor can be written without blocking: POLLOUT.
  public static let writable = PollEvents(rawValue: Int16(POLLOUT))
  /// The peer has closed its sending side: POLLRDHUP, which glibc declares only under _GNU_SOURCE.
  public static let peerClosed = PollEvents(rawValue: 0x2000)
  /// Any of POLLERR, POLLHUP and POLLNVAL: test with `isDisjoint(with:)`.
  public static let failed = PollEvents(rawValue: Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL))
}
