// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Settings
import Testing

@testable import Events

@Suite struct ExpiryTests {
  @Test func eachWarningIsReportedOnce() {
    var expiry = Expiry(expiresAt: 1_000_000_100)
    #expect(expiry.check(wallClock: 1_000_000_039) == nil)
    #expect(expiry.check(wallClock: 1_000_000_040)?.code == .urlExpiring)
    #expect(expiry.check(wallClock: 1_000_000_041) == nil)
    #expect(expiry.check(wallClock: 1_000_000_100)?.code == .urlExpired)
    #expect(expiry.check(wallClock: 1_000_000_200) == nil)
  }

  @Test func theFirstWarningIsRepeatedForEachBroadcast() {
    var expiry = Expiry(expiresAt: 1_000_000_100, backupExpiresAt: 1_000_000_000)
    #expect(expiry.check(wallClock: 999_999_950)?.sentence.contains("publish.backup_url") == true)
    expiry.resetReports()
    #expect(expiry.check(wallClock: 999_999_951)?.code == .urlExpiring)
  }

  @Test func anAddressWithoutExpiryIsNotReported() {
    var expiry = Expiry(expiresAt: nil)
    #expect(expiry.check(wallClock: 4_000_000_000) == nil)
  }

  @Test func eachAddressHasItsRemedy() throws {
    func sentence(_ expiry: Expiry) throws -> String {
      var expiry = expiry
      let found = expiry.check(wallClock: 1_000_000_100)
      let report = try #require(found)
      #expect(report.code == .urlExpired)
      return "\(report.subject) \(report.destination): \(report.sentence)"
    }
    let main = try sentence(Expiry(expiresAt: 1_000_000_100))
    #expect(main.hasPrefix("publish.url main: The address in publish.url has expired."))
    #expect(main.hasSuffix("set publish.url and the key, and run \"onair reload\"."))
    let relay = try sentence(.relay("y", expiresAt: 1_000_000_000))
    #expect(relay.hasPrefix("relay.y.url y: The address of the relay y has expired."))
    #expect(relay.contains("onair relay set y url -") && !relay.contains("publish."))
    // A setting would have no effect.
    let once = try sentence(.once(expiresAt: 1_000_000_000))
    #expect(once.contains("PUT /api/destination") && !once.contains("publish."))
  }

  private func relays(_ expiry: [String: Int64]) throws -> Configuration {
    let set = expiry.flatMap {
      ["relay.\($0.key).url=rtmp://h/\($0.key)/key?expires=\($0.value)"]
    }
    return try Configuration.load(file: nil, overrides: set, environment: [:])
  }

  @Test func relaysAreWatched() throws {
    let (soon, later): (Int64, Int64) = (1_500_000_000, 1_600_000_000)
    var expiries = RelayExpiries()
    func changed(_ expiry: [String: Int64]) throws -> [String] {
      expiries.watch(try relays(expiry)).sorted()
    }
    let first = try changed(["a": soon, "b": later, "c": soon])
    #expect(first == ["relay.a.url", "relay.b.url", "relay.c.url"])
    func look(_ time: Int64, without idle: String = "") -> [String] {
      expiries.check(wallClock: time) { $0 != idle }.map { "\($0.destination) \($0.code.rawValue)" }
    }
    #expect(look(soon - 61) == [])
    #expect(look(soon - 60, without: "c") == ["a url_expiring"], "c gets no stream")
    #expect(look(soon - 50) == ["c url_expiring"])
    #expect(look(soon - 40) == [])
    // Another address of one of them; the others are not told again.
    #expect(try changed(["a": later, "b": later, "c": soon]) == ["relay.a.url"])
    #expect(look(soon) == ["c url_expired"])
    #expect(try changed(["a": later, "b": later]) == ["relay.c.url"])
    #expect(look(later) == ["a url_expired", "b url_expired"])
    expiries.resetReports()
    #expect(look(later) == ["a url_expired", "b url_expired"])
  }
}
