// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGuest
internal import Glibc
internal import Posix

/// The sockets at which guests arrive. None of them blocks.
enum DoorSockets {
  /// Connections that wait until they are accepted.
  private static let backlog: Int32 = 16

  /// A TCP socket that listens.
  static func listening(at place: Endpoint) throws(SystemError) -> Int32 {
    let socket = try bound(to: place, SOCK_STREAM)
    guard listen(socket, backlog) == 0 else { throw closing(socket) }
    return socket
  }

  /// A UDP socket that receives the first packets of callers.
  static func receiving(at place: Endpoint) throws(SystemError) -> Int32 {
    try bound(to: place, SOCK_DGRAM)
  }

  /// A UDP socket for one caller. The kernel prefers it to the one at the same place that takes packets of everybody.
  static func connected(to peer: Endpoint, at place: Endpoint) throws(SystemError) -> Int32 {
    let socket = try bound(to: place, SOCK_DGRAM)
    guard unsafe peer.withAddress({ unsafe connect(socket, $0, $1) }) == 0 else {
      throw closing(socket)
    }
    return socket
  }

  /// Accepts a connection.
  /// - Returns: `nil` if none waits.
  static func accept(_ socket: Int32) -> (socket: Int32, peer: Endpoint)? {
    var address = onair_guest_endpoint()
    let accepted = unsafe onair_guest_accept(socket, &address)
    guard accepted >= 0 else { return nil }
    guard let peer = Endpoint(address) else {
      close(accepted)
      return nil
    }
    return (accepted, peer)
  }

  /// Receives a packet.
  /// - Parameter bytes: room for the packet; what does not fit is lost.
  /// - Returns: how many bytes of the packet there are, and its sender; `nil` if none has come.
  static func receive(_ socket: Int32, into bytes: inout [UInt8]) -> (count: Int, peer: Endpoint)? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let count = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe recvfrom(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT), $0, &length)
      }
    }
    guard count >= 0, let peer = Endpoint(address) else { return nil }
    return (count, peer)
  }

  private static func bound(
    to place: Endpoint, _ type: __socket_type
  ) throws(SystemError) -> Int32 {
    let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(place.family, Int32(type.rawValue) | flags, 0)
    guard socket >= 0 else { throw SystemError() }
    // TCP: a port is free as soon as its last listener has gone. UDP: a socket for each caller is at the same place.
    var yes: Int32 = 1
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe place.withAddress({ unsafe bind(socket, $0, $1) }) == 0 else {
      throw closing(socket)
    }
    return socket
  }

  private static func closing(_ socket: Int32) -> SystemError {
    let error = SystemError()
    close(socket)
    return error
  }
}

extension Endpoint {
  /// The address of a host, which is an IP address in text without brackets; `nil` for any other text.
  init?(host: String, port: UInt16) {
    guard let address = IPAddress.bytes(host) else { return nil }
    let isV4 = address.count == 4
    let family = isV4 ? AF_INET : AF_INET6
    var bytes = unsafe withUnsafeBytes(of: sa_family_t(family)) { unsafe Array($0) }
    bytes += [UInt8(port >> 8), UInt8(port & 0xFF)]
    bytes +=
      isV4 ? address + [UInt8](repeating: 0, count: 8) : [0, 0, 0, 0] + address + [0, 0, 0, 0]
    self.init(family: family, bytes: bytes)
  }

  fileprivate init?(_ address: sockaddr_storage) {
    let family = Int32(address.ss_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    let size =
      family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    let bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0.prefix(size)) }
    self.init(family: family, bytes: bytes)
  }

  /// The IP address in text.
  var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = unsafe inet_ntop(family, address, &text, socklen_t(text.count))
    let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return host.hasPrefix("::ffff:") ? String(host.dropFirst(7)) : host
  }

  fileprivate func withAddress(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe body(
        start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
