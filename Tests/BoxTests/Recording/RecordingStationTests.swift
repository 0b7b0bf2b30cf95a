// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import FoundationEssentials
import Glibc
import Posix
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Events

/// The recording of a station that encodes.
@Suite struct RecordingStationTests {
  /// A station with a folder for recordings.
  private func station(
    port: Int = 1, in directory: String? = nil, folder: String? = nil, _ overrides: String...
  ) throws -> (box: LiveStation, folder: String) {
    let folder = folder ?? stateDirectory()
    let box = try LiveStation(
      port: port, in: directory, overrides: ["record.directory=\(folder)"] + overrides)
    return (box, folder)
  }

  private func record(_ box: LiveStation) -> Status.Record {
    box.station.status.record ?? Status.Record()
  }

  /// Whether a recording has this title. On a machine whose clock is not known to be set, it has none.
  private func isNamed(_ name: String, _ title: String) -> Bool {
    name.hasSuffix(title) || name.hasPrefix("before-clock-")
  }

  /// Runs until a recording has some frames.
  private func runUntilRecorded(_ box: LiveStation) -> Bool {
    box.run { record(box).state == "recording" && (record(box).bytes ?? 0) > 0 }
  }

  @Test func aPersonRecordsOffAir() throws {
    let (box, folder) = try station()
    #expect(box.run { record(box).place == "folder" })
    #expect(box.station.markRecording(by: "by test").code == "not_recording")
    #expect(box.station.stopRecording(by: "by test").code == "not_recording")
    let refused = box.station.startRecording("", mayOpenCamera: false, by: "by test")
    #expect(refused.code == "scope_too_small")
    #expect(box.station.startRecording("Choir", mayOpenCamera: true, by: "by test").ok)
    #expect(runUntilRecorded(box))
    #expect(box.station.startRecording("", mayOpenCamera: true, by: "by test").code == "recording")
    #expect(record(box).offAir && record(box).by == "hand")
    #expect(box.station.lamp == .recording && box.station.status.lamp == "recording")
    #expect(box.station.markRecording(by: "by test").ok)
    #expect(box.station.stopRecording(by: "by test").ok)
    #expect(box.run { box.count(.recordStopped) == 1 })
    #expect(record(box).state == "off" && box.station.lamp == .offAir)
    #expect(box.run { box.station.studio.sources.video == nil }, "the camera is closed")
    let list = try box.station.listRecordings(most: 10, after: nil)
    #expect(list.count == 1 && !list.more && list.bytes > 0)
    let film = try #require(list.recordings.first)
    #expect(isNamed(film.name, "Choir") && !film.running && film.seconds ?? 0 > 0)
    #expect(film.marks.map(\.kind) == ["hand"])
    #expect(File.names(in: folder).contains(film.file))
    #expect(box.count(.recordStarted) == 1 && box.count(.recordMarked) == 1)
    box.end()
  }

  @Test func eachBroadcastIsRecordedAlsoWithoutANetwork() throws {
    // Nothing listens at port 1.
    let (box, _) = try station("record.start=broadcast")
    #expect(box.run { record(box).place == "folder" })
    #expect(record(box).state == "off")
    try box.station.perform(.start, by: "by test")
    #expect(runUntilRecorded(box))
    #expect(record(box).by == "broadcast" && !record(box).offAir)
    #expect(box.station.lamp != .recording)
    try box.station.perform(.stop, by: "by test")
    #expect(box.run { box.count(.recordStopped) == 1 })
    #expect(try box.station.listRecordings(most: 10, after: nil).count == 1)
    box.end()
  }

  @Test func aPauseThatEndsTheBroadcastEndsTheRecordingToo() throws {
    let (box, _) = try station("record.start=always")
    #expect(runUntilRecorded(box))
    #expect(record(box).offAir)
    try box.station.perform(.start, by: "by test")
    try box.station.perform(.pause, by: "by test")
    // Without a look in between.
    try box.station.perform(.stop, by: "by test")
    #expect(box.run { box.count(.recordStopped) == 1 && !box.station.isOnAir })
    #expect(box.run { box.station.lamp == .offAir })
    for _ in 0..<20 { _ = box.station.supervise(.now()) }
    #expect(record(box).state == "off" && box.station.lamp == .offAir)
    #expect(box.station.startRecording("", mayOpenCamera: true, by: "by test").ok)
    #expect(runUntilRecorded(box), "a person may record again")
    box.end()
  }

  /// The recording of a private broadcast is silenced at once, so a new one has to begin.
  @Test func aRecordingRightAfterAPrivateBroadcastRecords() throws {
    let (box, _) = try station("record.start=broadcast")
    try box.station.perform(.start, by: "by test")
    #expect(runUntilRecorded(box))
    try box.station.perform(.pause, by: "by test")
    try box.station.perform(.stop, by: "by test")
    // Without a look in between.
    #expect(box.station.startRecording("", mayOpenCamera: true, by: "by test").ok)
    #expect(box.run { box.count(.recordStarted) == 2 && box.count(.recordStopped) == 1 })
    #expect(runUntilRecorded(box))
    #expect(record(box).by == "hand")
    box.end()
  }

  /// What a broadcast hid until a power cut is not recorded off air after it, without a command.
  @Test(arguments: [Command.pause, .mute, .videoOff])
  func whatWasHiddenAtAPowerCutStaysPrivate(_ command: Command) throws {
    let (box, folder) = try station("record.start=always")
    try box.station.perform(.start, by: "by test")
    #expect(runUntilRecorded(box))
    try box.station.perform(command, by: "by test")
    box.end()
    let (again, _) = try station(
      in: box.directory, folder: folder, "record.start=always", "publish.autostart=never")
    for _ in 0..<40 { _ = again.station.supervise(.now()) }
    #expect(!again.station.isOnAir && record(again).state == "off")
    #expect(again.count(.recordStarted) == 0)
    again.end()
  }

  /// A recording by hand of a broadcast goes on after a power cut, and one that was stopped stays so.
  @Test func aPowerCutChangesNothing() throws {
    let (box, folder) = try station()
    try box.station.perform(.start, by: "by test")
    #expect(box.station.startRecording("Choir", mayOpenCamera: true, by: "by test").ok)
    #expect(runUntilRecorded(box))
    box.end()
    let (again, _) = try station(in: box.directory, folder: folder, "record.start=broadcast")
    #expect(runUntilRecorded(again))
    #expect(record(again).by == "hand" && isNamed(record(again).name ?? "", "Choir"))
    #expect(again.station.stopRecording(by: "by test").ok)
    #expect(again.run { again.count(.recordStopped) == 1 })
    again.end()
    let (third, _) = try station(in: box.directory, folder: folder, "record.start=broadcast")
    #expect(third.run { third.station.isOnAir })
    for _ in 0..<20 { _ = third.station.supervise(.now()) }
    #expect(record(third).state == "off")
    #expect(try third.station.listRecordings(most: 10, after: nil).count == 2)
    third.end()
  }

  @Test func whatIsWrongWithTheFolderIsTold() throws {
    let (box, folder) = try station(folder: "/nowhere/at/all", "record.start=broadcast")
    #expect(folder == "/nowhere/at/all")
    #expect(box.run { box.count(.recordFailed) == 1 }, "before the broadcast")
    #expect(record(box).cause == "no_folder" && record(box).sentence != nil)
    #expect(box.station.status.troubles.contains { $0.subject == "record" })
    let refused = box.station.startRecording("", mayOpenCamera: true, by: "by test")
    #expect(refused.code == "no_folder")
    try box.station.perform(.start, by: "by test")
    #expect(box.run { box.station.isOnAir && record(box).state == "failed" })
    #expect(throws: RecordingFault.self) {
      try box.station.listRecordings(most: 1, after: nil)
    }
    box.end()
    let (none, _) = try station(folder: "")
    #expect(none.run { record(none).place == "none" })
    #expect(
      none.station.startRecording("", mayOpenCamera: true, by: "by test").code == "no_place")
    #expect(none.count(.recordFailed) == 0)
    none.end()
  }

  @Test func recordingsAreRenamedKeptDeletedAndBroughtBack() throws {
    let (box, folder) = try station()
    #expect(box.run { record(box).place == "folder" })
    #expect(box.station.startRecording("", mayOpenCamera: true, by: "by test").ok)
    #expect(runUntilRecorded(box))
    let running = try #require(box.station.listRecordings(most: 1, after: nil).recordings.first)
    #expect(running.running && running.id == record(box).id)
    #expect(throws: RecordingFault.self) {
      try box.station.deleteRecording(running.id, by: "by test")
    }
    #expect(box.station.stopRecording(by: "by test").ok)
    #expect(box.run { box.count(.recordStopped) == 1 })
    let old = try #require(box.station.listRecordings(most: 1, after: nil).recordings.first)
    let new = try box.station.changeRecording(
      old.id, name: "../Über uns", kept: true, by: "by test")
    #expect(new.kept && new.id != old.id)
    #expect(Set(File.names(in: folder)).contains(new.file) && !new.file.contains("/"))
    #expect(box.count(.recordingsChanged) == 2)
    try box.station.deleteRecording(new.id, by: "by test")
    #expect(try box.station.listRecordings(most: 1, after: nil).count == 0)
    let back = try box.station.restoreRecording(new.id, by: "by test")
    #expect(back.id == new.id && back.kept)
    #expect(try box.station.openRecording(new.id).file.read(at: 4, count: 4) == Array("ftyp".utf8))
    for id in ["", "..", "0000000000000000", old.id] {
      #expect(throws: RecordingFault.self) { try box.station.recording(id) }
    }
    box.end()
  }

  @Test func aProgramGetsEachFinishedRecording() throws {
    let tools = stateDirectory()
    let (script, told) = ("\(tools)/after", "\(tools)/told")
    try Data("#!/bin/sh\necho \"$# $1\" >>\(told)\n".utf8).write(to: URL(filePath: script))
    #expect(unsafe chmod(script, 0o755) == 0)
    let (box, folder) = try station("record.after=\(script)")
    #expect(box.run { record(box).place == "folder" })
    #expect(box.station.startRecording("", mayOpenCamera: true, by: "by test").ok)
    #expect(runUntilRecorded(box))
    let name = try #require(record(box).name)
    #expect(box.station.stopRecording(by: "by test").ok)
    #expect(box.run { (try? File.read(told, limit: 1_000)) != nil })
    #expect(
      box.run {
        (try? File.read(told, limit: 1_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
          == "1 \(folder)/\(name).mp4\n"
      })
    box.end()
  }
}
