// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import Logging
import Media
import Settings
import Testing

@testable import Appliance

@Suite struct StationTests {
  /// The state directory of a box that was at something when its power went.
  private func directory(after broadcast: Intent.Broadcast) throws -> String {
    let directory = StateDirectoryTests.fresh()
    _ = try StateDirectory(path: directory)
    let store = IntentStore(directory: directory) { _ in }
    store.start()
    store.save(Intent(broadcast: broadcast))
    #expect(store.stop(by: .now() + .seconds(2)))
    return directory
  }

  /// A box that was live, and after a power cut has no key any more: it is off the air, which is not what was
  /// wanted, and stays so only if a person says it.
  @Test func aBoxThatHasLostItsKeySaysSo() throws {
    let directory = try directory(after: .live)

    let configuration = try Configuration.load(
      file: nil, overrides: ["publish.url=rtmp://127.0.0.1/live", "state.directory=\(directory)"],
      environment: [:])
    let store = IntentStore(directory: directory) { _ in }
    let station = Station(
      configuration: configuration,
      reload: { () throws(ConfigurationError) in configuration }, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    store.start()
    #expect(station.supervise(.now()) == nil)
    #expect(station.intent == Intent())
    #expect(station.lamp == .fault)

    #expect(try !station.perform(.stop, by: "test"))
    station.settle(by: .now() + .seconds(2))
    #expect(station.lamp == .offAir)
    #expect(store.stop(by: .now() + .seconds(2)))
    #expect(IntentStore(directory: directory) { _ in }.found == Intent())
  }

  /// The same box, whose settings are then mended: it goes on with what it was at, as it would after a start.
  @Test func aBoxWhoseKeyIsBackGoesOn() throws {
    let directory = try directory(after: .paused)

    let overrides = ["publish.url=rtmp://127.0.0.1/live", "state.directory=\(directory)"]
    let store = IntentStore(directory: directory) { _ in }
    let station = Station(
      configuration: try Configuration.load(file: nil, overrides: overrides, environment: [:]),
      reload: { () throws(ConfigurationError) in
        try Configuration.load(
          file: nil, overrides: overrides + ["publish.key=k"], environment: [:])
      }, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    store.start()
    #expect(station.intent == Intent())
    #expect(station.lamp == .fault)
    #expect(station.answer("reload", by: "test").ok)
    #expect(station.intent == Intent(broadcast: .paused))
    #expect(station.lamp == .starting)
    #expect(store.stop(by: .now() + .seconds(2)))
  }

  /// The target and the least may change on the air.
  @Test func ratesAreRenewed() throws {
    let directory = StateDirectoryTests.fresh()
    _ = try StateDirectory(path: directory)
    let overrides = [
      "publish.url=rtmp://127.0.0.1/live", "publish.key=k", "state.directory=\(directory)",
    ]
    let store = IntentStore(directory: directory) { _ in }
    let configuration = try Configuration.load(file: nil, overrides: overrides, environment: [:])
    let lower = try Configuration.load(
      file: nil, overrides: overrides + ["video.bitrate_kbps=900", "network.mode=fixed"],
      environment: [:])
    let station = Station(
      configuration: configuration, reload: { () throws(ConfigurationError) in lower },
      store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    #expect(station.answer("reload", by: "test").changed)
    #expect(!station.answer("reload", by: "test").changed)
    let limits = BitrateController.Limits(configuration.settings, rates: lower.settings)
    #expect(limits.targetKbps == 900)
    #expect(limits.floorKbps <= 450)
    #expect(limits.mode == .resolution)
  }
}
