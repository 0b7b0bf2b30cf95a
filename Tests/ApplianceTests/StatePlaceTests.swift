// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Glibc
import Posix
import Settings
import TestSupport
import Testing

@testable import Appliance

/// A box whose state directory cannot be used goes on in memory.
@Suite struct StatePlaceTests {
  private let disk = freshDirectory()
  private let memory = freshDirectory()

  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func read(_ path: String) -> String? {
    (try? File.read(path, limit: 1_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func aGoodDirectoryIsUsed() throws {
    let place = try StatePlace(path: disk, inMemory: memory)
    #expect(place.directory.path == disk)
    #expect(place.trouble == nil)
  }

  @Test func withoutAnotherTheProgramEnds() {
    #expect(throws: StateDirectoryError.self) {
      _ = try StatePlace(path: "/proc/onair", inMemory: nil)
    }
  }

  /// Another OnAir runs: two must not work with the same state.
  @Test func aLockedDirectoryIsNotReplaced() throws {
    let first = try StateDirectory(path: disk)
    #expect(throws: StateDirectoryError.inUse(path: disk)) {
      _ = try StatePlace(path: disk, inMemory: memory)
    }
    withExtendedLifetime(first) {}
  }

  @Test func whatCanBeReadIsCopiedAndComesBack() throws {
    _ = try StateDirectory(path: disk)
    try write("paused", "\(disk)/intent")
    try write("{}", "\(disk)/access.json")
    try write("half", "\(disk)/access.json.new")
    _ = unsafe mkdir("\(disk)/stills", 0o700)
    _ = unsafe symlink("/etc/passwd", "\(disk)/link")
    // Others may write to it: it cannot be used, also by root.
    #expect(unsafe chmod(disk, 0o777) == 0)
    do {
      let place = try StatePlace(path: disk, inMemory: memory)
      #expect(place.directory.path == memory)
      #expect(place.trouble?.contains("chmod 700 \(disk)") == true)
      #expect(Set(File.names(in: memory)) == ["intent", "access.json"])
      #expect(read("\(memory)/intent") == "paused")
    }
    // What was changed in memory is not replaced by what is older.
    try write("live", "\(memory)/intent")
    _ = try StatePlace(path: disk, inMemory: memory)
    #expect(read("\(memory)/intent") == "live")
    // The directory works again.
    #expect(unsafe chmod(disk, 0o700) == 0)
    let place = try StatePlace(path: disk, inMemory: memory)
    #expect(place.trouble == nil)
    #expect(read("\(disk)/intent") == "live")
    #expect(File.names(in: memory) == [])
  }

  /// A password that cannot be read is not a missing one, which anybody could set.
  @Test func aPasswordThatCannotBeReadStaysAPassword() throws {
    _ = try StateDirectory(path: disk)
    _ = unsafe symlink("/etc/passwd", "\(disk)/access.json")
    #expect(unsafe chmod(disk, 0o777) == 0)
    do {
      _ = try StatePlace(path: disk, inMemory: memory)
      #expect(read("\(memory)/access.json") == "")
    }
    // It does not replace the real one.
    #expect(unsafe unlink("\(disk)/access.json") == 0)
    try write("{}", "\(disk)/access.json")
    #expect(unsafe chmod(disk, 0o700) == 0)
    _ = try StatePlace(path: disk, inMemory: memory)
    #expect(read("\(disk)/access.json") == "{}")
  }

  /// Only a folder that can be looked into, and has no such file, tells that there is none. Each state of the folder as
  /// an unprivileged user: Tests/EndToEnd/44-lost-state.sh.
  @Test(arguments: ["a file", "a loop of links", "a link to nothing", "no folder", "a pipe"])
  func whatIsNoFolderTellsNothing(_ kind: String) throws {
    let parent = "\(disk)/.."
    _ = try StateDirectory(path: disk)
    #expect(unsafe rmdir(disk) == 0)
    switch kind {
    case "a file": try write("x", disk)
    case "a loop of links": #expect(unsafe symlink(disk, disk) == 0)
    case "a link to nothing": #expect(unsafe symlink("\(parent)/nothing", disk) == 0)
    case "a pipe": #expect(unsafe mkfifo(disk, 0o600) == 0)
    default: break
    }
    // A folder that is not there would be made, where that is possible.
    let path = kind == "no folder" ? "/proc/onair" : disk
    do {
      let place = try StatePlace(path: path, inMemory: memory)
      #expect(place.directory.path == memory)
      #expect(place.trouble != nil)
    }
    for name in ["access.json", "intent", "settings.toml"] {
      #expect(read("\(memory)/\(name)") == "")
    }
    // Nothing of it replaces what is there again.
    guard path == disk else { return }
    #expect(unsafe unlink(disk) == 0)
    _ = try StateDirectory(path: disk)
    try write("{}", "\(disk)/access.json")
    _ = try StatePlace(path: disk, inMemory: memory)
    #expect(read("\(disk)/access.json") == "{}")
    #expect(File.names(in: disk) == ["access.json"])
  }

  /// A folder whose file system could not be mounted is empty, or has files of an earlier time.
  @Test func whatIsNotMountedTellsNothing() throws {
    _ = try StateDirectory(path: disk)
    try write("live", "\(disk)/intent")
    try write("/dev/sda1 \(disk)/ ext4 nofail 0 2\n", "\(disk).fstab")
    try write("22 27 0:21 / / rw - ext4 /dev/sda1 rw\n", "\(disk).mounted")
    defer { for name in ["fstab", "mounted"] { _ = unsafe unlink("\(disk).\(name)") } }
    let mounts = MountTable(fstab: "\(disk).fstab", mountinfo: "\(disk).mounted")
    #expect(throws: StateDirectoryError.notMounted(path: disk, mount: disk)) {
      _ = try StatePlace(path: disk, inMemory: nil, mounts: mounts)
    }
    let place = try StatePlace(path: disk, inMemory: memory, mounts: mounts)
    #expect(place.trouble?.contains("sudo mount \(disk)") == true && place.hasOtherSettings)
    for name in ["access.json", "intent", "settings.toml"] {
      #expect(read("\(memory)/\(name)") == "")
    }
    #expect(throws: RunTimeSettingsError.self) { try RunTimeSettings(directory: memory) }
    #expect(throws: RunTimeSettingsError.self) {
      try RunTimeSettings(directory: disk, mounts: mounts)
    }
  }

  /// Settings that were made without knowledge of the kept ones do not replace these: a mask among them stays.
  @Test func whatWasSetMeanwhileIsAdded() throws {
    func settings(_ values: [String: SettingsPatch.Value?]) -> RunTimeSettings {
      RunTimeSettings().applying(SettingsPatch(values))
    }
    func mask(_ name: String) -> [String: SettingsPatch.Value?] {
      ["filter.\(name).kind": .text("mask")]
    }
    do {
      let directory = try StateDirectory(path: disk)
      try settings(mask("a").merging(["video.fps": .integer(20)]) { $1 }).save(in: disk)
      withExtendedLifetime(directory) {}
    }
    // It cannot be read at first.
    #expect(unsafe rename("\(disk)/settings.toml", "\(disk)/away") == 0)
    #expect(unsafe symlink("/etc/passwd", "\(disk)/settings.toml") == 0)
    #expect(unsafe chmod(disk, 0o777) == 0)
    do {
      _ = try StatePlace(path: disk, inMemory: memory)
      #expect(read("\(memory)/settings.toml") == "")
      try settings(mask("b").merging(["video.fps": .integer(25)]) { $1 })
        .save(in: memory, keepsOld: true)
    }
    #expect(unsafe rename("\(disk)/away", "\(disk)/settings.toml") == 0)
    #expect(unsafe chmod(disk, 0o700) == 0)
    let place = try StatePlace(path: disk, inMemory: memory)
    #expect(place.hasOtherSettings)
    let both = try RunTimeSettings(directory: disk)
    #expect(both.keys == ["filter.a.kind", "filter.b.kind", "video.fps"])
    #expect(read("\(disk)/settings.toml")?.contains("video.fps = 25") == true)
    #expect(File.names(in: memory) == [])
  }

  /// A box of an image that had a password and has nothing any more: its card may have been made anew.
  @Test func aBoxThatLostItsStateMayHaveLostMasks() throws {
    let marks = freshDirectory()
    _ = try StateDirectory(path: marks)
    let environment = ["ONAIR_MARKS": marks]
    // Whether the settings are others than before, and whether they can be read.
    func start() throws -> [Bool] {
      let place = try StatePlace(path: disk, inMemory: nil, environment: environment)
      return [place.hasOtherSettings, (try? RunTimeSettings(directory: disk)) != nil]
    }
    #expect(try start() == [false, true], "a new box")
    try write("", "\(marks)/password-was-set")
    try write("{}", "\(disk)/access.json")
    #expect(try start() == [false, true], "nothing was set on the page")
    _ = unsafe unlink("\(disk)/access.json")
    #expect(try start() == [true, false])
    // It stays so, also after somebody has set a new password.
    try write("{}", "\(disk)/access.json")
    #expect(try start() == [false, false])
    try RunTimeSettings().save(in: disk, keepsOld: true)
    #expect(try start() == [false, true])
  }

  @Test func aFolderWithoutAPasswordHasNone() throws {
    _ = try StateDirectory(path: disk)
    #expect(unsafe chmod(disk, 0o777) == 0)
    _ = try StatePlace(path: disk, inMemory: memory)
    #expect(File.names(in: memory) == [])
  }
}
