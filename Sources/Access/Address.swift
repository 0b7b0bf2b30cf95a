// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// An IPv4 or IPv6 address of a client. An IPv4-mapped IPv6 address (::ffff:192.0.2.1) is the IPv4 address.
public struct Address: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes of the address in network order; an IPv4 address is IPv4-mapped (RFC 4291, section 2.5.5.2).
  private let bytes: [UInt8]

  /// The first 12 bytes of an IPv4-mapped IPv6 address.
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// - Parameter text: "192.0.2.1", "2001:db8::1" or "fe80::1%eth0".
  /// - Returns: `nil` if the text is no IP address; a host name is not looked up.
  public init?(_ text: String) {
    let host = String(text.prefix { $0 != "%" })
    guard let bytes = IPAddress.bytes(host) else { return nil }
    self.bytes = bytes.count == 4 ? Self.mappedPrefix + bytes : bytes
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The 4 bytes of an IPv4 address; `nil` for an IPv6 address.
  private var v4: ArraySlice<UInt8>? {
    bytes.starts(with: Self.mappedPrefix) ? bytes.suffix(4) : nil
  }

  /// Whether the address is one of this machine or of a local network: loopback, private (RFC 1918), link-local (RFC
  /// 3927, RFC 4291) or unique local (RFC 4193). The shared addresses of RFC 6598 do not count: other customers of the
  /// provider may have them.
  public var isLocal: Bool {
    if let v4 = v4.map(Array.init) {
      return switch (v4[0], v4[1]) {
      case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254): true
      default: false
      }
    }
    return isLinkLocal || bytes[0] & 0xFE == 0xFC || isLoopback
  }

  /// Whether this is a loopback address.
  public var isLoopback: Bool {
    v4.map { $0.first == 127 } ?? (bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1)
  }

  /// The address by which a client with this address is told apart from others when its logins and connections are
  /// limited. For an IPv4 address and for the IPv6 address of a neighbour, it is the address itself. For any other IPv6
  /// address, it is the /64 network, since a host may use any address in its network (RFC 4941).
  /// - Parameter networks: the /64 networks that this machine is in. An address in one of them is a neighbour's.
  public func client(in networks: Set<Address>) -> Address {
    v4 != nil || isLinkLocal || networks.contains(network) ? self : network
  }

  /// `client(in:)` with the networks that this machine is in now: the address by which a client is told apart from
  /// others.
  public var clientHere: Address { v4 != nil ? self : client(in: OwnNetworks.present) }

  /// The /64 network of an IPv6 address: its first 8 bytes, and zeros.
  var network: Address { Address(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8)) }

  /// Whether this is a link-local IPv6 address (RFC 4291, section 2.5.6).
  private var isLinkLocal: Bool { bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

  /// The address as text: "192.0.2.1" or "2001:db8::1".
  public var description: String {
    if let v4 { return v4.map { String($0) }.joined(separator: ".") }
    var room = [CChar](repeating: 0, count: 64)
    guard unsafe inet_ntop(AF_INET6, bytes, &room, socklen_t(room.count)) != nil else { return "?" }
    return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
