// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Foundation
import Settings
import Testing

@testable import Box
@testable import Studio

/// Relays of a broadcast to servers on this machine.
@Suite struct RelayStationTests {
  private func add(
    _ name: String, _ server: FakeServer, to live: LiveStation
  ) throws -> ControlReply {
    try live.desk.change(
      SettingsPatch([
        "relay.\(name).url": .text("rtmp://127.0.0.1:\(server.port)/live"),
        "relay.\(name).key": .text("key-\(name)"),
      ]), by: "by test")
  }

  private func state(_ name: String, _ live: LiveStation) -> String? {
    live.station.status.relays.first { $0.name == name }?.state
  }

  private func codes(of name: String, _ live: LiveStation) -> [String] {
    live.station.events.newest.filter { $0.destination == name }.map(\.code.rawValue)
  }

  @Test func relaysComeAndGoWhileTheMainServerHasTheStream() throws {
    let (main, one, two) = (
      try FakeServer.reading(), try FakeServer.reading(), try FakeServer.reading()
    )
    defer { for server in [main, one, two] { server.end() } }
    let live = try LiveStation(port: main.port)
    #expect(try add("one", one, to: live).changed)
    #expect(state("one", live) == "idle", "off air")
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering && state("one", live) == "running" })
    let before = try #require(live.station.status.destinations.first)

    #expect(try add("two", two, to: live).changed)
    #expect(live.run { state("two", live) == "running" })
    #expect(codes(of: "two", live) == ["relay_connecting", "relay_running"])

    #expect(try live.station.relay(.stop, "one", by: "by test") == ["one"])
    #expect(try live.station.relay(.stop, "one", by: "by test").isEmpty, "a second time")
    #expect(
      live.run { state("one", live) == "idle" && codes(of: "one", live).last == "relay_stopped" })
    #expect(try !live.station.relay(.start, nil, by: "by test").isEmpty)
    #expect(live.run { state("one", live) == "running" })
    #expect(try live.station.relay(.pause, "two", by: "by test") == ["two"])
    #expect(live.run { state("two", live) == "idle" })
    #expect(live.station.status.relays.first { $0.name == "two" }?.paused == true)
    #expect(try !live.station.relay(.resume, nil, by: "by test").isEmpty)
    #expect(live.run { state("two", live) == "running" })
    #expect(throws: StationError.self) { try live.station.relay(.stop, "none", by: "by test") }

    _ = try live.desk.change(
      SettingsPatch(["relay.two.url": nil, "relay.two.key": nil]), by: "by test")
    #expect(state("two", live) == nil)
    #expect(live.run { codes(of: "two", live).last == "relay_stopped" })
    let after = try #require(live.station.status.destinations.first)
    #expect(after.state == "delivering" && after.dropped == before.dropped)
    #expect(after.reconnects == 0 && after.failures == 0)
    #expect(live.station.status.destinations.count == 1)
    try live.station.perform(.stop, by: "by test")
    #expect(live.run { !live.station.isOnAir })
    #expect(throws: StationError.self) { try live.station.relay(.start, nil, by: "by test") }
    #expect(live.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }

  /// Whether a relay begins by itself, said during a broadcast, comes after what was asked by hand before.
  @Test func enabledCountsDuringABroadcast() throws {
    let (main, one) = (try FakeServer.reading(), try FakeServer.reading())
    defer { for server in [main, one] { server.end() } }
    let live = try LiveStation(port: main.port)
    func set(_ isEnabled: Bool) throws {
      _ = try live.desk.change(
        SettingsPatch(["relay.one.enabled": .flag(isEnabled)]), by: "by test")
    }
    #expect(try add("one", one, to: live).changed)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { state("one", live) == "running" })
    // By hand, so that it does not run for being enabled.
    #expect(try live.station.relay(.stop, "one", by: "by test") == ["one"])
    #expect(try live.station.relay(.start, "one", by: "by test") == ["one"])
    #expect(live.run { state("one", live) == "running" })
    try set(false)
    #expect(live.run { state("one", live) == "idle" })
    // Also after a power cut.
    let saved = RelayDesk.savedRequests(live.directory, of: live.desk.configuration)
    #expect(saved.isEmpty)
    #expect(try live.station.relay(.start, "one", by: "by test") == ["one"])
    #expect(live.run { state("one", live) == "running" })
    #expect(live.station.relays[0].statusLine.contains("has the stream, begun by hand"))
    // Another setting changes nothing about it.
    _ = try live.desk.change(SettingsPatch(["video.mirror": .flag(true)]), by: "by test")
    #expect(state("one", live) == "running")
    #expect(try live.station.relay(.stop, "one", by: "by test") == ["one"])
    try set(true)
    #expect(live.run { state("one", live) == "running" })
    #expect(live.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }

  /// The main server has the stream, and the lamp says so, whatever a relay does.
  @Test func aRelayThatFailsIsToldAndHarmsNobody() throws {
    let main = try FakeServer.reading()
    defer { main.end() }
    let live = try LiveStation(port: main.port)
    _ = try live.desk.change(
      SettingsPatch(["relay.bad.url": .text("rtmp://127.0.0.1:1/live/k")]), by: "by test")
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering && state("bad", live) == "failure" })
    #expect(live.run { live.station.lamp == .live })
    let relay = try #require(live.station.status.relays.first)
    #expect(relay.code == "connection_refused")
    #expect(relay.sentence?.contains("the address of the relay bad") == true)
    #expect(live.station.status.troubles.map(\.subject) == ["relay bad"])
    #expect(codes(of: "bad", live) == ["relay_connecting", "relay_failed"])
    _ = try live.desk.change(
      SettingsPatch(["panel.lamp_relays": .flag(true)]), by: "by test")
    #expect(live.run { live.station.lamp == .weak })
    #expect(live.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }

  /// Who reads that nobody sees the room must be able to rely on it.
  @Test func theStatusTellsThatRelaysSendWithoutTheMainServer() throws {
    let one = try FakeServer.reading()
    defer { one.end() }
    let live = try LiveStation(port: 1)
    try live.station.perform(.start, by: "by test")
    func broadcast() -> String? {
      live.station.status.lines.first { $0.name == "Broadcast" }?.value
    }
    #expect(live.run { broadcast()?.hasPrefix("not on the air: no server takes it") == true })
    #expect(try add("one", one, to: live).changed)
    #expect(
      live.run { broadcast()?.hasPrefix("on the air at 1 relay, but not at the first") == true })
    #expect(live.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }

  /// What was asked for a broadcast that has ended does not count for one that begins by itself.
  @Test func aNewBroadcastForgetsWhatWasAskedBefore() throws {
    let (main, one) = (try FakeServer.reading(), try FakeServer.reading())
    defer { for server in [main, one] { server.end() } }
    let live = try LiveStation(port: main.port, in: nil, "publish.autostart=always")
    _ = try add("one", one, to: live)
    #expect(live.run { state("one", live) == "running" })
    _ = try live.station.relay(.stop, "one", by: "by test")
    try live.station.perform(.stop, by: "by test")
    #expect(live.run { !live.station.isOnAir && live.station.isSettled })
    live.end()

    let again = try LiveStation(port: main.port, in: live.directory, "publish.autostart=always")
    #expect(again.run { state("one", again) == "running" })
    again.end()
  }

  /// A change that is taken back brings no key back: its server may be another one by then.
  @Test func noKeyComesBackWithATrial() throws {
    let main = try FakeServer.reading()
    defer { main.end() }
    let live = try LiveStation(port: main.port)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering && live.station.studio.health(.now()).video == .good })
    let reply = live.desk.answerOnTrial(
      SettingsPatch([
        "relay.one.url": .text("rtmp://127.0.0.1:1/live"), "relay.one.key": .text("k"),
        "video.fps": .integer(25),
      ]), by: "by test", isRemote: true)
    #expect(reply.ok)
    #expect(live.desk.trial.withLock { $0 }?.undoPatch == SettingsPatch(["video.fps": nil]))
    live.end()
  }

  /// The check of a change from elsewhere is made where the change is.
  @Test func aRemoteChangeIsCheckedAgainstWhatIsThen() throws {
    let main = try FakeServer.reading()
    defer { main.end() }
    let live = try LiveStation(port: main.port)
    let evil = SettingsPatch(["publish.url": .text("rtmp://evil.example.net/live")])
    #expect(throws: StationError.self) {
      try live.desk.change(evil, by: "by test", isRemote: true)
    }
    #expect(throws: StationError.self) {
      try live.desk.change(by: "by test", isRemote: true) { _ in evil }
    }
    live.end()
  }

  /// What takes the stream from a relay counts even if the disk takes nothing.
  @Test func aRelayCanBeStoppedWithoutADisk() throws {
    let (main, one) = (try FakeServer.reading(), try FakeServer.reading())
    defer { for server in [main, one] { server.end() } }
    let live = try LiveStation(port: main.port)
    _ = try add("one", one, to: live)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { state("one", live) == "running" && live.station.isSettled })
    let manager = FileManager.default
    try manager.removeItem(atPath: live.directory)
    #expect(manager.createFile(atPath: live.directory, contents: nil))
    #expect(try live.station.relay(.stop, "one", by: "by test") == ["one"])
    #expect(live.run { state("one", live) == "idle" })
    #expect(throws: StationError.self) { try live.station.relay(.start, "one", by: "by test") }
    #expect(state("one", live) == "idle")
    _ = live.station.stop(goodbye: true, by: .now() + .seconds(60))
  }

  /// A platform that was stopped does not get the stream again after a power cut.
  @Test func whatWasStoppedStaysStoppedAfterAPowerCut() throws {
    let (main, one) = (try FakeServer.reading(), try FakeServer.reading())
    defer { for server in [main, one] { server.end() } }
    let live = try LiveStation(port: main.port)
    _ = try add("one", one, to: live)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { state("one", live) == "running" })
    _ = try live.station.relay(.stop, "one", by: "by test")
    #expect(live.run { live.station.isSettled })
    #expect(live.station.stop(goodbye: false, by: .now() + .seconds(60)))
    _ = live.store.stop(by: .now() + .seconds(60))

    let again = try LiveStation(port: main.port, in: live.directory)
    #expect(again.run { again.isDelivering })
    #expect(state("one", again) == "idle")
    // The next broadcast begins with all that are enabled.
    try again.station.perform(.stop, by: "by test")
    #expect(again.run { !again.station.isOnAir })
    try again.station.perform(.start, by: "by test")
    #expect(again.run { state("one", again) == "running" })
    #expect(again.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }
}
