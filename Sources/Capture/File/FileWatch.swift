// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Finds out whether a file that is being played has been removed, replaced or written to. Reads no clock: the time is
/// passed in, and the file is read only by a closure.
struct FileWatch {
  /// The time between two checks of the file, in nanoseconds. A change counts only if the next check finds the same: a
  /// file that is still being copied is not opened.
  static let pauseNanos: Int64 = .seconds(1)

  /// What a check of the file has found.
  enum Finding: Equatable {
    case same
    case changing
    case gone
    case replaced(FileStamp)
  }

  private var opened: FileStamp?
  /// What the last check found: `nil` if the file had not changed; otherwise the new file's stamp, or an inner `nil`
  /// for no file.
  private var seen: FileStamp??
  private var nextLook: MediaTime

  init(opened: FileStamp?, now: MediaTime) {
    self.opened = opened
    nextLook = now + FileWatch.pauseNanos
  }

  /// Checks the file, at most once in `pauseNanos`.
  /// - Parameter stamp: reads the present stamp of the file; `nil` if there is none.
  /// - Returns: `nil` when it is not yet time for a check.
  mutating func look(_ now: MediaTime, _ stamp: () -> FileStamp?) -> Finding? {
    guard now >= nextLook else { return nil }
    nextLook = now + FileWatch.pauseNanos
    let stamp = stamp()
    guard stamp != opened else {
      seen = nil
      return .same
    }
    guard let seen, seen == stamp else {
      seen = .some(stamp)
      return .changing
    }
    return stamp.map { .replaced($0) } ?? .gone
  }

  /// Notes that the file with this stamp was opened or refused: it no longer counts as a change.
  mutating func accept(_ stamp: FileStamp) { opened = stamp }
}
