// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The address of a Unix socket (unix(7)): a path, or a name in the abstract namespace, which is written with a leading
/// "@".
@safe public struct UnixSocketAddress: Sendable {
  /// The address as bind(2) takes it.
  private var address = sockaddr_un()
  /// The length of `address` in bytes, as bind(2) takes it.
  private let length: socklen_t

  /// Makes the address from a path, or from a name in the abstract namespace with a leading "@".
  /// - Returns: `nil` if `path` is empty or longer than 107 bytes, the most that `sun_path` can hold.
  public init?(_ path: String) {
    var bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity else { return nil }
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // An abstract name does not end with a zero byte: its end is given by the length of the address. The length of a
    // path includes its zero byte.
    length = socklen_t(
      MemoryLayout<sockaddr_un>.size - capacity + bytes.count + (isAbstract ? 0 : 1))
  }

  /// Binds a socket to this address (bind(2)).
  public func bind(_ socket: Int32) throws(SystemError) {
    guard unsafe call({ unsafe Glibc.bind(socket, $0, $1) }) == 0 else { throw SystemError() }
  }

  /// Connects a socket to this address (connect(2)).
  public func connect(_ socket: Int32) throws(SystemError) {
    guard unsafe call({ unsafe Glibc.connect(socket, $0, $1) }) == 0 else { throw SystemError() }
  }

  /// Sends one datagram to this address. If the receiver's queue is full, the call throws EAGAIN instead of waiting.
  public func send(_ bytes: [UInt8], from socket: Int32) throws(SystemError) {
    let count = unsafe call {
      unsafe Int32(
        sendto(socket, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, $1))
    }
    guard count >= 0 else { throw SystemError() }
  }

  /// Passes this address and its length in bytes to a system call, and returns the call's result.
  private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
    }
  }
}
