// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Access

struct AddressTests {
  @Test(arguments: [
    "127.0.0.1", "127.255.0.1", "::1", "10.0.0.1", "10.255.255.255", "172.16.0.1",
    "172.31.255.255", "192.168.0.1", "169.254.1.2", "fe80::1", "fe80::1%eth0", "febf::1",
    "fc00::1", "fdff::1", "::ffff:192.168.1.1", "::ffff:127.0.0.1", "::ffff:a00:1",
  ])
  func theLocalNetwork(_ text: String) {
    #expect(address(text).isLocal)
  }

  @Test(arguments: [
    "8.8.8.8", "0.0.0.0", "9.255.255.255", "11.0.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1",
    "192.169.1.1", "169.253.1.1", "100.64.0.1", "100.127.255.255", "255.255.255.255", "::",
    "::2", "::192.168.1.1", "::ffff:8.8.8.8", "::ffff:100.64.0.1", "2001:db8::1", "fec0::1",
    "fe00::1", "fb00::1", "fe::1", "64:ff9b::192.168.1.1", "2002:c0a8:101::1", "ff02::1",
  ])
  func notTheLocalNetwork(_ text: String) {
    #expect(!address(text).isLocal)
  }

  @Test(arguments: [
    "", "localhost", "192.168.1", "192.168.1.256", "192.168.1.1:80", "[::1]", "1.2.3.4\0",
    " 10.0.0.1", "::g", "%eth0", "010.0.0.1.1",
  ])
  func noAddress(_ text: String) {
    #expect(Address(text) == nil)
  }

  @Test func aMappedAddressIsTheIPv4Address() {
    #expect(address("::ffff:192.0.2.1") == address("192.0.2.1"))
    #expect("\(address("::ffff:192.0.2.1"))" == "192.0.2.1")
    #expect("\(address("2001:DB8:0:0::1"))" == "2001:db8::1")
  }

  @Test func anIPv6NetworkIsOneClient() {
    func client(_ text: String) -> Address { address(text).client(in: []) }
    #expect(client("2001:db8::1") == client("2001:db8::ffff:1:2:3"))
    #expect(client("2001:db8::1") != client("2001:db8:0:1::1"))
    #expect(client("192.0.2.1") != client("192.0.2.2"))
    #expect(client("::1") != client("0.0.0.0"))
  }

  /// The hosts of a local network share a /64, of which one must not speak for all.
  @Test func aNeighbourIsAClient() {
    let networks: Set = [address("2001:db8:0:7::1").network, address("fd00::1").network]
    func client(_ text: String) -> Address { address(text).client(in: networks) }
    for (one, other) in [
      ("fe80::1", "fe80::2"), ("2001:db8:0:7::5", "2001:db8:0:7::6"), ("fd00::5", "fd00::6"),
    ] {
      #expect(client(one) != client(other))
    }
    #expect(client("2001:db8:0:8::5") == client("2001:db8:0:8::6"))
    #expect(client("fd00:0:0:1::5") == client("fd00:0:0:1::6"))
    // Every machine has a loopback interface, where IPv6 is on.
    let own = OwnNetworks.present
    #expect(own.isEmpty || own.contains(address("::1").network))
  }

  @Test func aProxyHidesWhereARequestIsFrom() {
    #expect(neighbour.isOnLocalNetwork)
    #expect(!stranger.isOnLocalNetwork)
    #expect(!Caller.remote(address("127.0.0.1"), isForwarded: true).isOnLocalNetwork)
    #expect(Caller.owner.isOnLocalNetwork)
  }

  @Test func eachScopeIncludesTheOnesBefore() {
    #expect(Scope.allCases == [.read, .operate, .control, .admin])
    #expect(Scope.allCases.sorted() == Scope.allCases)
    #expect(Scope.allCases.map(\.rawValue) == ["read", "operate", "control", "admin"])
  }
}
