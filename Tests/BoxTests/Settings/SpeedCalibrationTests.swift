// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Logging
import RateControl
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
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
    let directory = stateDirectory()
    #expect(SpeedCalibration.kept(in: directory) == nil)
    let first = SpeedCalibration(directory: directory, station: try station(directory))
    first.start()
    #expect(eventually { SpeedCalibration.kept(in: directory) != nil })
    #expect(first.stop(by: .now() + .seconds(60)))
    let kept = try #require(SpeedCalibration.kept(in: directory))
    let next = try station(directory)
    let second = SpeedCalibration(directory: directory, station: next)
    #expect(next.studio.state.withLock { $0.costs } == kept, "at the next start they are there")
    second.start()
    #expect(second.stop(by: .now() + .seconds(60)))
  }

  /// Without "onair bench" the check estimates; after it, the check knows.
  @Test func theCheckUsesWhatTheBenchHasMeasured() throws {
    let directory = stateDirectory()
    func warning(_ overrides: String...) throws -> String? {
      let settings = try Configuration.load(file: nil, overrides: overrides, environment: [:])
        .settings
      return SpeedCalibration.warning(of: settings.video, in: directory, processors: 2)
    }
    let hd = SpeedMeasurement.FrameTime(
      width: 1_280, height: 720, seconds: 0.04, processorSeconds: 0.06)
    // Exact figures: the usual rung costs twice the first.
    let costs = SpeedCosts(
      rungs: (0...SpeedLadder.top).map { 1 + Double($0) / 2 }, nanosPerPixel: 100)
    #expect(try warning() == nil, "nothing was measured")
    try SpeedCalibration.keep(costs, in: directory)
    #expect(SpeedCalibration.measurement(in: directory) == nil)
    // 92 ms of one processor for the first rung.
    #expect(
      try warning()
        == "this machine encodes 1280x720 at about 10 frames a second, not at 30 (an estimate, which \"onair bench\" "
        + "makes exact): choose a smaller video.size or a lower video.fps")

    let measurement = try #require(SpeedMeasurement(costs: costs, sizes: [hd]))
    try SpeedCalibration.keep(measurement, in: directory)
    #expect(SpeedCalibration.measurement(in: directory) == measurement)
    #expect(SpeedCalibration.kept(in: directory) == costs)
    // 0.68 of the time at 0.02 s for the first rung.
    #expect(try warning("video.fps=30") == nil)
    #expect(
      try warning("video.fps=60")
        == "this machine encodes 1280x720 at 34 frames a second, not at 60 (measured by \"onair bench\"): choose a "
        + "smaller video.size or a lower video.fps")
    // 0.3 of two processors at 0.03 s: 20 frames a second.
    #expect(try #require(try warning("video.cpu_percent=30")).contains("at 20 frames a second"))
  }

  /// Costs of another processor or library, or a broken file, count as none.
  @Test(arguments: [
    ("\"processor\":\"", "\"processor\":\"another "), ("\"library\":\"", "\"library\":\"another "),
    ("{", "["), ("\"nanosPerPixel\":", "\"nanosPerPixel\":-"),
    ("\"nanosPerPixel\":", "\"nanosPerPixel\":1e300,\"x\":"),
  ])
  func othersCostsAreNotUsed(_ text: String, _ other: String) throws {
    let directory = stateDirectory()
    let costs = SpeedCosts(nanosPerPixel: 100)
    try SpeedCalibration.keep(costs, in: directory)
    #expect(SpeedCalibration.kept(in: directory) == costs)
    let file = URL(filePath: "\(directory)/speed.json")
    let kept = try String(contentsOf: file, encoding: .utf8)
    try Data(kept.replacing(text, with: other, maxReplacements: 1).utf8).write(to: file)
    #expect(SpeedCalibration.kept(in: directory) == nil)
  }
}
