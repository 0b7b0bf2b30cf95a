// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization

/// Decides when the first pass through each media file starts. The video and the audio of a file start at the same
/// time, whichever is opened first.
///
/// A file that is opened late, or that replaces another file, starts when it is opened. With an earlier start,
/// all content from that start until now would have to be decoded if the file did not state its duration.
public final class FileStarts: Sendable {
  /// The common start of the first passes: the first pass of a file starts at this time if the file is opened before,
  /// or at most `FileLoop.seekNanos` after it.
  private let commonStart: MediaTime
  /// The file that was opened last at each path, and when its first pass starts; keyed by path.
  private let files = Mutex<[String: (stamp: FileStamp?, start: MediaTime)]>([:])

  /// - Parameter commonStart: the first pass of a file starts at this time if the file is opened before, or at most
  ///   `FileLoop.seekNanos` after it.
  public init(_ commonStart: MediaTime) { self.commonStart = commonStart }

  /// When the first pass through a file starts.
  /// - Parameters:
  ///   - stamp: distinguishes the file from another file that had the same path before.
  ///   - now: when the file was opened.
  func start(of path: String, _ stamp: FileStamp?, now: MediaTime) -> MediaTime {
    files.withLock { files in
      if let known = files[path], known.stamp == stamp { return known.start }
      let isInTime = files[path] == nil && now - commonStart <= FileLoop.seekNanos
      let start = isInTime ? commonStart : now
      files[path] = (stamp, start)
      return start
    }
  }
}
