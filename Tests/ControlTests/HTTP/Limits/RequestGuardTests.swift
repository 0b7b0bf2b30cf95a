// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import Testing

@testable import Control

@Suite struct RequestGuardTests {
  private static let requests = RequestGuard(hostName: "Onair-Box.lan")

  @Test(
    arguments: [
      "127.0.0.1:8080", "127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080", "[::1]",
      "192.168.1.20:8080", "[fe80::1]", "onair-box", "onair-box.local:8080", "onair-box.lan",
      "Onair-Box.local.", "onair.local", "onair-2.local:80", "onair-box.home.arpa",
      "onair-box.fritz.box", "onair-box.internal", "onair-box.home", "onair-box.localdomain",
    ])
  func theBoxesOwnNamesAreAccepted(_ authority: String) {
    #expect(RequestGuardTests.requests.objection(authority: authority, origin: nil) == nil)
    #expect(
      RequestGuardTests.requests.objection(authority: authority, origin: "http://\(authority)")
        == nil)
  }

  @Test(
    arguments: [
      nil, "", ":", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "[::1", "[]",
      "[::1]evil", "localhost:8080:1", "127.0.0.1@evil.example", "onair-box.evil.example",
      "0x7f000001", "127.1", "local", ".local", "[localhost]evil", "localhost:80a",
      "onair", "onair.local.evil.example", "onair-x.local", "other.lan", "other.fritz.box",
      "onair-box.box", "onair-box.com", "fritz.box", "home.arpa", "x.onair-box.lan",
    ])
  func otherNamesAreRefused(_ authority: String?) {
    #expect(RequestGuardTests.requests.objection(authority: authority, origin: nil) != nil)
  }

  @Test(
    arguments: [
      "http://evil.example", "null", "", "https://127.0.0.1:8080", "http://127.0.0.1",
      "http://127.0.0.1:8081", "http://localhost:8080", "http://127.0.0.1:8080/",
      "http://127.0.0.1:8080.evil.example",
    ])
  func otherOriginsAreRefused(_ origin: String) {
    #expect(
      RequestGuardTests.requests.objection(authority: "127.0.0.1:8080", origin: origin) != nil)
  }

  /// Somebody else may answer for the host name on a strange network.
  @Test func theHostNameIsRefusedOnLoopback() {
    let requests = RequestGuard(hostName: "onair-box", isLocal: true)
    for authority in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"] {
      #expect(requests.objection(authority: authority, origin: nil) == nil)
    }
    for authority in ["onair-box:8080", "onair-box.local", "onair.local"] {
      #expect(requests.objection(authority: authority, origin: nil) != nil)
    }
  }

  @Test func requestsOfOtherSitesForImagesAreRefused() {
    for (site, isIn) in [
      ("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false),
    ] {
      let objection = RequestGuardTests.requests.objection(
        authority: "127.0.0.1:8080", origin: nil, site: site)
      #expect((objection == nil) == isIn)
    }
  }

  /// The address of a client is taken from a header only if the proxy on this machine has set it.
  @Test func onlyTheBoxsOwnProxyNamesClients() throws {
    let requests = RequestGuard(hostName: "onair-box", proxyName: "Box.example.org")
    for (authority, peer, isFrom) in [
      ("box.example.org", "127.0.0.1", true), ("box.example.org:443", "::1", true),
      ("box.example.org", "192.168.1.9", false), ("127.0.0.1:8080", "127.0.0.1", false),
    ] {
      let peer = try #require(Address(peer))
      #expect(requests.isFromProxy(authority: authority, peer: peer) == isFrom)
      #expect(!RequestGuardTests.requests.isFromProxy(authority: authority, peer: peer))
    }
  }

  @Test(arguments: ["", ".", "local"])
  func anEmptyHostNameAcceptsNothingMore(_ name: String) {
    let requests = RequestGuard(hostName: name)
    #expect(requests.objection(authority: "127.0.0.1", origin: nil) == nil)
    #expect(requests.objection(authority: "", origin: nil) != nil)
    #expect(requests.objection(authority: ".local", origin: nil) != nil)
  }
}
