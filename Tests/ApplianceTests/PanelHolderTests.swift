// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import Base
import Logging
import Settings
import TestSupport
import Testing

@testable import Appliance
@testable import Box
@testable import Events

@Suite struct PanelHolderTests {
  /// Who takes back the line that does not exist has no trouble any more; another one that does not exist is told.
  @Test func theTroublesOfAPanelEndWithIt() throws {
    let path = freshDirectory()
    let directory = try StateDirectory(path: path)
    let load: SettingsReader = { source throws(ConfigurationError) in
      try Configuration.load(
        file: nil, runTime: source,
        overrides: ["state.directory=\(path)", "page.listen=", "panel.chip=nowhere"],
        environment: [:])
    }
    let events = EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let configuration = try load(.directory(path))
    let station = Station(
      configuration: configuration, reload: load,
      store: IntentStore(directory: path) { _ in }, events: events)
    let desk = SettingsDesk(station, configuration: configuration, reload: load)
    let panel = PanelHolder(
      station: station, access: Access(directory: path, clock: .system) { _ in })
    station.add(panel.requested)
    func told() -> [String] { events.troubles.map(\.subject) }
    func reaches(_ subjects: [String]) -> Bool {
      let deadline = MediaTime.now() + .seconds(60)
      while told() != subjects, .now() < deadline {
        panel.refresh(by: .now() + .seconds(5))
        (MediaTime.now() + .milliseconds(5)).sleepUntil()
      }
      return told() == subjects
    }
    _ = try desk.change(
      SettingsPatch(["panel.button": .text("GPIO17"), "panel.lamp_red": .text("GPIO4")]),
      by: "by test")
    #expect(reaches(["main button", "red lamp"]))
    _ = try desk.change(SettingsPatch(["panel.button": nil]), by: "by test")
    #expect(reaches(["red lamp"]))
    _ = try desk.change(SettingsPatch(["panel.lamp_red": nil]), by: "by test")
    #expect(reaches([]))
    #expect(panel.stop(by: .now() + .seconds(60)))
    withExtendedLifetime(directory) {}
  }
}
