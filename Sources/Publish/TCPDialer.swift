// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// Makes TCP connections, each within a deadline.
struct TCPDialer {
  /// Bytes that wait in the kernel: a second of the thinnest link that still carries a picture, and far more
  /// than a thread of this program lets run dry.
  static let notSentBytes: Int32 = 16_384

  let wakeup: Wakeup
  let deadlines: RTMPDeadlines
  let stopping: () -> Bool

  /// Tries one address after the other.
  /// - Returns: a blocking socket, ready for librtmp.
  /// - Throws: what the most telling address met with, if none answers.
  func connect(to addresses: [SocketAddress]) throws(PublishEnd) -> Int32 {
    var worst = DestinationCause.noRoute
    for address in addresses.prefix(RTMPDeadlines.addressesTried) {
      switch try connect(to: address) {
      case .success(let socket): return socket
      case .failure(let cause):
        // An address family without a route says little when the other one got an answer.
        if cause != .noRoute { worst = cause }
      }
    }
    throw .failed(worst)
  }

  private func connect(
    to address: SocketAddress
  ) throws(PublishEnd) -> Result<Int32, DestinationCause> {
    let deadline = MediaTime.now() + deadlines.connect
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
      let events = wakeup.wait(until: deadline, socket: descriptor, for: .writable)
      if stopping() { throw .stopped }
      if !events.isEmpty {
        status = TCPDialer.pendingError(descriptor)
      } else if MediaTime.now() >= deadline {
        status = ETIMEDOUT
      }
    }
    guard status == 0 else { return .failure(TCPDialer.cause(status)) }
    keep = true
    configure(descriptor)
    return .success(descriptor)
  }

  /// Bounds what librtmp does with the socket, which blocks from now on.
  private func configure(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL, 0)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    TCPDialer.set(descriptor, SO_RCVTIMEO, nanos: deadlines.handshake)
    TCPDialer.set(descriptor, SO_SNDTIMEO, nanos: deadlines.send)
    // A message is handed over in one call, so there is nothing to wait for; see tcp(7).
    TCPDialer.set(descriptor, TCP_NODELAY, 1)
    // Little waits in the kernel, where it can be neither judged nor taken back: a call that sends goes on
    // when less than this has not left yet.
    TCPDialer.set(descriptor, TCP_NOTSENT_LOWAT, TCPDialer.notSentBytes)
    // Bytes that nobody acknowledges for so long break the connection, even while none is sent.
    TCPDialer.set(descriptor, TCP_USER_TIMEOUT, Int32(clamping: deadlines.send / 1_000_000))
  }

  private static func set(_ descriptor: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func set(_ descriptor: Int32, _ option: Int32, nanos: Int64) {
    var time = timeval(
      tv_sec: Int(nanos / 1_000_000_000), tv_usec: Int(nanos % 1_000_000_000 / 1_000))
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return status == 0 ? code : errno
  }

  private static func cause(_ code: Int32) -> DestinationCause {
    switch code {
    case ECONNREFUSED: .connectionRefused
    case ETIMEDOUT: .timedOut(.connect)
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EAFNOSUPPORT, EADDRNOTAVAIL: .noRoute
    case EACCES, EPERM: .connectionForbidden
    // Accepted and closed before this side looked.
    case ECONNRESET: .closedByServer(.connect)
    default: .systemError(code)
    }
  }
}
