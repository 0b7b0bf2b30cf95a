// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Posix
import TestSupport
import Testing

@testable import Recording

/// A disk whose files end at 4 GiB, as those of vfat do.
@Suite(.enabled(if: countsAreFull, "it writes five gigabytes"))
struct SmallFilesTests {
  /// A real folder that says that it has small files.
  private final class SmallFiles: RecordingDisk {
    private let folder: OpenFolder
    init(_ folder: OpenFolder) { self.folder = folder }
    let isFAT = true
    func make(_ name: String) throws(SystemError) -> any RecordingFile { try folder.make(name) }
    func isAbsent(_ name: String) -> Bool { folder.isAbsent(name) }
    func rename(_ name: String, to other: String) throws(SystemError) {
      try folder.rename(name, to: other)
    }
    func remove(_ name: String) throws(SystemError) { try folder.remove(name) }
    func flush() throws(SystemError) { try folder.flush() }
    func space() throws(SystemError) -> (free: Int, total: Int) { try folder.space() }
  }

  @Test func theNextFileBeginsBeforeTheEnd() throws {
    let path = stateDirectory()
    let folder = RecordingFolder(path, stateDirectory: path)
    let disk = try SmallFiles(folder.open())
    let bench = RecorderBench(
      RecorderOptions(cutMinutes: 0, keepFreeMB: 0), on: disk, folder: folder)
    // 580 s. A second is half of what waits for the disk at most.
    let count = 17_400
    for number in 0..<count / 60 {
      bench.play(Film.frames(number * 60..<(number + 1) * 60, payload: 250_000))
    }
    bench.stop()
    #expect(bench.recorder.status.gaps == 0)
    let recordings = try folder.list().sorted { $0.name < $1.name }
    #expect(recordings.count == 2)
    let first = try #require(recordings.first)
    #expect((4_150_000_000..<4 << 30).contains(first.bytes))
    let seconds = recordings.compactMap(\.seconds).reduce(0, +)
    #expect(abs(seconds - Double(count) / 30) < 0.01, "no frame is missing: \(seconds)")
  }
}
