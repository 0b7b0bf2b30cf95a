// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import Logging
import Media
import Settings
import Testing

@testable import Appliance

@Suite struct StationTests {
  /// A box that was live, and after a power cut has no key any more: it is off the air, which is not what was
  /// wanted, and stays so only if a person says it.
  @Test func aBoxThatHasLostItsKeySaysSo() throws {
    let directory = StateDirectoryTests.fresh()
    _ = try StateDirectory(path: directory)
    let before = IntentStore(directory: directory) { _ in }
    before.start()
    before.save(Intent(broadcast: .live))
    #expect(before.stop(by: .now() + .seconds(2)))

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
}
