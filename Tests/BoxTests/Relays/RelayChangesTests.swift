// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Studio

/// Relays that are added, changed, removed, stopped and paused at random during one broadcast. In a process of its own, whose
/// descriptors and threads can be counted.
@Suite struct RelayChangesTests {
  private static var relayThreads: Int { ProcessFootprint.threads { $0.hasPrefix("rtmp r") } }

  @Test func threeHundredChanges() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      try RelayChangesTests.change(300)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
  }

  private static func change(_ count: Int) throws {
    let main = try FakeServer.reading()
    let servers = [try FakeServer.reading(), try FakeServer.reading()]
    let live = try LiveStation(port: main.port)
    try live.station.perform(.start, by: "by test")
    #expect(live.run { live.isDelivering })
    var random = SystemRandomNumberGenerator()
    let names = ["r1", "r2", "r3", "r4"]
    // Nothing listens at the last one.
    let ports = servers.map(\.port) + [1]
    func address(_ name: String) -> SettingsPatch.Value {
      .text("rtmp://127.0.0.1:\(ports.randomElement(using: &random) ?? 1)/live/\(name)")
    }
    func step() throws {
      let name = names.randomElement(using: &random) ?? "r1"
      let isThere = live.desk.configuration.relays.contains { $0.settings.name == name }
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        _ = try live.desk.change(SettingsPatch(["relay.\(name).url": address(name)]), by: "")
      case 2: _ = try live.desk.change(SettingsPatch(["relay.\(name).url": nil]), by: "")
      case let action:
        guard isThere else { return }
        let all: [RelayAction] = [.stop, .start, .pause]
        _ = try live.station.relay(all[action - 3], name, by: "")
      }
      let end = MediaTime.now() + .milliseconds(20)
      _ = live.run { .now() >= end }
    }
    // What is allocated once, as memory for threads.
    for _ in 0..<60 { try step() }
    func rest() throws {
      for name in names {
        _ = try live.desk.change(SettingsPatch(["relay.\(name).url": nil]), by: "")
      }
      #expect(live.run { relayThreads == 0 })
    }
    try rest()
    let (descriptorsBefore, memoryBefore) = (
      ProcessFootprint.descriptors, ProcessFootprint.residentKiB
    )
    for _ in 0..<count { try step() }
    try rest()
    // The servers close their ends, which are in this process, too.
    #expect(live.run { ProcessFootprint.descriptors <= descriptorsBefore })
    let memory = ProcessFootprint.residentKiB
    print(
      "descriptors \(descriptorsBefore) → \(ProcessFootprint.descriptors), "
        + "KiB \(memoryBefore) → \(memory)")
    #expect(memory < memoryBefore + 8_192)
    let server = try #require(live.station.status.destinations.first)
    #expect(server.reconnects == 0 && server.failures == 0)
    #expect(live.run { live.isDelivering })
    #expect(live.station.stop(goodbye: true, by: .now() + .seconds(60)))
  }
}
