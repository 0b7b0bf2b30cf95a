// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import FoundationEssentials
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Studio

/// A station with the test pattern and the test tone that publishes to a server on this machine. The test is its
/// supervisor.
struct LiveStation {
  let directory: String
  let store: IntentStore
  let station: Station
  let desk: SettingsDesk

  /// - Parameters:
  ///   - port: of the server of the settings.
  ///   - directory: of an earlier station, as after a power cut.
  ///   - overrides: of the command line.
  init(port: Int, in directory: String? = nil, _ overrides: String...) throws {
    try self.init(port: port, in: directory, overrides: overrides)
  }

  init(port: Int, in directory: String? = nil, overrides: [String]) throws {
    self.directory = directory ?? stateDirectory()
    let file = "\(self.directory)/../box.toml"
    try Data(
      """
      publish = {url = "rtmp://127.0.0.1:\(port)/live", key = "k"}
      video = {source = "pattern", size = "160x90"}
      audio = {source = "tone"}
      """.utf8
    ).write(to: URL(filePath: file))
    let overrides = ["state.directory=\(self.directory)"] + overrides
    let load: SettingsReader = { (source) throws(ConfigurationError) in
      try Configuration.load(file: file, runTime: source, overrides: overrides, environment: [:])
    }
    store = IntentStore(directory: self.directory) { _ in }
    let events = EventLog(
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0)
    let configuration = try load(.directory(self.directory))
    station = Station(configuration: configuration, reload: load, store: store, events: events)
    desk = SettingsDesk(station, configuration: configuration, reload: load)
    store.start()
  }

  /// Supervises until something has happened.
  func run(until condition: () -> Bool) -> Bool {
    let deadline = MediaTime.now() + .seconds(600)
    repeat {
      if condition() { return true }
      _ = station.supervise(.now())
      desk.judgeTrial(.now())
      (MediaTime.now() + .milliseconds(5)).sleepUntil()
    } while .now() < deadline
    return condition()
  }

  /// Whether the server has the stream, of a broadcast or of a part of it.
  var isDelivering: Bool {
    station.status.destinations.first.map { $0.state == "delivering" && $0.sentBytes > 0 } ?? false
  }

  /// The server that the broadcast goes to.
  var port: Int? {
    station.state.withLock { try? $0.target.get() }.flatMap { $0.target.port }
  }

  /// What has happened since it began: the newest 200.
  var events: [Event] { station.events.newest }

  func count(_ code: Event.Code) -> Int { events.count { $0.code == code } }

  func end() {
    #expect(station.stop(goodbye: false, by: .now() + .seconds(60)))
    #expect(store.stop(by: .now() + .seconds(60)))
  }
}
