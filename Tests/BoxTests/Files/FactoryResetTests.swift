// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Glibc
import Posix
import TestSupport
import Testing

@testable import Box

@Suite struct FactoryResetTests {
  private func write(_ path: String) throws {
    try Data("x".utf8).write(to: URL(filePath: path))
  }

  @Test func everythingIsRemovedAtTheNextStart() throws {
    let directory = stateDirectory()
    for name in ["settings.toml", "access.json", "intent", "seed.toml"] {
      try write("\(directory)/\(name)")
    }
    #expect(unsafe mkdir("\(directory)/stills", 0o700) == 0)
    try write("\(directory)/stills/a.png")
    // A link goes; what it leads to stays.
    let outside = "\(directory)/../outside"
    #expect(unsafe mkdir(outside, 0o700) == 0)
    try write("\(outside)/kept")
    #expect(unsafe symlink(outside, "\(directory)/link") == 0)
    #expect(!FactoryReset.isDue(in: directory))
    try FactoryReset.request(in: directory)
    #expect(FactoryReset.isDue(in: directory))
    try FactoryReset.finish(in: directory, forgetsNetwork: true)
    #expect(Set(File.names(in: directory)) == ["seed.toml", FactoryReset.networkRequestName])
    #expect(File.names(in: outside) == ["kept"])
    #expect(!FactoryReset.isDue(in: directory))
  }

  /// The mark outside of the directory that there was a password goes, too, by root's hand.
  @Test func theMarkOfThePasswordIsRemoved() throws {
    let directory = stateDirectory()
    let marks = "\(directory)/../marks"
    #expect(unsafe mkdir(marks, 0o700) == 0)
    try write("\(marks)/password-was-set")
    try FactoryReset.request(in: directory)
    try FactoryReset.finish(
      in: directory, forgetsNetwork: false, environment: ["ONAIR_MARKS": marks])
    #expect(File.names(in: directory) == ["password-mark"])
    #expect(
      (try? File.read("\(directory)/password-mark", limit: 100).bytes) == Array("removed".utf8))
  }

  /// A power cut while files are removed: the request goes last, and the next start does the rest.
  @Test func theRequestGoesLast() throws {
    let directory = stateDirectory()
    try FactoryReset.request(in: directory)
    try write("\(directory)/settings.toml")
    #expect(FactoryReset.isDue(in: directory), "half of it is done")
    try FactoryReset.finish(in: directory, forgetsNetwork: false)
    #expect(File.names(in: directory) == [])
  }
}
