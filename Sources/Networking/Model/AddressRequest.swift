// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// An IPv4 address.
package struct IPv4: Sendable, Equatable, CustomStringConvertible {
  /// The address as a number: 0x0A2A0001 for 10.42.0.1.
  let number: UInt32

  /// Parses an address of four decimal numbers, such as "192.168.1.5"; `nil` if `text` is no such address.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var number: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        let byte = UInt8(part)
      else { return nil }
      number = number << 8 | UInt32(byte)
    }
    self.number = number
  }

  package var description: String {
    [24, 16, 8, 0].map { "\(number >> $0 & 255)" }.joined(separator: ".")
  }

  /// The address in network byte order, as in a `struct in_addr`.
  var networkOrder: UInt32 { number.bigEndian }
}

/// How an interface should get its IPv4 address.
package enum AddressRequest: Sendable, Equatable {
  /// The address comes from a DHCP server.
  case dhcp
  /// The address is set by hand.
  case fixed(Fixed)

  /// A fixed IPv4 address, with the gateway (`nil` for none) and the name servers to use.
  package struct Fixed: Sendable, Equatable {
    var address: IPv4
    /// The length of the network prefix in bits, 8 to 30.
    var prefix: Int
    var gateway: IPv4?
    var dns: [IPv4]
  }

  /// Makes a request for a fixed address. Throws `unfitAddress` with a sentence if no device can have this address.
  /// - Parameters:
  ///   - address: the address with the length of the network prefix: "192.168.1.5/24".
  ///   - gateway: the address of the gateway; empty for none.
  ///   - dns: the addresses of name servers; empty to use the gateway.
  package static func fixed(
    address: String, gateway: String, dns: [String]
  ) throws(NetworkError) -> AddressRequest {
    let parts = address.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let host = IPv4(parts[0]), let prefix = Int(parts[1]),
      (8...30).contains(prefix)
    else {
      throw .unfitAddress(
        "An address has the form 192.168.1.5/24, where 24 is the length of the network's part.")
    }
    let mask = UInt32.max << (32 - prefix)
    guard host.number & ~mask != 0, host.number | mask != .max, host.number >> 28 < 14,
      ![0, 127].contains(host.number >> 24)
    else { throw .unfitAddress("\(address) is no address that a device can have.") }
    var router: IPv4?
    if !gateway.isEmpty {
      guard let given = IPv4(gateway), given.number & mask == host.number & mask,
        given.number != host.number
      else {
        throw .unfitAddress("The gateway must be another address in the network of \(address).")
      }
      router = given
    }
    let servers = dns.compactMap { IPv4($0) }
    guard servers.count == dns.count, dns.count <= 4 else {
      throw .unfitAddress("Name servers are at most four addresses as 192.168.1.1.")
    }
    return .fixed(
      Fixed(
        address: host, prefix: prefix, gateway: router,
        dns: servers.isEmpty ? router.map { [$0] } ?? [] : servers))
  }
}
