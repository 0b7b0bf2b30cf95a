// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Posix

/// A folder whose file system is not mounted is not the one that is usually there.
@Suite struct MountTableTests {
  private let folder = freshDirectory()

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func table(_ wanted: String, _ present: [String]) throws -> MountTable {
    let lines = ["/"] + present
    try Data(wanted.utf8).write(to: URL(filePath: "\(folder)/fstab"))
    try Data(
      lines.map { "22 27 0:21 / \($0) rw,relatime shared:5 - ext4 /dev/sda1 rw\n" }.joined().utf8
    ).write(to: URL(filePath: "\(folder)/mountinfo"))
    return MountTable(fstab: "\(folder)/fstab", mountinfo: "\(folder)/mountinfo")
  }

  private static let fstab = """
    # A comment /commented ext4
    UUID=1 / ext4 defaults 0 1
    UUID=2\t/data/  ext4  nofail 0 2
    /dev/sdb1 /media/my\\040disk ext4 nofail 0 0
    /swap none swap sw 0 0

    """

  @Test(arguments: [
    ("/data/onair", "/data"), ("/data", "/data"), ("/database/onair", nil), ("/var/lib/onair", nil),
    ("/media/my disk/onair", "/media/my disk"), ("/commented/onair", nil), ("none", nil),
  ])
  func whatIsWantedAndNotThereIsMissing(path: String, missing: String?) throws {
    #expect(try table(Self.fstab, []).missingMount(above: path) == missing)
    let all = try table(Self.fstab, ["/data", "/media/my\\040disk"])
    #expect(all.missingMount(above: path) == nil)
  }

  @Test func aLinkIsFollowed() throws {
    _ = unsafe mkdir("\(folder)/disk", 0o700)
    #expect(unsafe symlink("\(folder)/disk", "\(folder)/link") == 0)
    let real = try #require(unsafe realpath(folder, nil).map { unsafe String(cString: $0) })
    let table = try table("UUID=1 \(real)/disk ext4 defaults 0 2\n", [])
    #expect(table.missingMount(above: "\(folder)/link/onair/state") == "\(real)/disk")
  }

  /// Nobody is kept from working because a table cannot be read.
  @Test func withoutATableNothingIsMissing() throws {
    let gone = MountTable(fstab: "\(folder)/none", mountinfo: "\(folder)/none")
    #expect(gone.missingMount(above: "/data/onair") == nil)
    _ = try table(Self.fstab, [])
    let half = MountTable(fstab: "\(folder)/fstab", mountinfo: "\(folder)/none")
    #expect(half.missingMount(above: "/data/onair") == nil)
    #expect(MountTable.system.missingMount(above: folder) == nil)
  }

  @Test func onlyWhatCertainlyIsNotThereIsAbsent() throws {
    #expect(File.isAbsent("\(folder)/a") && File.isAbsent("\(folder)/a/b/c"))
    #expect(!File.isAbsent(folder))
    #expect(unsafe symlink("\(folder)/nothing", "\(folder)/link") == 0)
    #expect(!File.isAbsent("\(folder)/link") && !File.isAbsent("\(folder)/link/a"))
    try Data().write(to: URL(filePath: "\(folder)/file"))
    #expect(!File.isAbsent("\(folder)/file/a"))
  }
}
