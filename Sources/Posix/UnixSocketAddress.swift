// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The address of a Unix socket (unix(7)): a path, or with a leading "@" a name in the abstract namespace.
@safe public struct UnixSocketAddress: Sendable {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// - Returns: `nil` when the path is too long for an address: at most 107 bytes fit.
  public init?(_ path: String) {
    var bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity else { return nil }
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // An abstract name has no end mark: its length is that of the address. A path is counted with its zero byte.
    length = socklen_t(
      MemoryLayout<sockaddr_un>.size - capacity + bytes.count + (isAbstract ? 0 : 1))
  }

  public func bind(_ socket: Int32) throws(SystemError) {
    guard unsafe call({ unsafe Glibc.bind(socket, $0, $1) }) == 0 else { throw SystemError() }
  }

  public func connect(_ socket: Int32) throws(SystemError) {
    guard unsafe call({ unsafe Glibc.connect(socket, $0, $1) }) == 0 else { throw SystemError() }
  }

  /// Sends one datagram without waiting for a receiver that does not read.
  public func send(_ bytes: [UInt8], from socket: Int32) throws(SystemError) {
    let count = unsafe call {
      unsafe Int32(
        sendto(socket, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, $1))
    }
    guard count >= 0 else { throw SystemError() }
  }

  private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
    }
  }
}
