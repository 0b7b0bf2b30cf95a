// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Figures
@testable import Studio

@Suite struct StationFiguresTests {
  /// A station that is measured: before the first time, off air, and in a broadcast that no server takes.
  @Test func aStationHasFigures() throws {
    let directory = stateDirectory()
    let configuration = try Configuration.load(
      file: nil,
      overrides: [
        "publish.url=rtmp://127.0.0.1:1/live", "publish.key=s3cret", "publish.autostart=always",
        "state.directory=\(directory)", "video.source=pattern", "audio.source=tone",
        "video.size=160x90",
      ], environment: [:])
    let store = IntentStore(directory: directory) { _ in }
    let station = Station(
      configuration: configuration, reload: { _ throws(ConfigurationError) in configuration },
      store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    var texts = [station.metrics]
    #expect(station.figures == nil)
    station.measure(.now())
    texts.append(station.metrics)
    #expect(station.figures?.video == nil && station.figures?.machine.memoryMb ?? 0 > 1)
    #expect(station.figures?.destinations == [])

    let deadline = MediaTime.now() + .seconds(600)
    var reader = SoundReader()
    var levels: Levels?
    repeat {
      #expect(station.supervise(.now()) == nil)
      station.measure(.now())
      levels = station.levels(&reader, mayViewOffAir: true) ?? levels
      (MediaTime.now() + .milliseconds(20)).sleepUntil()
    } while (station.figures?.start?.devicesMs == nil || levels == nil) && .now() < deadline
    texts.append(station.metrics)
    let figures = try #require(station.figures)
    #expect(figures.video?.width == 160 && figures.video?.captured ?? 0 > 0)
    #expect(figures.audio != nil && figures.start?.connectedMs == nil)
    #expect(figures.destinations.map(\.name) == ["main"])
    #expect(figures.machine.cpuPercent != nil && figures.machine.ownCpuPercent != nil)
    let server = try #require(station.status.destinations.first)
    #expect(server.url == "rtmp://127.0.0.1:1/live/***")
    #expect(levels != nil)
    #expect(String(decoding: station.history(seconds: 60), as: UTF8.self).hasPrefix("{\"end\":\""))
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
    station.measure(.now())
    texts.append(station.metrics)

    #expect(texts.allSatisfy { $0.contains("onair_info{version=\"\(Version.current)\"} 1\n") })
    #expect(!texts.contains { $0.contains("s3cret") })
  }
}
