// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Finds out whether a file that is being played has been removed, replaced or written to. Reads no clock and no files:
/// the caller passes the time, and a closure that reads the file's stamp.
struct FileWatch {
  /// The time between two checks of the file, in nanoseconds. A change counts only if two checks in a row find the same
  /// stamp, so that a file that is still being copied is not opened.
  static let checkIntervalNanos: Int64 = .seconds(1)

  /// The result of a check of the file.
  enum Finding: Equatable {
    /// The file is the one that was opened.
    case same
    /// The file has changed since the last check, so it may still be changing.
    case changing
    /// The file has been removed.
    case gone
    /// The file was replaced or written to, and now has the given stamp (inode, size and modification time).
    case replaced(FileStamp)
  }

  /// The stamp (inode, size and modification time) of the file that was opened; `nil` if there was no file.
  private var opened: FileStamp?
  /// The stamp (inode, size and modification time) that the last check found, if it differed from `opened`; otherwise
  /// `nil`. The inner optional is `nil` if the check found no file.
  private var changedStamp: FileStamp??
  /// When the file may be checked again.
  private var nextCheck: MediaTime

  init(opened: FileStamp?, now: MediaTime) {
    self.opened = opened
    nextCheck = now + FileWatch.checkIntervalNanos
  }

  /// Checks the file, at most once in `checkIntervalNanos`.
  /// - Parameter stamp: reads the file's stamp (inode, size and modification time) now; `nil` if there is no file.
  /// - Returns: `nil` when it is not yet time for a check.
  mutating func check(_ now: MediaTime, _ stamp: () -> FileStamp?) -> Finding? {
    guard now >= nextCheck else { return nil }
    nextCheck = now + FileWatch.checkIntervalNanos
    let stamp = stamp()
    guard stamp != opened else {
      changedStamp = nil
      return .same
    }
    guard let changedStamp, changedStamp == stamp else {
      changedStamp = .some(stamp)
      return .changing
    }
    return stamp.map { .replaced($0) } ?? .gone
  }

  /// Notes that the file with this stamp (inode, size and modification time) was opened or refused. Later checks that
  /// find this stamp return `.same`.
  mutating func accept(_ stamp: FileStamp) { opened = stamp }
}
