// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FoundationEssentials
import Logging
import Posix
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events

/// A box that was started with mistakes in its settings file.
@Suite struct SettingsStandInTests {
  private let directory = stateDirectory()
  private var file: String { "\(directory)/../onair.toml" }

  private func write(_ text: String) throws {
    try Data("[video]\nsource = \"pattern\"\n\(text)".utf8).write(
      to: URL(filePath: file), options: .atomic)
  }

  private func desk(after broadcast: Intent.Broadcast = .off) throws -> SettingsDesk {
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
      return try Configuration.loadWithFallback(
        file: file, runTime: source, overrides: overrides, environment: [:])
    }
    let configuration = try Configuration.loadWithFallback(
      file: file, overrides: overrides, environment: [:])
    let station = Station(
      configuration: configuration, reload: reload,
      store: IntentStore(directory: directory) { _ in },
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, before: 0))
    return SettingsDesk(station, configuration: configuration, reload: reload, keepsCopy: true)
  }

  private let server = "[publish]\nurl = \"rtmp://127.0.0.1:1/live\"\nkey = \"k\"\n"

  @Test func itTellsEachMistakeUntilTheFileIsCorrected() throws {
    try write("fsp = 25\n\(server)")
    let desk = try desk(after: .paused)
    let station = desk.station
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    let troubles = station.status.troubles
    #expect(troubles.map(\.cause) == ["no_destination", "mistakes"])
    #expect(troubles.last?.sentence.contains("onair.toml:3:1: video.fsp: ") == true)
    #expect(station.intent == Intent(), "with some of the lines nothing is broadcast")
    #expect {
      try station.perform(.start, by: "by test")
    } throws: {
      ($0 as? StationError)?.code == "no_destination"
    }
    let refused = desk.reload(by: "by test")
    #expect(refused.problems?.map(\.key) == ["video.fsp"])

    try write("fps = 25\n\(server)")
    let reply = desk.reload(by: "by test")
    #expect(reply.ok)
    #expect(station.status.troubles == [])
    #expect(station.intent == Intent(broadcast: .paused), "it goes on as it was")
    #expect(station.events.newest.map(\.code).contains(.settingsFit))
  }

  @Test func damagedSettingsOfThePageAreToldUntilOthersAreKept() throws {
    try write(server)
    try Data("damaged [[[".utf8).write(to: URL(filePath: "\(directory)/settings.toml"))
    let desk = try desk()
    let station = desk.station
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    #expect(station.status.troubles.map(\.cause) == ["unreadable"])
    #expect(station.settings.mayLackMasks)
    let reply = desk.answer(SettingsPatch(["filter.warm.kind": .text("colour")]), by: "by test")
    #expect(reply.ok)
    #expect(station.status.troubles == [])
    // The masks of before are lost: a mask of the whole picture is kept until somebody removes it.
    let covered = try self.desk().station.settings
    let cover = try #require(covered.filters.first { $0.name == "everything" })
    #expect(cover.kind == .mask && cover.enabled && cover.mask.width == 1)
    let removal = SettingsPatch(["filter.everything.removed": .flag(true)])
    #expect(desk.answer(removal, by: "by test").ok)
    #expect(
      !station.settings.filters.contains { $0.kind == .mask } && !station.settings.mayLackMasks)
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .offAir)
  }

  @Test func theFileIsReadAgainWhenItHasChanged() throws {
    try write("fsp = 25\n")
    let desk = try desk()
    let station = desk.station
    try write("fsb = 25\n")
    checkSettingsFile(of: desk) {
      station.status.troubles.last?.sentence.contains("video.fsb") == true
    }
    #expect(station.lamp == .fault)
    try write("fps = 25\n")
    checkSettingsFile(of: desk) {
      station.status.troubles.map(\.cause) == ["no_destination"]
    }
    #expect(station.settings.video.fps == 25)
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .offAir)
  }

  /// An empty file, as a power cut may leave it, does not take the place of the copy, whenever it is read.
  @Test func anEmptyFileReplacesNothing() throws {
    try write("fps = 25\n\(server)[[filter]]\nname = \"a\"\nkind = \"mask\"\nx = 0.5\n")
    let desk = try desk()
    #expect(desk.reload(by: "by test").ok)
    try Data().write(to: URL(filePath: file))
    #expect(desk.reload(by: "by test").problems?.first?.sentence.hasPrefix("is empty") == true)
    #expect(desk.answer(SettingsPatch(["audio.gain_db": .integer(1)]), by: "by test").ok)
    #expect(desk.station.settings.filters.map(\.mask.x) == [0.5])
    let later = try self.desk().station
    #expect(later.settings.video.fps == 25 && later.settings.filters.map(\.mask.x) == [0.5])
    #expect(later.status.troubles.map(\.cause) == ["mistakes"])
  }

  private func checkSettingsFile(of desk: SettingsDesk, until condition: () -> Bool) {
    let hasComeTrue = eventually {
      // As the program does, or the station counts as left alone on a busy machine.
      _ = desk.station.supervise(.now())
      desk.checkSettingsFile()
      return condition()
    }
    #expect(hasComeTrue)
  }

  /// What was taken last is kept for the next start, also when it was taken by a reload or a change.
  @Test func whatWasTakenIsKept() throws {
    try write("fps = 25\n\(server)")
    let desk = try desk()
    #expect(desk.reload(by: "by test").ok)
    try write("fps = 30\n\(server)")
    #expect(desk.reload(by: "by test").changed)
    try write("fsp = 35\n")
    let laterDesk = try self.desk(after: .live)
    let later = laterDesk.station
    #expect(later.settings.video.fps == 30)
    #expect(later.intent == Intent(broadcast: .live), "it goes on with the last that worked")
    #expect(later.status.troubles.map(\.cause) == ["mistakes"])
    // Settings can be set meanwhile, and the mistakes stay.
    let reply = laterDesk.answer(SettingsPatch(["video.fps": .integer(20)]), by: "by test")
    #expect(reply.changed)
    #expect(later.settings.video.fps == 20)
    #expect(later.status.troubles.map(\.cause) == ["mistakes"])
  }

  @Test func aFullDiskIsToldUntilThereIsRoomAgain() throws {
    try write(server)
    let desk = try desk()
    let station = desk.station
    station.reportFullDisk(room: Station.minFreeBytes)
    #expect(station.status.troubles == [])
    for _ in 1...2 { station.reportFullDisk(room: Station.minFreeBytes - 1) }
    #expect(station.supervise(.now()) == nil)
    #expect(station.lamp == .fault)
    #expect(station.status.troubles.map(\.cause) == ["disk_full"])
    #expect(station.events.newest.count { $0.code == .diskFull } == 1)
    // A look at the real one.
    let room = try #require(File.freeBytes(in: directory))
    #expect(room > 0)
    #expect(File.freeBytes(in: "\(directory)/missing") == nil)
    station.reportFullDisk(room: Station.minFreeBytes)
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
