// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Decides with which addresses music and guests may connect. A station, a playlist or a redirect must not make the box
/// send requests to itself or to the devices beside it.
struct AddressRules: Sendable {
  /// What kind of host an IP address belongs to.
  enum Kind: Equatable {
    /// A host on the Internet.
    case global
    /// A host on a private network (RFC 1918, RFC 4193, RFC 6598).
    case local
    /// The box itself, or an address that is not that of a single host: loopback, link-local, multicast, unspecified.
    case refused
  }

  /// The addresses of the box itself, 4 or 16 bytes each.
  private let own: @Sendable () -> [[UInt8]]
  /// Replaces `kind` in tests, which have only the loopback interface.
  private let verdict: (@Sendable ([UInt8]) -> Kind?)?

  /// - Parameters:
  ///   - own: reads the addresses of the box, which change while it runs.
  ///   - verdict: what tests allow or refuse besides; `nil` for the kind that follows from the address.
  init(
    own: @escaping @Sendable () -> [[UInt8]] = { Host.interfaceAddresses },
    verdict: (@Sendable ([UInt8]) -> Kind?)? = nil
  ) {
    self.own = own
    self.verdict = verdict
  }

  /// The kind of host that an address belongs to.
  /// - Parameter address: 4 or 16 bytes in network byte order.
  func kind(_ address: [UInt8]) -> Kind {
    if let kind = verdict?(address) { return kind }
    let plain = AddressRules.embedded(address) ?? address
    if own().contains(where: { (AddressRules.embedded($0) ?? $0) == plain }) { return .refused }
    return plain.count == 4 ? AddressRules.kind(ipv4: plain) : AddressRules.kind(ipv6: plain)
  }

  /// Whether a guest may be at an address.
  /// - Parameter allowsOwn: whether the address may be one of the box itself.
  func allowsGuest(at address: [UInt8], allowsOwn: Bool) -> Bool {
    guard kind(address) == .refused else { return true }
    return allowsOwn && AddressRules.isHost(AddressRules.embedded(address) ?? address)
  }

  /// Whether an address can be that of a single host: it is neither unspecified nor multicast nor reserved.
  private static func isHost(_ bytes: [UInt8]) -> Bool {
    bytes.count == 4
      ? (1...223).contains(bytes[0]) : bytes[0] != 0xFF && bytes.contains { $0 != 0 }
  }

  private static func kind(ipv4 bytes: [UInt8]) -> Kind {
    switch (bytes[0], bytes[1]) {
    case (0, _), (127, _), (169, 254), (224..., _): .refused
    case (10, _), (172, 16...31), (192, 168), (100, 64...127): .local
    default: .global
    }
  }

  private static func kind(ipv6 bytes: [UInt8]) -> Kind {
    switch (bytes[0], bytes[1]) {
    // ::, ::1 and whatever else begins with so many zeros: no host on the Internet does.
    case (0, 0): .refused
    case (0xFE, 0x80...0xBF), (0xFF, _): .refused
    case (0xFC...0xFD, _), (0xFE, 0xC0...): .local
    default: .global
    }
  }

  /// The IPv4 address in an IPv6 address that stands for one: mapped (RFC 4291), translated (RFC 6052), 6to4 (RFC
  /// 3056); `nil` for all others.
  private static func embedded(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == 16 else { return nil }
    let zeros = [UInt8](repeating: 0, count: 10)
    if bytes.starts(with: zeros), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return Array(bytes.suffix(4))
    }
    if bytes.starts(with: [0, 0x64, 0xFF, 0x9B] + zeros.prefix(8)) {
      return Array(bytes.suffix(4))
    }
    return bytes.starts(with: [0x20, 0x02]) ? Array(bytes[2..<6]) : nil
  }
}
