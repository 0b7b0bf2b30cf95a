// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import Posix

/// A folder that goes away with the test.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/onair-test-XXXXXX".utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
  }

  deinit { _ = unsafe system("rm -rf '\(path)'") }

  func write(_ name: String, _ text: String) {
    let file = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = unsafe Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  func text(_ name: String) -> String? {
    (try? File.read("\(path)/\(name)", limit: 1_000)).map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
  }
}

struct FileTests {
  let folder = TemporaryFolder()

  private func error(_ path: String, limit: Int = 100, followsLinks: Bool = true) -> FileError? {
    do throws(FileError) {
      _ = try File.read(path, limit: limit, followsLinks: followsLinks)
      return nil
    } catch { return error }
  }

  @Test func aFileIsReadUpToItsLimit() throws {
    folder.write("a", "12345")
    #expect(try File.read("\(folder.path)/a", limit: 5).bytes == Array("12345".utf8))
    #expect(error("\(folder.path)/a", limit: 4) == .tooLong(5))
    #expect(try File.read("/dev/null", limit: 4).bytes.isEmpty)
  }

  @Test func whatIsNoRegularFileIsRefusedWithoutWaiting() {
    _ = unsafe mkfifo("\(folder.path)/pipe", 0o600)
    _ = unsafe symlink("loop", "\(folder.path)/loop")
    _ = unsafe symlink("a", "\(folder.path)/link")
    folder.write("a", "12345")
    #expect(error("\(folder.path)/pipe") == .isNotRegular)
    #expect(error("\(folder.path)/loop") == .linkLoop)
    #expect(error("\(folder.path)/link") == nil)
    for link in ["link", "loop"] {
      #expect(error("\(folder.path)/\(link)", followsLinks: false) == .isSymbolicLink)
    }
    #expect(error("\(folder.path)/loop/a", followsLinks: false) == .linkLoop)
    #expect(error(folder.path) == .isDirectory)
    #expect(error("/dev/zero") == .isNotRegular)
    #expect(error("\(folder.path)/none") == .missing)
    #expect(error("") == .missing)
    #expect(error("\(folder.path)/a\0b") == .missing)
  }

  @Test func aRemovedFileIsGone() throws {
    folder.write("state", "text")
    try File.remove("state", in: folder.path)
    #expect(folder.text("state") == nil)
    // What is not there need not be removed.
    try File.remove("state", in: folder.path)
    #expect(throws: SystemError(ENOENT)) { try File.remove("a", in: "\(folder.path)/none") }
  }

  @Test func aFileIsReplacedAsAWhole() throws {
    try File.replace("state", in: folder.path, with: Array("old".utf8))
    try File.replace("state", in: folder.path, with: Array("newer".utf8))
    #expect(folder.text("state") == "newer")
    #expect(folder.text("state.new") == nil)
    var status = stat()
    _ = unsafe stat("\(folder.path)/state", &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  /// A service that runs as the folder's owner must be able to read what a run as root has saved.
  @Test(.enabled(if: geteuid() == 0)) func rootLeavesFilesToTheFoldersOwner() throws {
    #expect(unsafe chown(folder.path, 65_534, 65_533) == 0)
    try File.replace("state", in: folder.path, with: Array("live".utf8))
    var status = stat()
    _ = unsafe stat("\(folder.path)/state", &status)
    #expect(status.st_uid == 65_534 && status.st_gid == 65_533)
  }

  /// Another user who may write to the folder must not have this one overwrite a file of its own.
  @Test(arguments: ["symlink", "hardlink"]) func linksLeftAtTheNewNameAreNotFollowed(
    kind: String
  ) throws {
    folder.write("precious", "keep me")
    let (target, planted) = ("\(folder.path)/precious", "\(folder.path)/state.new")
    _ = kind == "symlink" ? unsafe symlink(target, planted) : unsafe link(target, planted)
    try File.replace("state", in: folder.path, with: Array("live".utf8))
    #expect(folder.text("precious") == "keep me")
    #expect(folder.text("state") == "live")
  }

  @Test func aFolderThatIsNotThereIsToldByTheSystemsOwnWords() {
    do throws(SystemError) {
      try File.replace("state", in: "\(folder.path)/none", with: [])
      Issue.record("it was written")
    } catch {
      #expect(error.code == ENOENT && "\(error)" == "No such file or directory")
    }
  }
}
