// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The IPv6 networks that this machine is in. In these networks, each address counts as a client; in all others, a
/// whole /64 counts as one client (`Address.client(in:)`).
public enum OwnNetworks {
  /// The /64 network of each IPv6 address of this machine; empty if the system cannot list its addresses.
  public static var present: Set<Address> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var networks: Set<Address> = []
    var next = unsafe first
    while let entry = unsafe next {
      if let address = unsafe address(of: entry.pointee.ifa_addr) {
        networks.insert(address.network)
      }
      unsafe next = entry.pointee.ifa_next
    }
    return networks
  }

  /// The IPv6 address in a socket address; `nil` if it is of another kind.
  private static func address(of socket: UnsafeMutablePointer<sockaddr>?) -> Address? {
    guard let socket = unsafe socket, unsafe socket.pointee.sa_family == sa_family_t(AF_INET6)
    else { return nil }
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    guard
      unsafe getnameinfo(
        socket, length, &host, socklen_t(host.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
    else { return nil }
    return Address(
      String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }
}
