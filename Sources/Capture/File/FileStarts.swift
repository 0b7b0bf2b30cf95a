// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization

/// When the first pass of each file starts: at the same time for its video and its audio, whichever of them opens it
/// first.
///
/// A file that is opened late starts then, and so does one that takes another's name. If it had started long before, all
/// of its content until now would have to be decoded to find out how long it is, where it does not say so.
public final class FileStarts: Sendable {
  private let epoch: MediaTime
  /// By path.
  private let files = Mutex<[String: (stamp: FileStamp?, start: MediaTime)]>([:])

  /// - Parameter epoch: when files start that are opened in time.
  public init(_ epoch: MediaTime) { self.epoch = epoch }

  /// When the first pass of the file that has been opened starts.
  func start(of path: String, _ stamp: FileStamp?, now: MediaTime) -> MediaTime {
    files.withLock { files in
      if let known = files[path], known.stamp == stamp { return known.start }
      let isInTime = files[path] == nil && now - epoch <= FileLoop.seekNanos
      let start = isInTime ? epoch : now
      files[path] = (stamp, start)
      return start
    }
  }
}
