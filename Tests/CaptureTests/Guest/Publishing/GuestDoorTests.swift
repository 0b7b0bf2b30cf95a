// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// A door at a port of this machine, with guests whose readers are `Tests/GuestProbe`.
private final class DoorRig {
  let door: GuestDoor
  let lines: [GuestLine]
  let place: GuestSender.Place
  private let reports: [Mutex<[GuestReport]>.Box]
  private let refusals = Mutex<[String]>.Box([])

  init(keys: [String] = ["anna-key", "ben-key-2"], place: GuestSender.Place? = nil) throws {
    let place = try place ?? GuestSender.Place(host: "127.0.0.1", port: freePort())
    self.place = place
    var tools = GuestTools()
    tools.program = GuestRig.probe
    tools.arguments = ["guest-probe", "publishes"]
    let reports = keys.map { _ in Mutex<[GuestReport]>.Box([]) }
    self.reports = reports
    let lines = zip(keys, reports).map { key, reports in
      GuestLine(
        GuestRequest(name: key, sender: GuestSender(key: key, at: place)), tools: tools
      ) { report in reports.value.withLock { $0.append(report) } }
    }
    self.lines = lines
    door = GuestDoor(
      at: place, tools: tools, lines: { lines },
      report: { [refusals] sentence in
        refusals.value.withLock { $0.append(sentence) }
      })
    for line in lines { line.start() }
    door.start()
  }

  func reports(_ guest: Int) -> [GuestReport] { reports[guest].value.withLock { $0 } }
  var refused: [String] { refusals.value.withLock { $0 } }

  /// Waits until a guest has been online so many times.
  func isOnline(_ guest: Int, times: Int = 1) -> Bool {
    eventually {
      reports(guest).count { if case .online = $0 { true } else { false } } >= times
    }
  }

  func offline(_ guest: Int) -> GuestOffline? {
    reports(guest).lazy.compactMap {
      if case .offline(let offline) = $0 { offline } else { nil }
    }.last
  }

  @discardableResult func stop() -> Bool {
    let deadline = MediaTime.now() + .seconds(60)
    return lines.reduce(true) { $1.stop(by: deadline) && $0 } && door.stop(by: deadline)
  }
}

extension Mutex where Value: Sendable {
  /// A mutex that closures can share.
  fileprivate final class Box: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex<Value>(value) }
  }
}

private func freePort() throws -> UInt16 {
  let server = try MusicServer { _ in }
  server.stop()
  return server.port
}

/// Somebody who sends.
private final class Visitor {
  private let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

  /// Connects as soon as somebody listens.
  /// - Parameter own: the visitor's IP address.
  init?(_ place: GuestSender.Place, from own: String = "127.0.0.1") {
    guard let here = Endpoint(host: own, port: 0),
      unsafe here.bytes.withUnsafeBytes({ bytes in
        guard let start = bytes.baseAddress else { return false }
        return unsafe bind(
          socket, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
      }), let endpoint = Endpoint(host: place.host, port: place.port)
    else { return nil }
    let isConnected = eventually {
      unsafe endpoint.bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return false }
        return unsafe connect(
          socket, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
      }
    }
    guard isConnected else { return nil }
  }

  deinit { close(socket) }

  func say(_ text: String) { _ = unsafe send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

  /// Whether the other side has closed the connection.
  var isClosed: Bool {
    var byte: UInt8 = 0
    return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
      || errno == ECONNRESET
  }

  /// What comes next: "" if the connection was closed; `nil` if nothing has come.
  func answer(within seconds: Int64 = 60) -> String? {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, Int32(seconds * 1_000)) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe recv(socket, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension GuestProcessTests {
  @Suite struct GuestDoorTests {
    @Test func aKeyOpensTheDoorForItsGuest() throws {
      let rig = try DoorRig()
      defer { rig.stop() }
      let visitor = try #require(Visitor(rig.place))
      visitor.say("ben-key-2")
      #expect(visitor.answer() == "+")
      #expect(rig.isOnline(1))
      #expect(rig.reports(0) == [.connecting])
      #expect(eventually { rig.lines[1].picture != nil && rig.lines[1].level > 0.4 })
    }

    @Test(arguments: ["", "anna", "anna-key-", "Anna-key", String(repeating: "x", count: 60)])
    func anotherKeyDoesNot(_ key: String) throws {
      let rig = try DoorRig()
      defer { rig.stop() }
      let visitor = try #require(Visitor(rig.place))
      visitor.say(key.isEmpty ? "\0" : key)
      #expect(visitor.answer() == "-")
      #expect(visitor.answer() == "")
      #expect(
        eventually {
          rig.refused == ["A sender at 127.0.0.1 was refused as a guest: no guest has the key."]
        })
      #expect(rig.reports(0) == [.connecting] && rig.reports(1) == [.connecting])
    }

    @Test func aSecondConnectionReplacesTheFirst() throws {
      let rig = try DoorRig()
      defer { rig.stop() }
      let first = try #require(Visitor(rig.place))
      first.say("anna-key")
      #expect(first.answer() == "+" && rig.isOnline(0))
      let second = try #require(Visitor(rig.place))
      second.say("anna-key")
      #expect(second.answer() == "+")
      #expect(rig.isOnline(0, times: 2))
      #expect(rig.offline(0)?.fault == .replaced)
      #expect(first.answer() == "")
      #expect(eventually { GuestRig.children.count == 1 })
    }

    /// Whoever says nothing has few readers at a time. Further connections wait, and too many are closed. Others come in.
    @Test func strangersDoNotFillTheDoor() throws {
      let rig = try DoorRig()
      defer { rig.stop() }
      let silent = (0..<40).compactMap { _ in Visitor(rig.place) }
      #expect(silent.count == 40)
      let (most, waiting) = (GuestDoor.mostOfOne, GuestDoor.mostWaitingOfOne)
      // The first readers may start before or after the last one has come.
      #expect(eventually { silent.count { $0.isClosed } >= 40 - most - waiting })
      #expect(eventually { GuestRig.children.count == most })
      let other = try #require(Visitor(rig.place, from: "127.0.0.2"))
      other.say("ben-key-2")
      #expect(other.answer() == "+" && rig.isOnline(1))
      #expect(GuestRig.children.count == most + 1)
      // One of the silent ones speaks: its place is free for the next one.
      silent[0].say("anna-key")
      #expect(silent[0].answer() == "+" && rig.isOnline(0))
      #expect(eventually { GuestRig.children.count == most + 2 })
    }

    /// Guests behind one router who come in the same moment all come in.
    @Test func guestsOfOneAddressComeInTogether() throws {
      let keys = (0..<8).map { "guest-key-\($0)" }
      let rig = try DoorRig(keys: keys)
      defer { rig.stop() }
      let visitors = keys.compactMap { _ in Visitor(rig.place) }
      for (key, visitor) in zip(keys, visitors) { visitor.say(key) }
      #expect(visitors.map { $0.answer() } == keys.map { _ in "+" })
      #expect(keys.indices.allSatisfy { rig.isOnline($0) })
    }

    @Test func nothingIsLeft() throws {
      let before = GuestRig.memories
      let rig = try DoorRig()
      let (guest, stranger) = (try #require(Visitor(rig.place)), try #require(Visitor(rig.place)))
      guest.say("anna-key")
      #expect(guest.answer() == "+" && rig.isOnline(0))
      #expect(eventually { GuestRig.children.count == 2 })
      #expect(rig.stop())
      #expect(guest.answer() == "" && stranger.answer() == "")
      #expect(eventually { GuestRig.children.isEmpty })
      #expect(eventually { GuestRig.memories == before })
    }

    @Test func aPortThatIsTakenIsTold() throws {
      let first = try DoorRig()
      defer { first.stop() }
      _ = try #require(Visitor(first.place))
      let second = try DoorRig(keys: ["cleo-key"], place: first.place)
      defer { second.stop() }
      #expect(eventually { second.offline(0)?.fault == .notListening })
      #expect(second.offline(0)?.sentence.contains("Choose a port") == true)
      // It is free again.
      first.stop()
      #expect(eventually { second.reports(0).last == .connecting })
      let visitor = try #require(Visitor(second.place))
      visitor.say("cleo-key")
      #expect(visitor.answer() == "+")
    }
  }
}

@Suite struct SRTPacketTests {
  /// The first packet of a caller, as libsrt 1.5 sends it.
  private static let induction: [UInt8] =
    [0x80, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 9] + [0, 0, 0, 0]
    + [0, 0, 0, 4] + [0, 0, 0, 2] + [0x12, 0x34, 0x56, 0x78] + [0, 0, 5, 0xDC] + [0, 0, 0x20, 0]
    + [0, 0, 0, 1] + [0x2A, 1, 2, 3] + [0, 0, 0, 0] + [127, 0, 0, 1]
    + [UInt8](repeating: 0, count: 12)

  @Test func theFirstPacketOfACaller() {
    #expect(SRTPacket.isFirst(Self.induction[...]))
    #expect(!SRTPacket.isFirst(Self.induction.dropLast()))
    for place in [0, 1, 12, 15, 19, 39] {
      var other = Self.induction
      other[place] ^= 1
      #expect(!SRTPacket.isFirst(other[...]), "byte \(place)")
    }
  }

  @Test func theAddressOfAReader() {
    func sender(_ host: String, _ port: UInt16?) -> GuestSender {
      GuestSender(key: "0123456789", at: .init(host: host, port: 1935), srtPort: port)
    }
    #expect(sender("0.0.0.0", nil).srtAddress == nil)
    #expect(sender("192.0.2.1", 9000).srtAddress == "srt://0.0.0.0:9000?passphrase=0123456789")
    #expect(sender("::", 9000).srtAddress == "srt://[::]:9000?passphrase=0123456789")
    #expect(sender("::", nil).hasKey("0123456789"))
    for other in ["", "012345678", "01234567890", "0123456788"] {
      #expect(!sender("::", nil).hasKey(other))
    }
    #expect(!GuestSender(key: "", at: .init(host: "::", port: 1)).hasKey(""))
  }

  @Test func addressesInText() {
    for host in ["192.0.2.7", "::1", "2001:db8::5"] {
      let endpoint = Endpoint(host: host, port: 1935)
      #expect(endpoint?.host == host && endpoint.map { $0.bytes[2..<4] } == [0x07, 0x8F])
    }
    #expect(Endpoint(host: "::ffff:192.0.2.7", port: 1)?.host == "192.0.2.7")
    #expect(Endpoint(host: "localhost", port: 1) == nil)
  }
}
