// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A stamp of a file at one moment. Two stamps of a path differ if the file has been replaced or written to in between.
public struct FileStamp: Sendable, Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let bytes: off_t
  private let seconds: Int
  private let nanos: Int

  /// The size and the modification time of the file, as text that can be stored. It leaves out the inode and the
  /// device, whose numbers may differ after a reboot.
  public var text: String { "\(bytes) \(seconds).\(nanos)" }

  /// Reads the stamp of a file, or of the file that a symbolic link leads to.
  /// - Returns: `nil` if there is no such file or it cannot be reached.
  public init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    bytes = status.st_size
    (seconds, nanos) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
