// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Mux
import Publish
import RateControl
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Studio

/// Uplink tests against servers on this machine. The smallest size has the lowest rates, so they take three seconds.
@Suite struct UplinkTestTests {
  private func test(
    port: Int, ended: @escaping @Sendable (UplinkTest.State) -> Void = { _ in }
  ) throws -> UplinkTest {
    // Devices that do not exist: a test that opened them would fail.
    let settings = try StudioTests.settings(
      "video.source=camera:/dev/nowhere", "audio.source=microphone:nowhere")
    let target = try RTMPTarget(
      transport: .plain, host: "127.0.0.1", port: port, app: "live", streamKey: "key")
    return UplinkTest(settings: settings, target: .rtmp(target), encoder: "test", ended: ended)
  }

  private func outcome(_ test: UplinkTest) -> UplinkTest.State {
    test.start()
    #expect(eventually { !test.isRunning })
    #expect(test.stop(by: .now() + .seconds(60)))
    return test.state
  }

  /// What a server has received.
  private final class Received: Sendable {
    struct Totals {
      var videoBytes = 0
      var fillers = 0
      var keyframes = 0
      var audio = 0
      var commands: [String] = []
    }

    let totals = Mutex(Totals())

    func note(_ message: Peer.Message) {
      totals.withLock { totals in
        switch message.type {
        case 0x09:
          totals.videoBytes += message.body.count
          if message.body.starts(with: [0x17, 1]) { totals.keyframes += 1 }
          // The end of a filler NAL unit.
          if message.body.suffix(3) == [0xFF, 0xFF, 0x80] { totals.fillers += 1 }
        case 0x08: totals.audio += 1
        case 0x14:
          if let name = AMF0Reader.values(message.body[...]).first?.string {
            totals.commands.append(name)
          }
        default: break
        }
      }
    }
  }

  @Test func aGoodServerGetsStillSilenceFillerAndAGoodbye() throws {
    let received = Received()
    let server = try FakeServer { peer in
      try peer.accept()
      while let message = try? peer.message() { received.note(message) }
    }
    defer { server.end() }
    let ends = Mutex<[UplinkTest.State]>([])
    let test = try test(port: server.port) { end in ends.withLock { $0.append(end) } }
    #expect(test.isRunning)
    let state = outcome(test)
    guard case .done(let verdict) = state else {
      Issue.record("\(state)")
      return
    }
    #expect(verdict.throughputKbps > 100)
    #expect(verdict.recommendedSize == PictureSize(width: 160, height: 90))
    #expect(ends.withLock { $0 } == [state])
    #expect(server.connections == 1)
    #expect(eventually { received.totals.withLock { $0.commands.contains("deleteStream") } })
    let totals = received.totals.withLock { $0 }
    #expect(totals.keyframes >= 1 && totals.fillers > 10 && totals.audio > 50)
    // Three seconds at 500 kbit/s and more.
    #expect(totals.videoBytes > 100_000)
  }

  /// The server reads 160 kbit/s.
  @Test func aSlowReaderIsFound() throws {
    let server = try FakeServer { peer in
      try peer.accept()
      peer.limitReceiving(to: 4_096)
      var next = MediaTime.now()
      while (try? peer.read(1_000)) != nil {
        next = max(next + .milliseconds(50), .now())
        next.sleepUntil()
      }
    }
    defer { server.end() }
    guard case .done(let verdict) = outcome(try test(port: server.port)) else {
      Issue.record("no result")
      return
    }
    #expect(verdict.throughputKbps < 400)
    #expect(!verdict.sentence.contains("at least"))
  }

  @Test func aRefusalEndsTheTest() throws {
    let server = try FakeServer { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Publish.Rejected", "not authorized")
      peer.readToEnd()
    }
    defer { server.end() }
    let test = try test(port: server.port)
    let state = outcome(test)
    #expect(
      state
        == .failed(
          .destination(.refused(.notAllowed), said: "not authorized", test.target)))
    #expect(server.connections == 1, "it does not try again")
  }

  /// Some servers take each stream and look at the key afterwards.
  @Test func aServerThatClosesAtOnceRefuses() throws {
    let server = try FakeServer { peer in try peer.accept() }
    defer { server.end() }
    let test = try test(port: server.port)
    #expect(outcome(test) == .failed(.destination(.closedAfterStart, said: "", test.target)))
  }

  @Test func nobodyListens() throws {
    let test = try test(port: FakeServer.freePort())
    #expect(
      outcome(test) == .failed(.destination(.connectionRefused, said: "", test.target)))
  }

  @Test func aStopEndsItWithAGoodbye() throws {
    let received = Received()
    let server = try FakeServer { peer in
      try peer.accept()
      while let message = try? peer.message() { received.note(message) }
    }
    defer { server.end() }
    let test = try test(port: server.port)
    test.start()
    #expect(eventually { received.totals.withLock { $0.videoBytes > 0 } })
    #expect(test.isRunning)
    #expect(test.stop(by: .now() + .seconds(60)))
    #expect(test.state == .failed(.stopped))
    #expect(eventually { received.totals.withLock { $0.commands.contains("deleteStream") } })
  }

  @Test func theChoicesFollowTheSettings() throws {
    let settings = try StudioTests.settings("video.size=1280x720", "audio.bitrate_kbps=128")
    let plan = UplinkChoices(settings)
    #expect(plan.choices.map(\.size.description) == ["1280x720", "854x480", "640x360"])
    #expect(plan.choices.map(\.kbps) == [2_000, 1_000, 800])
    #expect(plan.choices.map(\.mostKbps) == [4_000, 2_000, 1_600])
    #expect(plan.mostKbps == 2 * 4_128)
    let portrait = UplinkChoices(
      try StudioTests.settings("video.size=608x1080", "video.bitrate_kbps=900"))
    #expect(portrait.choices.map(\.size.description).prefix(2) == ["608x1080", "480x854"])
    #expect(portrait.asked.kbps == 900 && portrait.choices[0].kbps == 900)
  }
}
