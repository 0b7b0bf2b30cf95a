// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPosix
internal import Glibc

/// Makes TCP connections with a deadline.
struct TCPDialer {
  /// The socket counts as writable while fewer unsent bytes than this are in the kernel (TCP_NOTSENT_LOWAT). The limit
  /// is more than enough to keep the link busy. The slowest link that still carries video takes a second to send so
  /// many bytes.
  static let notSentBytes: Int32 = 16_384

  /// The worker of the thread that calls `connect`.
  let worker: Worker
  /// The time limits of the connection.
  let deadlines: RTMPDeadlines
  /// Whether the attempt is to end, because the program stops or requests a new connection.
  let stopping: () -> Bool

  /// Tries one address after the other, at most `RTMPDeadlines.addressesTried`.
  /// - Returns: a blocking socket, ready for librtmp.
  /// - Throws: if none answers, the last cause other than `.noRoute`; `.noRoute` if there was no other.
  func connect(to addresses: [SocketAddress]) throws(PublishError) -> Int32 {
    var worst = DestinationCause.noRoute
    for address in addresses.prefix(RTMPDeadlines.addressesTried) {
      switch try connect(to: address) {
      case .success(let socket): return socket
      case .failure(let cause):
        // Often only one address family has a route. The errors of its addresses tell more than `.noRoute`.
        if cause != .noRoute { worst = cause }
      }
    }
    throw .failed(worst)
  }

  /// Tries one address. Returns the connected socket, or why the attempt has failed; throws only if the attempt is to
  /// end.
  private func connect(
    to address: SocketAddress
  ) throws(PublishError) -> Result<Int32, DestinationCause> {
    let deadline = worker.clock.now + deadlines.connect
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(address.family, Int32(type), Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { return .failure(TCPDialer.cause(errno)) }
    var keep = false
    defer { if !keep { close(descriptor) } }

    var status = unsafe address.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return EINVAL }
      let result = unsafe Glibc.connect(
        descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      return result == 0 ? 0 : errno
    }
    while status == EINPROGRESS {
      let events = worker.wait(until: deadline, for: descriptor, events: .writable)
      if stopping() { throw .stopped }
      if !events.isEmpty {
        status = TCPDialer.pendingError(descriptor)
      } else if worker.clock.now >= deadline {
        status = ETIMEDOUT
      }
    }
    guard status == 0 else { return .failure(TCPDialer.cause(status)) }
    keep = true
    configure(descriptor)
    return .success(descriptor)
  }

  /// Makes the socket blocking, as librtmp needs it, and limits how long it may block.
  private func configure(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL, 0)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    TCPDialer.set(descriptor, SO_RCVTIMEO, nanos: deadlines.handshake)
    TCPDialer.set(descriptor, SO_SNDTIMEO, nanos: deadlines.send)
    // A message is written by one call, so waiting for more bytes would only delay it (tcp(7)).
    TCPDialer.set(descriptor, TCP_NODELAY, 1)
    // Bytes in the kernel can neither be measured by age nor dropped. A blocked send goes on only when fewer than
    // `notSentBytes` are unsent.
    TCPDialer.set(descriptor, TCP_NOTSENT_LOWAT, TCPDialer.notSentBytes)
    // Unacknowledged bytes end the connection after this time, even if nothing more is sent.
    TCPDialer.set(descriptor, TCP_USER_TIMEOUT, Int32(clamping: deadlines.send / 1_000_000))
  }

  /// Sets a TCP option of a socket. A failure is ignored.
  private static func set(_ descriptor: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sets a socket option that is a time, such as SO_SNDTIMEO. A failure is ignored.
  private static func set(_ descriptor: Int32, _ option: Int32, nanos: Int64) {
    var time = timeval(
      tv_sec: Int(nanos / 1_000_000_000), tv_usec: Int(nanos % 1_000_000_000 / 1_000))
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The errno with which a non-blocking connect(2) has ended; 0 if the socket is connected.
  static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return status == 0 ? code : errno
  }

  /// The cause for an errno of socket(2) or connect(2).
  private static func cause(_ code: Int32) -> DestinationCause {
    switch code {
    case ECONNREFUSED: .connectionRefused
    case ETIMEDOUT: .timedOut(.connect)
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EAFNOSUPPORT, EADDRNOTAVAIL: .noRoute
    case EACCES, EPERM: .connectionForbidden
    // The server accepted the connection and reset it before OnAir asked for the result.
    case ECONNRESET: .closedByServer(.connect)
    default: .systemError(code)
    }
  }
}
