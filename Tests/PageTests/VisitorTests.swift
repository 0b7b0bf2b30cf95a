// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Page

@Suite struct VisitorTests {
  private static let visitor = Visitor(hostName: "Onair-Box.lan")

  @Test(
    arguments: [
      "127.0.0.1:8080", "127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080", "[::1]",
      "192.168.1.20:8080", "[fe80::1]", "onair-box", "onair-box.local:8080", "onair-box.lan",
      "Onair-Box.local.",
    ])
  func whoNamesTheBoxIsLetIn(_ authority: String) {
    #expect(VisitorTests.visitor.objection(authority: authority, origin: nil) == nil)
    #expect(
      VisitorTests.visitor.objection(authority: authority, origin: "http://\(authority)") == nil)
  }

  @Test(
    arguments: [
      nil, "", ":", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "[::1", "[]",
      "[::1]evil", "localhost:8080:1", "127.0.0.1@evil.example", "onair-box.evil.example",
      "0x7f000001", "127.1", "local", ".local", "[localhost]evil", "localhost:80a",
    ])
  func whoNamesSomethingElseIsNot(_ authority: String?) {
    #expect(VisitorTests.visitor.objection(authority: authority, origin: nil) != nil)
  }

  @Test(
    arguments: [
      "http://evil.example", "null", "", "https://127.0.0.1:8080", "http://127.0.0.1",
      "http://127.0.0.1:8081", "http://localhost:8080", "http://127.0.0.1:8080/",
      "http://127.0.0.1:8080.evil.example",
    ])
  func aPageFromElsewhereIsNot(_ origin: String) {
    #expect(VisitorTests.visitor.objection(authority: "127.0.0.1:8080", origin: origin) != nil)
  }

  /// Where only this machine can ask, its name is known to others as well as to itself.
  @Test func aNameIsNoUseWhereOnlyThisMachineCanAsk() {
    let visitor = Visitor(hostName: "onair-box", isLocal: true)
    for authority in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"] {
      #expect(visitor.objection(authority: authority, origin: nil) == nil)
    }
    for authority in ["onair-box:8080", "onair-box.local"] {
      #expect(visitor.objection(authority: authority, origin: nil) != nil)
    }
  }

  @Test func anImageOfAPageFromElsewhereIsNot() {
    for (site, isIn) in [
      ("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false),
    ] {
      let objection = VisitorTests.visitor.objection(
        authority: "127.0.0.1:8080", origin: nil, site: site)
      #expect((objection == nil) == isIn)
    }
  }

  /// A machine without a name, or with a strange one.
  @Test(arguments: ["", ".", "local"])
  func aStrangeNameLetsNobodyElseIn(_ name: String) {
    let visitor = Visitor(hostName: name)
    #expect(visitor.objection(authority: "127.0.0.1", origin: nil) == nil)
    #expect(visitor.objection(authority: "", origin: nil) != nil)
    #expect(visitor.objection(authority: ".local", origin: nil) != nil)
  }
}
