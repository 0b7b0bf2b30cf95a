// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import Logging
import RateControl
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Figures
@testable import Studio

/// The test of the connection as the API has it.
@Suite struct UplinkTests {
  private func station(port: Int) throws -> (Station, IntentStore) {
    let directory = stateDirectory()
    let configuration = try Configuration.load(
      file: nil,
      overrides: [
        "publish.url=rtmp://127.0.0.1:\(port)/live", "publish.key=secretKey",
        "state.directory=\(directory)", "video.source=pattern", "audio.source=tone",
        "video.size=160x90",
      ], environment: [:])
    let store = IntentStore(directory: directory) { _ in }
    store.start()
    let station = Station(
      configuration: configuration,
      reload: { _ throws(ConfigurationError) in configuration }, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    return (station, store)
  }

  private func fault(_ body: () throws -> Void) -> String? {
    do { try body() } catch let fault as StationError { return fault.code } catch {}
    return nil
  }

  /// The server refuses a second stream while it still reads the test's.
  @Test func aBroadcastEndsTheTestAtOnce() throws {
    let isTaken = Mutex(false)
    let server = try FakeServer { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      let isFree = isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
      guard isFree else {
        return try peer.status(level: "error", "NetStream.Publish.BadName")
      }
      try peer.status("NetStream.Publish.Start")
      peer.readToEnd()
      isTaken.withLock { $0 = false }
    }
    defer { server.end() }
    let (station, store) = try station(port: server.port)
    #expect(station.uplink == .none)
    #expect(try station.testUplink(by: "by test").state == .running)
    #expect(fault { try station.testUplink(by: "by test") } == "running")
    #expect(eventually { isTaken.withLock { $0 } })
    #expect(station.uplink.state == .running && (station.uplink.secondsLeft ?? 0) > 0)
    #expect(station.studio.halves.video == nil && station.studio.halves.audio == nil)
    #expect(station.intent == Intent() && !station.isOnAir)

    #expect(try station.perform(.start, by: "test"))
    #expect(fault { try station.testUplink(by: "by test") } == "on_air")
    #expect(
      eventually {
        _ = station.supervise(.now())
        return station.status.destinations.first?.state == "delivering"
      })
    #expect(station.uplink.state == .failed && station.uplink.cause == "stopped")
    #expect(fault { try station.testUplink(by: "by test") } == "on_air")
    #expect(station.stop(goodbye: true, by: .now() + .seconds(60)))
    #expect(store.stop(by: .now() + .seconds(60)))
  }

  /// The end of the program ends the test, too.
  @Test func theProgramEndsDuringATest() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let (station, store) = try station(port: server.port)
    try station.testUplink(by: "by test")
    #expect(station.stop(goodbye: true, by: .now() + .seconds(60)))
    #expect(station.uplink.state == .failed)
    #expect(store.stop(by: .now() + .seconds(60)))
  }

  @Test func whatTheAPIAnswers() throws {
    let (station, store) = try station(port: FakeServer.freePort())
    func answer() -> String { String(decoding: JSON.encode(station.uplink), as: UTF8.self) }
    #expect(answer() == #"{"state":"none"}"#)
    try station.testUplink(by: "by test")
    #expect(eventually { station.uplink.state != .running })
    #expect(answer().contains(#""cause":"connection_refused""#))
    #expect(answer().contains("Nothing listens at 127.0.0.1 port"))
    #expect(!answer().contains("secretKey"))
    let size = PictureSize(width: 1_280, height: 720)
    let verdict = UplinkVerdict(
      throughputKbps: 5_200, isUnlimited: false, audioKbps: 128, asked: (size, 2_000),
      choices: [UplinkVerdict.Choice(size: size, kbps: 2_000, mostKbps: 4_000)])
    #expect(
      String(decoding: JSON.encode(Uplink(.done(verdict))), as: UTF8.self)
        == #"{"recommended_kbps":3700,"recommended_size":"1280x720","sentence":"#
        + #""The connection carries 5.2 Mbit/s. 1280x720 at 2000 kbit/s has room to spare.","#
        + #""state":"done","throughput_kbps":5200}"#)
    var faster = verdict
    faster.isUnlimited = true
    #expect(
      String(decoding: JSON.encode(Uplink(.done(faster))), as: UTF8.self)
        .contains(#""at_least":true"#))
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
    #expect(store.stop(by: .now() + .seconds(60)))
  }
}
