// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Finds out whether a file that is being played has been removed, replaced or written to. Pure, but for the stamps.
struct FileWatch {
  /// Between two looks at the file. What has changed counts when it has stayed the same in between: a file that is
  /// being copied is not opened.
  static let pauseNanos: Int64 = .seconds(1)

  enum Finding: Equatable {
    case same
    case changing
    case gone
    case replaced(FileStamp)
  }

  private var opened: FileStamp?
  /// What the last look found, if it was a change.
  private var seen: FileStamp??
  private var nextLook: MediaTime

  init(opened: FileStamp?, now: MediaTime) {
    self.opened = opened
    nextLook = now + FileWatch.pauseNanos
  }

  /// - Returns: `nil` when it is not yet time for a look.
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

  /// Notes that the file with this stamp has been looked at.
  mutating func accept(_ stamp: FileStamp) { opened = stamp }
}
