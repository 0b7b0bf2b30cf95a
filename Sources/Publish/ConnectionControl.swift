// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Synchronization

/// What other threads may do to a connection: cut it.
///
/// librtmp blocks while it writes, byte by byte if the server wants it so, and closes its descriptor itself when something fails. So this holds a descriptor of its
/// own for the same socket: shutdown(2) on it ends every blocking call, and can never hit another
/// file that got the same number.
final class ConnectionControl: Sendable {
  /// A descriptor of its own, closed when the last that uses it lets go of it.
  final class Handle: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  struct State {
    var handle: Handle?
    var step = RTMPStep.resolve
    var deadline = MediaTime.distantFuture
    var expired: RTMPStep?
  }

  private let state = Mutex(State())

  /// Takes control of a new connection.
  /// - Parameter socket: stays the caller's.
  /// - Returns: `false` if the kernel has no descriptor left.
  func adopt(_ socket: Int32) -> Bool {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return false }
    let handle = Handle(copy)
    state.withLock { state in state.handle = handle }
    return true
  }

  /// Forgets the connection.
  /// - Returns: what keeps it from being closed, for as long as somebody has it.
  @discardableResult func release() -> Handle? {
    // Closed outside the lock.
    state.withLock { state in
      defer { state = State() }
      return state.handle
    }
  }

  /// Whether this machine no longer has the address that the connection is from.
  var hasLostItsAddress: Bool {
    var isLost = false
    withDescriptor { descriptor in
      var address = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
          guard unsafe getsockname(descriptor, own, &length) == 0 else { return }
          // Whether another socket may have it, at any port: the port comes first in both families.
          unsafe UnsafeMutableRawPointer(own).storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
          let probe = socket(
            Int32(unsafe own.pointee.sa_family), Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue),
            0)
          guard probe >= 0 else { return }
          isLost = unsafe bind(probe, own, length) != 0 && errno == EADDRNOTAVAIL
          close(probe)
        }
      }
    }
    return isLost
  }

  /// Has the kernel try for as long as it likes to bring across what is under way.
  func endPatience() {
    withDescriptor { descriptor in
      var never: Int32 = 0
      _ = unsafe setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &never,
        socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Cuts the connection as if a step had taken too long.
  func expire(_ step: RTMPStep) {
    withDescriptor { state in
      guard state.expired == nil else { return false }
      state.expired = step
      return true
    } body: { descriptor in
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// From now on the connection is cut when `deadline` passes.
  func arm(_ step: RTMPStep, until deadline: MediaTime) {
    state.withLock { state in
      state.step = step
      state.deadline = deadline
    }
  }

  func disarm() { state.withLock { $0.deadline = .distantFuture } }

  /// The step in which the connection was cut because of its deadline.
  var expired: RTMPStep? { state.withLock { $0.expired } }

  /// Cuts the connection if the step that it is in has taken too long.
  func enforce(now: MediaTime) {
    withDescriptor { state in
      guard now >= state.deadline, state.expired == nil else { return false }
      state.expired = state.step
      return true
    } body: { descriptor in
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Ends every call that blocks on the connection, at once.
  func cut() { withDescriptor { _ = shutdown($0, Int32(SHUT_RDWR)) } }

  /// Tells the server that nothing more comes, while it may still send.
  func endSending() { withDescriptor { _ = shutdown($0, Int32(SHUT_WR)) } }

  /// Bounds how long one write may block.
  func limitSends(to nanos: Int64) {
    withDescriptor { descriptor in
      var time = timeval(
        tv_sec: Int(nanos / 1_000_000_000), tv_usec: Int(nanos % 1_000_000_000 / 1_000))
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Makes the close a reset: what is unsent is thrown away, and the server sees an error rather
  /// than an end. See SO_LINGER in socket(7).
  func resetOnClose() {
    withDescriptor { descriptor in
      var choice = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &choice, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// No lock is held while the kernel is called: the handle is held instead.
  func withDescriptor(
    _ isWanted: (inout State) -> Bool = { _ in true }, body: (Int32) -> Void
  ) {
    let handle: Handle? = state.withLock { state in
      guard let handle = state.handle, isWanted(&state) else { return nil }
      return handle
    }
    guard let handle else { return }
    withExtendedLifetime(handle) { body(handle.descriptor) }
  }
}
