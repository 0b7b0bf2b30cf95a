// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import FoundationEssentials
import Logging
import Media
import RateControl
import Settings
import Testing

@testable import Control
@testable import Studio

@Suite struct SpeedCalibrationTests {
  private func station(_ directory: String) throws -> Station {
    let configuration = try Configuration.load(
      file: nil, overrides: ["state.directory=\(directory)"], environment: [:])
    return Station(
      configuration: configuration,
      reload: { _ throws(ConfigurationError) in configuration },
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  @Test func costsAreMeasuredOnceAndKept() throws {
    let directory = freshDirectory()
    _ = try StateDirectory(path: directory)
    #expect(SpeedCalibration.kept(in: directory) == nil)
    let first = SpeedCalibration(directory: directory, station: try station(directory))
    first.start()
    #expect(Box.eventually { SpeedCalibration.kept(in: directory) != nil })
    #expect(first.stop(by: .now() + .seconds(60)))
    let kept = try #require(SpeedCalibration.kept(in: directory))
    let next = try station(directory)
    let second = SpeedCalibration(directory: directory, station: next)
    #expect(next.studio.state.withLock { $0.costs } == kept, "at the next start they are there")
    second.start()
    #expect(second.stop(by: .now() + .seconds(60)))
  }

  /// Costs of another processor or library, or a broken file, count as none.
  @Test(arguments: [
    ("\"processor\":\"", "\"processor\":\"another "), ("\"library\":\"", "\"library\":\"another "),
    ("{", "["),
  ])
  func othersCostsAreNotUsed(_ text: String, _ other: String) throws {
    let directory = freshDirectory()
    _ = try StateDirectory(path: directory)
    let calibration = SpeedCalibration(directory: directory, station: try station(directory))
    calibration.start()
    #expect(Box.eventually { SpeedCalibration.kept(in: directory) != nil })
    #expect(calibration.stop(by: .now() + .seconds(60)))
    let file = URL(filePath: "\(directory)/speed.json")
    let kept = try String(contentsOf: file, encoding: .utf8)
    try Data(kept.replacing(text, with: other, maxReplacements: 1).utf8).write(to: file)
    #expect(SpeedCalibration.kept(in: directory) == nil)
  }
}
