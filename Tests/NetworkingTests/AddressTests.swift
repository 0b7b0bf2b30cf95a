// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeNetwork
import Testing

@testable import Networking

/// Addresses, and which way is used.
@Suite struct AddressTests {
  private func fixed(
    _ address: String, _ gateway: String = "", _ dns: [String] = []
  ) throws(NetworkError) -> AddressRequest {
    try .fixed(address: address, gateway: gateway, dns: dns)
  }

  @Test func aFixedAddressIsSetAndConfirmed() throws {
    let rig = Rig { $0.setCable(true) }
    #expect(rig.state.ways.first { $0.inUse }?.addresses == ["192.168.1.20/24"])
    let request = try fixed("10.1.2.3/16", "10.1.0.1")
    _ = try rig.ask(.address("eth0", request)).get()
    rig.wait(3)
    let way = try #require(rig.state.ways.first { $0.inUse })
    #expect(way.addresses == ["10.1.2.3/16"])
    #expect(way.method == "static")
    _ = try rig.ask(.confirm(rig.state.change?.number)).get()
    rig.wait(70)
    #expect(rig.state.ways.first { $0.inUse }?.addresses == ["10.1.2.3/16"])
    let update = try #require(rig.bus.calls.first { $0.method == "Update2" })
    let ip = update.arguments[0]["ipv4"]
    #expect(ip?["gateway"] == .text("10.1.0.1"))
    // Without name servers of its own the gateway is asked: 10.1.0.1 in network byte order.
    #expect(ip?["dns"] == .list("u", [.uint32(0x0100_010a)]))

    _ = try rig.ask(.address("eth0", .dhcp)).get()
    rig.wait(3)
    _ = try rig.ask(.confirm(nil)).get()
    #expect(rig.state.ways.first { $0.inUse }?.method == "dhcp")
  }

  @Test func anAddressThatNobodyReachesIsUndone() throws {
    let rig = Rig { $0.setCable(true) }
    _ = try rig.ask(.address("eth0", try fixed("10.1.2.3/16"))).get()
    rig.wait(64)
    #expect(rig.state.change?.state == .undone)
    #expect(rig.state.ways.first { $0.inUse }?.addresses == ["192.168.1.20/24"])
    #expect(rig.state.ways.first { $0.inUse }?.method == "dhcp")
  }

  /// A camera's network of its own, a switch without a router: only a fixed address helps.
  @Test func aCableInANetworkWithoutAddressesGetsAFixedOne() throws {
    let rig = Rig { $0.setCableWithoutAddress() }
    rig.wait(3)
    #expect(
      rig.state.problem?.hasPrefix("The network at the cable gives the box no address") ?? false)
    _ = try rig.ask(.address("eth0", try fixed("10.1.2.3/16"))).get()
    rig.wait(3)
    #expect(rig.state.change?.state == .done, "nobody is cut off")
    #expect(rig.state.ways.first { $0.inUse }?.addresses == ["10.1.2.3/16"])
    #expect(rig.state.problem == nil)
  }

  @Test func whatDoesNotWorkIsPutBack() throws {
    let rig = Rig { $0.setCableWithoutAddress() }
    _ = try rig.ask(.address("eth0", .dhcp)).get()
    rig.wait(3)
    #expect(rig.state.change?.state == .failed)
    #expect(rig.bus.savedConnections == [], "what was added is gone")
    _ = try rig.ask(.address("eth0", try fixed("10.1.2.3/16"))).get()
    rig.wait(3)
    let saved = rig.bus.savedConnections
    rig.bus.setCableWithoutAddress()
    _ = try rig.ask(.address("eth0", .dhcp)).get()
    rig.wait(3)
    #expect(rig.state.change?.state == .failed)
    #expect(rig.bus.savedConnections == saved, "what was changed is as it was")
  }

  @Test(arguments: [
    ("192.168.1.5", ""), ("192.168.1.5/31", ""), ("192.168.1.0/24", ""), ("192.168.1.255/24", ""),
    ("127.0.0.1/8", ""), ("224.0.0.1/24", ""), ("0.1.2.3/8", ""), ("192.168.1.300/24", ""),
    ("1.2.3/24", ""), ("192.168.1.5/24", "192.168.2.1"), ("192.168.1.5/24", "192.168.1.5"),
  ])
  func unfitAddressesAreRefused(address: String, gateway: String) {
    #expect(throws: NetworkError.self) { try fixed(address, gateway) }
  }

  @Test func anInterfaceWithoutAConnectionIsRefused() {
    let rig = Rig()
    #expect(rig.fault(.address("eth9", .dhcp)) == .unknownInterface("eth9"))
    #expect(rig.fault(.address("eth0", .dhcp)) == .noConnection("eth0"))
    #expect(rig.fault(.address("wlan0", .dhcp)) == .noConnection("wlan0"))
  }

  @Test func theCableComesBeforeTheWiFi() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    rig.bus.setCable(true)
    rig.wait(25)
    #expect(rig.state.sentence == "The box uses the cable.")
    #expect(rig.state.ways.filter(\.inUse).map(\.interface) == ["eth0"])
    rig.bus.setCable(false)
    rig.wait(25)
    #expect(
      rig.reports == [
        .up("The box is in the network, through the Wi-Fi Home."),
        .switched("The box now uses the cable instead of the Wi-Fi Home."),
        .switched("The box now uses the Wi-Fi Home instead of the cable."),
      ])
  }

  @Test func aLostNetworkIsToldWithItsReason() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    _ = rig.reports
    rig.bus.setPoint("Home", isInReach: false)
    rig.wait(30)
    #expect(rig.state.problem == "No cable, and no known Wi-Fi is in reach.")
    #expect(rig.reports == [.down("No cable, and no known Wi-Fi is in reach.")])
    rig.bus.setPoint("Home", isInReach: true)
    rig.wait(3)
    #expect(rig.reports == [.up("The box is in the network, through the Wi-Fi Home.")])
  }

  @Test func aPortalIsSaid() {
    let rig = Rig { $0.setCable(true) }
    rig.bus.setConnectivity(2)
    rig.wait(25)
    #expect(rig.state.problem?.hasPrefix("The network at the cable asks for a login") ?? false)
  }

  @Test func withoutNetworkManagerThereIsOneSentence() {
    let rig = Rig { $0.setRuns(false) }
    #expect(rig.state == .none)
    #expect(rig.fault(.scan) == .unavailable)
    rig.wait(90)
    #expect(rig.reports == [])
    rig.bus.setRuns(true)
    rig.bus.setCable(true)
    rig.wait(6)
    #expect(rig.state.sentence == "The box uses the cable.")
  }
}
