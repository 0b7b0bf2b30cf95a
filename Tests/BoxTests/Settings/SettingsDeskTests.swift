// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Glibc
import Logging
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events

/// Settings that are set and unset at run time.
@Suite struct SettingsDeskTests {
  static func desk(
    in directory: String, overrides: [String] = []
  ) throws -> SettingsDesk {
    let overrides =
      [
        "state.directory=\(directory)", "video.source=pattern", "audio.source=tone",
        "page.listen=", "publish.autostart=never",
      ] + overrides
    let reload: SettingsReader = { (runTime) throws(ConfigurationError) in
      try Configuration.load(file: nil, runTime: runTime, overrides: overrides, environment: [:])
    }
    let configuration = try reload(.stateDirectory)
    let station = Station(
      configuration: configuration, reload: reload,
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    return SettingsDesk(station, configuration: configuration, reload: reload)
  }

  @Test func aChangeIsSavedAndSurvivesARestart() throws {
    let directory = stateDirectory()
    let desk = try Self.desk(in: directory)
    let reply = try desk.change(
      SettingsPatch(["video.bitrate_kbps": .integer(900), "audio.gain_db": .text("3.5")]),
      by: "by test")
    #expect(reply.changed)
    #expect(reply.changes?.map(\.key).sorted() == ["audio.gain_db", "video.bitrate_kbps"])
    #expect(try RunTimeSettings(directory: directory).keys.count == 2)
    let again = try Self.desk(in: directory)
    #expect(again.inForce.withLock { $0.settings.video.bitrateKbps } == 900)
    #expect(again.inForce.withLock { $0.settings.audio.strip.gainDB } == 3.5)
    _ = try again.change(SettingsPatch(["video.bitrate_kbps": nil]), by: "by test")
    #expect(again.inForce.withLock { $0.settings.video.bitrateKbps } == 0)
    #expect(try RunTimeSettings(directory: directory).keys == ["audio.gain_db"])
    #expect(!(try again.change(SettingsPatch(["video.bitrate_kbps": nil]), by: "by test")).changed)
  }

  /// The event tells what was added, removed and changed apart.
  @Test func whatIsAddedOrRemovedIsToldAsThat() throws {
    let desk = try Self.desk(in: stateDirectory())
    let changes: [(change: [String: SettingsPatch.Value?], told: String)] = [
      (["filter.soft.kind": .text("skin")], "added filter.soft"),
      (["filter.soft.white": .integer(80)], "filter.soft.white"),
      (["filter.soft.enabled": .flag(false)], "filter.soft.enabled off"),
      (["filter.soft.enabled": .flag(true)], "filter.soft.enabled on"),
      (
        ["filter.soft.kind": nil, "filter.soft.white": nil, "filter.soft.enabled": nil],
        "removed filter.soft"
      ),
    ]
    for (change, told) in changes {
      _ = try desk.change(SettingsPatch(change), by: "by test")
      #expect(desk.events.newest.last?.sentence == "Changed settings, by test: \(told).")
    }
  }

  @Test func allMistakesAreToldAndNothingIsTaken() throws {
    let directory = stateDirectory()
    let desk = try Self.desk(in: directory)
    let before = desk.inForce.withLock { $0.settings }
    do throws(StationError) {
      _ = try desk.change(
        SettingsPatch([
          "video.bitrate_kbps": .integer(900), "video.fps": .integer(1_000),
          "vidio.size": .text("640x360"), "state.directory": .text("/tmp"),
          "audio.gain_db": .flag(true),
        ]), by: "by test")
      Issue.record("it was taken")
    } catch {
      guard case .mistakes(let problems) = error else { throw error }
      #expect(
        problems.map(\.key) == ["audio.gain_db", "state.directory", "video.fps", "vidio.size"])
      #expect(error.code == "unfit_settings")
    }
    #expect(desk.inForce.withLock { $0.settings } == before)
    #expect(try RunTimeSettings(directory: directory).isEmpty)
  }

  @Test func whatCannotBeSavedIsNotTaken() throws {
    let directory = stateDirectory()
    let desk = try Self.desk(in: directory)
    // Root may write anywhere, but not into a folder that is gone.
    let isGone = unsafe rename(directory, directory + ".gone") == 0
    #expect(isGone)
    defer { _ = unsafe rename(directory + ".gone", directory) }
    #expect {
      _ = try desk.change(SettingsPatch(["video.bitrate_kbps": .integer(900)]), by: "by test")
    } throws: {
      ($0 as? StationError)?.code == "settings_not_saved"
    }
    #expect(desk.inForce.withLock { $0.settings.video.bitrateKbps } == 0)
  }

  /// `--set` wins over what is set at run time, and the answer says so.
  @Test func theCommandLineWins() throws {
    let desk = try Self.desk(
      in: stateDirectory(), overrides: ["video.bitrate_kbps=1500"])
    let reply = try desk.change(
      SettingsPatch(["video.bitrate_kbps": .integer(900)]), by: "by test")
    #expect(reply.changes?.map(\.counts) == ["overridden"])
    #expect(desk.inForce.withLock { $0.settings.video.bitrateKbps } == 1_500)
  }

  /// Off air a box may lose its server. On air it may not.
  @Test func aBroadcastKeepsItsServer() throws {
    let desk = try Self.desk(in: stateDirectory())
    #expect(desk.station.status.troubles.map(\.cause) == ["no_destination"])
    _ = try desk.change(
      SettingsPatch([
        "publish.url": .text("rtmp://127.0.0.1:1/live"), "publish.key": .text("k"),
      ]), by: "by test")
    #expect(desk.station.status.troubles.isEmpty)
    try desk.station.perform(.start, by: "by test")
    #expect {
      _ = try desk.change(SettingsPatch(["publish.url": nil]), by: "by test")
    } throws: {
      ($0 as? StationError)?.code == "no_destination"
    }
    try desk.station.perform(.stop, by: "by test")
    _ = try desk.change(SettingsPatch(["publish.url": nil]), by: "by test")
    #expect(desk.station.status.troubles.map(\.cause) == ["no_destination"])
  }
}
