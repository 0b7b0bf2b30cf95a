// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import FoundationEssentials
import Logging
import Media
import Posix
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events

/// A box that was started with mistakes in its settings file.
@Suite struct StationStandInTests {
  private let directory = stateDirectory()
  private var file: String { "\(directory)/../onair.toml" }

  private func write(_ text: String) throws {
    try Data("[video]\nsource = \"pattern\"\n\(text)".utf8).write(
      to: URL(filePath: file), options: .atomic)
  }

  private func station(after broadcast: Intent.Broadcast = .off) throws -> Station {
    let store = IntentStore(directory: directory) { _ in }
    store.start()
    store.save(Intent(broadcast: broadcast))
    #expect(store.stop(by: .now() + .seconds(60)))
    let overrides = ["state.directory=\(directory)", "audio.source=tone", "page.listen="]
    let file = file
    let reload: SettingsReader = { source throws(ConfigurationError) in
      guard case .given = source else {
        return try Configuration.load(
          file: file, runTime: source, overrides: overrides, environment: [:])
      }
      return try Configuration.loadKeepingUp(
        file: file, runTime: source, overrides: overrides, environment: [:])
    }
    return Station(
      configuration: try Configuration.loadKeepingUp(
        file: file, overrides: overrides, environment: [:]),
      reload: reload, keepsUp: true, store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
  }

  private let server = "[publish]\nurl = \"rtmp://127.0.0.1:1/live\"\nkey = \"k\"\n"

  @Test func itTellsEachMistakeUntilTheFileIsCorrected() throws {
    try write("fsp = 25\n\(server)")
    let station = try station(after: .paused)
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    let troubles = station.status.troubles
    #expect(troubles.map(\.cause) == ["no_destination", "mistakes"])
    #expect(troubles.last?.sentence.contains("onair.toml:3:1: video.fsp: ") == true)
    #expect(station.intent == Intent(), "with some of the lines nothing is broadcast")
    #expect {
      try station.perform(.start, by: "by test")
    } throws: {
      ($0 as? Station.Fault)?.code == "no_destination"
    }
    let refused = station.answer("reload", by: "by test")
    #expect(refused.problems?.map(\.key) == ["video.fsp"])

    try write("fps = 25\n\(server)")
    let reply = station.answer("reload", by: "by test")
    #expect(reply.ok)
    #expect(station.status.troubles == [])
    #expect(station.intent == Intent(broadcast: .paused), "it goes on as it was")
    #expect(station.events.newest.map(\.code).contains(.settingsFit))
  }

  @Test func damagedSettingsOfThePageAreToldUntilOthersAreKept() throws {
    try write(server)
    try Data("damaged [[[".utf8).write(to: URL(filePath: "\(directory)/settings.toml"))
    let station = try station()
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    #expect(station.status.troubles.map(\.cause) == ["unreadable"])
    let reply = station.answer(SettingsPatch(["video.fps": .integer(20)]), by: "by test")
    #expect(reply.ok)
    #expect(station.status.troubles == [])
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .offAir)
  }

  @Test func theFileIsReadAgainWhenItHasChanged() throws {
    try write("fsp = 25\n")
    let station = try station()
    try write("fsb = 25\n")
    lookAtSettingsFile(of: station) {
      station.status.troubles.last?.sentence.contains("video.fsb") == true
    }
    #expect(station.lamp == .fault)
    try write("fps = 25\n")
    lookAtSettingsFile(of: station) {
      station.status.troubles.map(\.cause) == ["no_destination"]
    }
    #expect(station.settings.video.fps == 25)
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .offAir)
  }

  private func lookAtSettingsFile(of station: Station, until condition: () -> Bool) {
    let hasComeTrue = eventually {
      // As the program does, or the station counts as left alone on a busy machine.
      _ = station.supervise(.now())
      station.lookAtSettingsFile()
      return condition()
    }
    #expect(hasComeTrue)
  }

  /// What was taken last is kept for the next start, also when it was taken by a reload or a change.
  @Test func whatWasTakenIsKept() throws {
    try write("fps = 25\n\(server)")
    let station = try station()
    #expect(station.answer("reload", by: "by test").ok)
    try write("fps = 30\n\(server)")
    #expect(station.answer("reload", by: "by test").changed)
    try write("fsp = 35\n")
    let later = try self.station(after: .live)
    #expect(later.settings.video.fps == 30)
    #expect(later.intent == Intent(broadcast: .live), "it goes on with the last that worked")
    #expect(later.status.troubles.map(\.cause) == ["mistakes"])
    // Settings can be set meanwhile, and the mistakes stay.
    let reply = later.answer(SettingsPatch(["video.fps": .integer(20)]), by: "by test")
    #expect(reply.changed)
    #expect(later.settings.video.fps == 20)
    #expect(later.status.troubles.map(\.cause) == ["mistakes"])
  }

  @Test func aFullDiskIsToldUntilThereIsRoomAgain() throws {
    try write(server)
    let station = try station()
    station.note(room: Station.leastRoom)
    #expect(station.status.troubles == [])
    for _ in 1...2 { station.note(room: Station.leastRoom - 1) }
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    #expect(station.status.troubles.map(\.cause) == ["disk_full"])
    #expect(station.events.newest.map(\.code).filter { $0 == .diskFull }.count == 1)
    // A look at the real one.
    #expect(File.room(in: directory) ?? 0 > 0)
    #expect(File.room(in: "\(directory)/missing") == nil)
    station.note(room: Station.leastRoom)
    #expect(station.status.troubles == [])
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .offAir)
  }

  /// The lamp shows what is on the disk. In memory nothing is.
  @Test func withoutALastingPlaceTheLampShowsAFault() throws {
    try write("")
    let configuration = try Configuration.load(
      file: file, overrides: ["state.directory=\(directory)"], environment: [:])
    let station = Station(
      configuration: configuration, reload: { _ throws(ConfigurationError) in configuration },
      store: IntentStore(directory: directory, isLasting: false) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    #expect(station.lamp == .fault)
  }
}
