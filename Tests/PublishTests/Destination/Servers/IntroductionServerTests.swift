// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CGnuTLS
import FakeServer
import Foundation
import Synchronization
import Testing

@testable import Publish

/// Servers that ask for a user name and a password, or send the publisher elsewhere.
@Suite struct IntroductionServerTests {
  private static let rejected = "NetConnection.Connect.Rejected"
  private static let login = RTMPTarget.Login(user: "user", password: "swordfish")

  /// Everything that servers have received.
  private final class Heard: Sendable {
    let bytes = Mutex<[[UInt8]]>([])
    let apps = Mutex<[String]>([])
  }

  private static func md5(_ text: String) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    let text = Array(text.utf8)
    _ = unsafe gnutls_hash_fast(GNUTLS_DIG_MD5, text, text.count, &digest)
    return Data(digest).base64EncodedString()
  }

  /// As Wowza and Adobe's servers.
  private func adobe(_ heard: Heard) throws -> FakeServer {
    try FakeServer { peer in
      defer { heard.bytes.withLock { $0.append(peer.received) } }
      try peer.greet()
      let connect = try peer.answer(upTo: "connect")
      let app = connect[2]["app"]?.string ?? ""
      heard.apps.withLock { $0.append(app) }
      let query = app.split(separator: "?").dropFirst().first?.split(separator: "&") ?? []
      let values = query.reduce(into: [String: String]()) { values, pair in
        let parts = pair.split(separator: "=", maxSplits: 1)
        values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
      }
      let begin = "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason="
      let secret = Self.md5("userc2FsdA==swordfish")
      let wanted = Self.md5("\(secret)b3BhcQ==\(values["challenge"] ?? "")")
      guard values["authmod"] == "adobe" else {
        return try peer.refuseConnect(
          Self.rejected, "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ")
      }
      guard let response = values["response"] else {
        return try peer.refuseConnect(
          Self.rejected,
          begin + "needauth&user=user&salt=c2FsdA==&challenge=Y2hhbA==&opaque=b3BhcQ==")
      }
      guard response == wanted else {
        return try peer.refuseConnect(Self.rejected, begin + "authfailed&opaque=b3BhcQ==")
      }
      try peer.send([.string("_result"), .number(1), .null, .null])
      try peer.answer(upTo: "publish")
      try peer.status("NetStream.Publish.Start")
      peer.readToEnd()
    }
  }

  @Test func aUserLogsIn() throws {
    let heard = Heard()
    let server = try adobe(heard)
    defer { server.end() }
    let rig = try Rig(port: server.port, login: Self.login)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    #expect(!rig.reported.contains { $0.cause != nil }, "no failure")
    #expect(rig.destination.counters.failures == 0 && server.connections == 3)
    #expect(rig.stop())
    #expect(Rig.wait { heard.bytes.withLock { $0.count } == 3 })
    let apps = heard.apps.withLock { $0 }
    #expect(apps[0] == "live" && apps[1] == "live?authmod=adobe&user=user")
    #expect(apps[2].hasPrefix("live?authmod=adobe&user=user&challenge="))
    for bytes in heard.bytes.withLock({ $0 }) {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("swordfish"))
    }
  }

  @Test func aWrongPasswordIsTold() throws {
    let heard = Heard()
    let server = try adobe(heard)
    defer { server.end() }
    let rig = try Rig(
      port: server.port, login: .init(user: "user", password: "other"), clock: VirtualClock().clock)
    rig.destination.start()
    let report = try #require(rig.waitForCause())
    #expect(report.cause == .refused(.authentication) && report.retry?.isGrowing == true)
    guard case .rtmp(let target) = report.target else { return }
    #expect(target.hasLogin)
    #expect(server.connections == 3)
    #expect(rig.stop())
  }

  @Test func withoutAUserItIsTold() throws {
    let server = try adobe(Heard())
    defer { server.end() }
    let rig = try Rig(port: server.port, clock: VirtualClock().clock)
    rig.destination.start()
    #expect(rig.waitForCause()?.cause == .refused(.authentication))
    #expect(server.connections == 1)
    #expect(rig.stop())
  }

  private func sending(to url: String) throws -> FakeServer {
    try FakeServer { peer in
      try peer.greet()
      try peer.refuseConnect(Self.rejected, "Moved", redirect: url)
    }
  }

  @Test func aRedirectIsFollowedOnce() throws {
    let heard = Heard()
    let other = try adobe(heard)
    defer { other.end() }
    let server = try sending(to: "rtmp://127.0.0.1:\(other.port)/edge")
    defer { server.end() }
    let rig = try Rig(port: server.port, login: Self.login)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    #expect(heard.apps.withLock { $0.allSatisfy { $0.hasPrefix("edge") } })
    let told = rig.reported.filter { $0.state == .connecting }
    #expect(told.map(\.target.port) == [server.port, other.port])
    #expect(told.map(\.said) == ["", "127.0.0.1"])
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.stop())
  }

  @Test func aRedirectThatIsNotFollowedIsTold() throws {
    let never = try FakeServer { _ in }
    defer { never.end() }
    let url = "rtmp://localhost:\(never.port)/live"
    let server = try sending(to: url)
    defer { server.end() }
    let rig = try Rig(port: server.port, clock: VirtualClock().clock)
    rig.destination.start()
    let report = try #require(rig.waitForCause())
    #expect(report.cause == .refused(.redirected) && report.said == "\(url)/***")
    #expect(rig.destination.counters.needsPerson)
    #expect(never.connections == 0)
    #expect(rig.stop())
  }
}
