// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import TestSupport
import Testing

@testable import Appliance

struct StateDirectoryTests {
  private func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) {
        unsafe String(cString: $0)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  @Test func itIsCreatedWithAccessForItsOwnerOnly() throws {
    let path = freshDirectory()
    #expect(StateDirectory.problem(at: path) == nil)
    #expect(unsafe access(path, F_OK) != 0, "looking creates nothing")
    _ = try StateDirectory(path: path)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    #expect(StateDirectory.problem(at: path) == nil)
    #expect(names(in: path) == [])
  }

  @Test func onlyOneProcessCanUseIt() throws {
    let path = freshDirectory()
    do {
      let first = try StateDirectory(path: path)
      #expect(throws: StateDirectoryError.inUse(path: path)) { _ = try StateDirectory(path: path) }
      #expect(StateDirectory.problem(at: path) == nil, "to be held by the running OnAir is right")
      withExtendedLifetime(first) {}
    }
    _ = try StateDirectory(path: path)
  }

  @Test func aFailureToCreateItNamesTheReason() {
    #expect(throws: StateDirectoryError.self) { _ = try StateDirectory(path: "/proc/onair") }
    #expect(throws: StateDirectoryError.self) { _ = try StateDirectory(path: "/dev/null/onair") }
    #expect(StateDirectory.problem(at: "/dev/null/onair") != nil)
  }

  @Test(arguments: [mode_t(0o777), 0o770, 0o702])
  func aDirectoryThatOthersMayWriteToIsRefused(_ mode: mode_t) throws {
    let path = freshDirectory()
    _ = try StateDirectory(path: path)
    #expect(unsafe chmod(path, mode) == 0)
    let error = StateDirectoryError.writableByOthers(path: path, mode: mode)
    #expect(throws: error) { _ = try StateDirectory(path: path) }
    #expect(StateDirectory.problem(at: path) == error)
    #expect(error.sentence.contains("chmod 700 \(path)"))
    #expect(error.exitCode == 73)
  }

  /// Others may list it: the files in it have mode 0600.
  @Test func aDirectoryThatOthersMayReadIsUsed() throws {
    let path = freshDirectory()
    _ = try StateDirectory(path: path)
    #expect(unsafe chmod(path, 0o755) == 0)
    _ = try StateDirectory(path: path)
  }

  @Test(.enabled(if: isRoot, "only root can give a folder to another user"))
  func aDirectoryOfAnotherUserIsRefused() throws {
    let path = freshDirectory()
    _ = try StateDirectory(path: path)
    #expect(unsafe chown(path, stranger, 0) == 0)
    let error = StateDirectoryError.foreign(path: path, owner: "number 54321", user: "root")
    #expect(throws: error) { _ = try StateDirectory(path: path) }
    #expect(StateDirectory.problem(at: path) == error)
    #expect(error.sentence.contains("sudo chown root \(path)"))
    #expect(names(in: path) == [])
  }
}
