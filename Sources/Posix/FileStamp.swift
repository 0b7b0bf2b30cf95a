// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Tells whether a file has been replaced or written to.
public struct FileStamp: Sendable, Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let bytes: off_t
  private let seconds: Int
  private let nanos: Int

  /// Size and time of the last change, as text for a file: inodes and devices may have other numbers after a start.
  public var text: String { "\(bytes) \(seconds).\(nanos)" }

  /// - Returns: `nil` if there is no such file.
  public init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    bytes = status.st_size
    (seconds, nanos) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
