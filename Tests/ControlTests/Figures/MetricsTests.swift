// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Foundation
import Logging
import Media
import Settings
import Testing

@testable import Control
@testable import Studio

@Suite struct MetricsTests {
  private static let promtool = "/usr/bin/promtool"

  /// What `promtool check metrics` says of a text; "" if nothing is wrong.
  private func check(_ text: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: MetricsTests.promtool)
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
      + (process.terminationStatus == 0 ? "" : "exit code \(process.terminationStatus)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: promtool)))
  func prometheusAcceptsThem() throws {
    #expect(try check(MetricsText.of(FigureSamples.reading(7))) == "")
    #expect(try check(MetricsText.of(nil)) == "")
    #expect(try !check("onair_frames 1 2 3\n").isEmpty, "it finds mistakes")
  }

  /// A station that is measured: before the first time, off air, and in a broadcast that no server takes.
  @Test func aStationHasFigures() throws {
    let directory = freshDirectory()
    _ = try StateDirectory(path: directory)
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

    let deadline = MediaTime.now() + .seconds(60)
    repeat {
      #expect(station.supervise(.now()) == nil)
      station.measure(.now())
      (MediaTime.now() + .milliseconds(20)).sleepUntil()
    } while station.figures?.start?.devicesMs == nil && .now() < deadline
    texts.append(station.metrics)
    let figures = try #require(station.figures)
    #expect(figures.video?.width == 160 && figures.video?.captured ?? 0 > 0)
    #expect(figures.audio != nil && figures.start?.connectedMs == nil)
    #expect(figures.destinations.map(\.name) == ["main"])
    #expect(figures.machine.cpuPercent != nil && figures.machine.ownCpuPercent != nil)
    let server = try #require(station.status.destinations.first)
    #expect(server.url == "rtmp://127.0.0.1:1/live/***")
    var reader = LevelReader()
    #expect(station.levels(&reader) != nil)
    #expect(String(decoding: station.history(seconds: 60), as: UTF8.self).hasPrefix("{\"end\":\""))
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
    station.measure(.now())
    texts.append(station.metrics)

    #expect(texts.allSatisfy { $0.contains("onair_info{version=\"\(Version.current)\"} 1\n") })
    #expect(!texts.contains { $0.contains("s3cret") })
    guard FileManager.default.isExecutableFile(atPath: MetricsTests.promtool) else { return }
    for text in texts { #expect(try check(text) == "") }
  }

  @Test func labelsAreEscaped() {
    var text = MetricsText()
    text.add("a", .gauge, "A.", [.init(0.5, ("b", "\\ \" \n")), .init(nil, ("b", "c"))])
    text.add("c_total", .counter, "None.", [.init(nil)])
    #expect(text.text == "# HELP a A.\n# TYPE a gauge\na{b=\"\\\\ \\\" \\n\"} 0.5\n")
  }

  @Test func theNamesAreAContract() {
    let lines = MetricsText.of(FigureSamples.reading(7)).split(separator: "\n")
    let types = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.dropFirst(7) }
    let helps = lines.filter { $0.hasPrefix("# HELP") }
    #expect(types.count == helps.count)
    #expect(lines.filter { !$0.hasPrefix("#") }.map(String.init) == MetricsTests.golden)
    for line in types {
      #expect(line.hasSuffix(" counter") == line.contains("_total "), "\(line)")
    }
  }

  private static let golden = """
    GOLDEN
    """.split(separator: "\n").map(String.init)
}
