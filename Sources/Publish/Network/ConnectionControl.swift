// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Posix
internal import Synchronization

/// Lets other threads cut a connection, now or at a deadline.
///
/// librtmp blocks while it writes, for as long as the server reads a byte now and then, and closes its descriptor by
/// itself when a write fails. So this class holds a duplicate of the descriptor: shutdown(2) on it ends every blocking
/// call, and can never hit another file that was given the same number.
final class ConnectionControl: Sendable {
  /// A duplicate of the socket's descriptor, closed when its last user releases it.
  final class Handle: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  /// The connection under control, its present step with the deadline, and the step that took too long, if any.
  struct State {
    var handle: Handle?
    var step = RTMPStep.resolve
    var deadline = MediaTime.distantFuture
    var expired: RTMPStep?
  }

  /// The connection under control and its deadline, guarded by this mutex.
  let state = Mutex(State())

  /// Takes control of a new connection.
  /// - Parameter socket: the connection's descriptor, which the caller still has to close.
  func adopt(_ socket: Int32) throws(SystemError) {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError() }
    let handle = Handle(copy)
    state.withLock { state in state.handle = handle }
  }

  /// Ends the control of the connection.
  /// - Returns: a handle that keeps the socket open for as long as it lives; `nil` if there was no connection.
  @discardableResult func release() -> Handle? {
    // The handle is returned from the lock, so that the descriptor is never closed while the lock is held.
    state.withLock { state in
      defer { state = State() }
      return state.handle
    }
  }

  /// Whether this machine no longer has the connection's local address.
  var hasLostItsAddress: Bool {
    var isLost = false
    withDescriptor { descriptor in
      var address = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
          guard unsafe getsockname(descriptor, own, &length) == 0 else { return }
          // Check whether a new socket can bind to the address with any port. In both families the port is at offset 2.
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

  /// Removes TCP_USER_TIMEOUT, so that the kernel keeps retransmitting for as long as it does by default.
  func removeUserTimeout() {
    withDescriptor { descriptor in
      var never: Int32 = 0
      _ = unsafe setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &never,
        socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Cuts the connection as if `step` had taken too long.
  func expire(_ step: RTMPStep) {
    withDescriptor { state in
      guard state.expired == nil else { return false }
      state.expired = step
      return true
    } body: { descriptor in
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Sets the step that has begun and its deadline, after which `enforce` cuts the connection.
  func arm(_ step: RTMPStep, until deadline: MediaTime) {
    state.withLock { state in
      state.step = step
      state.deadline = deadline
    }
  }

  /// Cancels the deadline that `arm` has set.
  func disarm() { state.withLock { $0.deadline = .distantFuture } }

  /// The step that took too long, so that the connection was cut; `nil` if it was not cut for that reason.
  var expired: RTMPStep? { state.withLock { $0.expired } }

  /// Cuts the connection if the deadline that `arm` has set has passed.
  func enforce(now: MediaTime) {
    withDescriptor { state in
      guard now >= state.deadline, state.expired == nil else { return false }
      state.expired = state.step
      return true
    } body: { descriptor in
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Cuts the connection: every call that blocks on it returns at once.
  func cut() { withDescriptor { _ = shutdown($0, Int32(SHUT_RDWR)) } }

  /// Closes the sending direction; the server may still send.
  func endSending() { withDescriptor { _ = shutdown($0, Int32(SHUT_WR)) } }

  /// Limits for how many nanoseconds one write may block.
  func limitSends(to nanos: Int64) {
    withDescriptor { descriptor in
      var time = timeval(
        tv_sec: Int(nanos / 1_000_000_000), tv_usec: Int(nanos % 1_000_000_000 / 1_000))
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Makes close(2) send a RST: unsent bytes are discarded, and the server sees an error rather than an orderly end
  /// (SO_LINGER, socket(7)).
  func resetOnClose() {
    withDescriptor { descriptor in
      var choice = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &choice, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// Calls `body` with the descriptor, if there is a connection and `condition` returns `true`. `condition` is called
  /// with the lock held. During `body` the lock is not held, and the descriptor stays open.
  func withDescriptor(
    _ condition: (inout State) -> Bool = { _ in true }, body: (Int32) -> Void
  ) {
    let handle: Handle? = state.withLock { state in
      guard let handle = state.handle, condition(&state) else { return nil }
      return handle
    }
    guard let handle else { return }
    withExtendedLifetime(handle) { body(handle.descriptor) }
  }
}
