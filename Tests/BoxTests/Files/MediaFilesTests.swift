// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import TestSupport
import Testing

@testable import Box

@Suite struct MediaFilesTests {
  @Test func theDiskKeepsRoomForTheRest() throws {
    let directory = stateDirectory()
    let files = MediaFiles(directory: directory) { _ in MediaFiles.reservedBytes + 10 }
    #expect(throws: MediaFilesError.self) { _ = try files.beginUpload("a.mp4", bytes: 11) }
    var upload: MediaFiles.Upload? = try files.beginUpload("a.mp4", bytes: nil)
    #expect(throws: MediaFilesError.self, "one at a time") {
      _ = try files.beginUpload("b.mp4", bytes: 1)
    }
    try upload?.write(Array("0123456789".utf8))
    #expect(throws: MediaFilesError.self) { try upload?.write([0]) }
    // Though somebody still has the first one: it has ended, and touches nothing.
    #expect(File.names(in: "\(directory)/media") == [], "a part is not kept")
    let next = try files.beginUpload("a.mp4", bytes: 10)
    #expect(throws: MediaFilesError.self) { try upload?.write([0]) }
    #expect(throws: MediaFilesError.self) { try upload?.finish("b.mp4") }
    upload = nil
    try next.write(Array("0123456789".utf8))
    try next.finish("a.mp4")
    #expect(File.names(in: "\(directory)/media") == ["a.mp4"])
    let full = MediaFiles(directory: directory) { _ in MediaFiles.reservedBytes }
    #expect(throws: MediaFilesError.self) { _ = try full.beginUpload("c.mp4", bytes: nil) }
    let long = MediaFiles(directory: directory) { _ in .max }
    #expect(throws: MediaFilesError.self) {
      _ = try long.beginUpload("c.mp4", bytes: MediaFiles.maxBytes + 1)
    }
  }

  /// What a power cut leaves of an upload is removed at the next start, and a factory reset removes all.
  @Test func whatIsLeftIsRemoved() throws {
    let directory = stateDirectory()
    var upload: MediaFiles.Upload? = try MediaFiles(directory: directory) { _ in .max }
      .beginUpload("a.mp4", bytes: nil)
    try upload?.write([1])
    #expect(File.names(in: "\(directory)/media") == [".upload"])
    _ = MediaFiles(directory: directory)
    #expect(File.names(in: "\(directory)/media") == [])
    try upload?.write([2])
    #expect(throws: MediaFilesError.self) { try upload?.finish("a.mp4") }
    upload = nil
    upload = try MediaFiles(directory: directory) { _ in .max }.beginUpload("b.mp4", bytes: nil)
    try upload?.finish("b.mp4")
    upload = nil
    try FactoryReset.request(in: directory)
    try FactoryReset.finish(in: directory, forgetsNetwork: false)
    #expect(File.names(in: directory) == [])
  }
}
