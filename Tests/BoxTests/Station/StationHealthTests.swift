// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Studio

@Suite struct StationHealthTests {
  /// From the files of a Raspberry Pi to events, status and studio.
  @Test func heatAndAWeakSupplyReachTheStatus() throws {
    let directory = stateDirectory()
    let sys = try FakeSys(FakeSys.pi(temp: "55000", flags: "0"))
    let time = VirtualClock()
    let configuration = try Configuration.load(
      file: nil, overrides: ["state.directory=\(directory)"], environment: [:])
    let station = Station(
      configuration: configuration, reload: { _ throws(ConfigurationError) in configuration },
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: time.clock),
      root: sys.root)
    func measure(seconds: Int) {
      for _ in 0..<seconds {
        time.advance(by: .seconds(1))
        station.measure(time.now)
      }
    }
    func troubles() -> [Trouble] {
      station.status.troubles.filter { ["heat", "power"].contains($0.subject) }
    }
    #expect(station.studio.clockShare == 1)
    measure(seconds: 5)
    #expect(troubles() == [] && station.studio.clockShare == 1)

    try sys.write(FakeSys.pi(temp: "82300", flags: "80009", alarm: "1"))
    measure(seconds: 5)
    #expect(troubles().map(\.subject) == ["power", "heat"])
    #expect(troubles().map(\.cause) == ["under_voltage", "hot"])
    #expect(troubles().map(\.sinceSeconds) == [4, 2])
    #expect(
      troubles().last?.sentence
        == "The box is too hot (82 °C): give it air or a heat sink. The picture may get coarser.")
    #expect(station.studio.clockShare == 1, "the soft limit has lowered the clock: frames show it")
    let machine = try #require(station.figures?.machine)
    #expect(machine.temperatureC == 82.3 && machine.clockPercent == 100)
    #expect(machine.underVoltage == true && machine.throttled == false)
    #expect(station.metrics.contains("onair_machine_under_voltage 1\n"))

    try sys.write(FakeSys.pi(temp: "55000", flags: "80000"))
    measure(seconds: 70)
    #expect(troubles() == [] && station.studio.clockShare == 1)
    #expect(station.events.newest.map(\.code) == [.powerWeak, .tooHot, .heatGone, .powerGood])
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
  }
}
