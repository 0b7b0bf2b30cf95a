// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Posix
import TestSupport
import Testing

@testable import Sticks

struct StickFolderTests {
  /// The error with which the folder of the first stick is not opened; `nil` if it is opened.
  private func error(_ unit: FakeUnit) throws -> StickError? {
    let stick = try #require(unit.places.sticks.first)
    do throws(StickError) {
      _ = try StickFolder(of: stick, in: unit.places)
      return nil
    } catch { return error }
  }

  @Test func whatIsNotMountedIsNotWrittenTo() throws {
    let unit = try FakeUnit()
    unit.writeReady("sda1", id: "A")
    #expect(try error(unit) == .gone)
    // A folder of the card, in the place of the stick.
    unsafe mkdir("\(unit.places.media)/A", 0o755)
    #expect(try error(unit) == .gone)
    unsafe mkdir("\(unit.places.media)/A/OnAir", 0o755)
    #expect(try error(unit) == .gone)
    // A link to another file system.
    unsafe rmdir("\(unit.places.media)/A/OnAir")
    unsafe rmdir("\(unit.places.media)/A")
    unsafe symlink("/dev/shm", "\(unit.places.media)/A")
    #expect(try error(unit) == .notAFolder)
    unit.write("sda1", "id=A", "state=removed")
    #expect(try error(unit) == .gone)
  }

  /// /dev/shm is a file system of its own, as a stick is.
  @Test(.enabled(if: isMountPoint("/dev/shm", in: "/dev")))
  func theFolderOfAMountedFileSystemIsOpened() throws {
    let name = "onair-stick-\(getpid())"
    unsafe mkdir("/dev/shm/\(name)", 0o700)
    defer { unsafe rmdir("/dev/shm/\(name)") }
    let places = try #require(
      StickPlaces(environment: ["ONAIR_MEDIA": "/dev", "RUNTIME_DIRECTORY": "/nowhere"]))
    let stick = try #require(
      Stick(
        device: "sda1", text: "id=shm\nstate=ready\ndirectory=/dev/shm/\(name)\n", in: "/dev"))
    let folder = try StickFolder(of: stick, in: places)
    let room = try folder.room()
    #expect(room.freeBytes > 0 && room.freeBytes <= room.totalBytes)
    var file = try StickSpeedFile(in: folder)
    try file.append(Array("12345".utf8))
    #expect(try file.read(at: 1, count: 3) == Array("234".utf8))
    #expect(File.names(in: "/dev/shm/\(name)") == [".onair-speed-test"])
    _ = consume file
    #expect(File.names(in: "/dev/shm/\(name)").isEmpty)
    // A link in the place of the folder.
    unsafe symlink("/etc", "/dev/shm/\(name)/link")
    defer { unsafe unlink("/dev/shm/\(name)/link") }
    let linked = try #require(
      Stick(
        device: "sda1", text: "id=shm\nstate=ready\ndirectory=/dev/shm/link\n", in: "/dev"))
    unsafe symlink("/etc", "/dev/shm/link")
    defer { unsafe unlink("/dev/shm/link") }
    #expect(throws: StickError.notAFolder) { _ = try StickFolder(of: linked, in: places) }
  }
}

private func isMountPoint(_ path: String, in parent: String) -> Bool {
  var (one, other) = (stat(), stat())
  return unsafe stat(path, &one) == 0 && stat(parent, &other) == 0 && one.st_dev != other.st_dev
}
