// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Capture

/// The server in a guest's address, and which servers a guest may have.
@Suite struct GuestTargetTests {
  @Test(arguments: [
    ("rtmp://host/live/key", "host", 1935), ("rtmps://host/live", "host", 443),
    ("HTTP://Host:8080/a?b@c", "Host", 8080), ("https://host?x", "host", 443),
    ("rtsp://user:p@ss@10.0.0.7/ch1", "10.0.0.7", 554), ("rtsps://[fd00::1]/x", "fd00::1", 322),
    ("srt://[2001:db8::2]:9000?latency=120", "2001:db8::2", 9000), ("srt://host:1#x", "host", 1),
  ])
  func aTargetIsHostAndPort(_ address: String, _ host: String, _ port: UInt16) throws {
    let target = try #require(GuestTarget(address))
    #expect(target.host == host && target.port == port)
  }

  @Test(arguments: [
    "", "host", "rtmp:host", "rtmp://", "rtmp:///x", "file:///etc/passwd", "pipe:0", "udp://h:1",
    "srt://host", "srt://:9000", "http://host:0/", "http://host:65536/", "http://host:80x/",
    "http://[::1/", "http://[host]/", "http://[::1]x/", "http://ho st/", "http://höst/",
    "http://host/\n", "http://@/x", "http://" + String(repeating: "h", count: 254),
    "http://host/" + String(repeating: "x", count: 2_048),
  ])
  func whatIsNoAddressOfAGuestIsRefused(_ address: String) {
    #expect(GuestTarget(address) == nil)
  }

  @Test func onlyTheBoxItselfAndNoHostAreRefused() {
    let rules = AddressRules(own: { [[192, 168, 1, 5]] })
    func allows(_ address: [UInt8], own: Bool) -> Bool {
      rules.allowsGuest(at: address, allowsOwn: own)
    }
    for own in [false, true] {
      #expect(allows([203, 0, 113, 7], own: own) && allows([192, 168, 1, 6], own: own))
      #expect(!allows([0, 0, 0, 0], own: own) && !allows([224, 0, 0, 1], own: own))
      #expect(!allows([255, 255, 255, 255], own: own))
      #expect(!allows([UInt8](repeating: 0, count: 16), own: own))
      #expect(!allows([0xFF, 2] + [UInt8](repeating: 0, count: 14), own: own))
    }
    let loopback = [UInt8](repeating: 0, count: 15) + [1]
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
    for address in [[127, 0, 0, 1], [192, 168, 1, 5], [169, 254, 0, 1], loopback, mapped] {
      #expect(!allows(address, own: false))
      #expect(allows(address, own: true))
    }
  }

  /// An address of a reader is one that the guest has if family, port and address are.
  @Test func anEndpointOfAReaderIsComparedByItsAddress() throws {
    let v4 = Endpoint(
      family: 2, bytes: [2, 0, 7, 143, 10, 0, 0, 9] + [UInt8](repeating: 0, count: 8))
    let v6 = Endpoint(
      family: 10,
      bytes: [10, 0, 7, 143, 0, 0, 0, 0, 0xFD] + [UInt8](repeating: 7, count: 15) + [0, 0, 0, 0])
    for endpoint in [v4, v6] {
      let copy = try #require(Endpoint(endpoint.inC))
      #expect(copy == endpoint && copy.isSame(as: endpoint))
      for index in 2..<endpoint.bytes.count {
        var other = endpoint
        other.bytes[index] ^= 1
        let counts = endpoint == v4 ? index < 8 : index < 4 || (8..<24).contains(index)
        #expect(other.isSame(as: endpoint) != counts, "\(index)")
      }
    }
    #expect(!v4.isSame(as: v6))
    for (length, family) in [
      (0, 2), (1, 2), (15, 2), (16, 10), (28, 2), (200, 10), (16, 1), (27, 10),
    ] {
      var endpoint = v6.inC
      endpoint.length = UInt32(length)
      endpoint.bytes.0 = UInt8(family)
      #expect(Endpoint(endpoint) == nil, "\(length) \(family)")
    }
  }

  @Test func aDetailWithAnAddressIsNotShown() {
    #expect(
      !GuestOffline("anna", .lost, detail: "rtmp://h/live/secret broke").sentence.contains("secret")
    )
    #expect(
      GuestOffline("anna", .lost, detail: "End of file").sentence.contains("broke (End of file). "))
    for fault in GuestFault.allCases {
      let offline = GuestOffline("anna", fault)
      #expect(
        offline.fault == fault && offline.sentence.hasPrefix("The guest \"anna\" is offline: "))
    }
  }
}
