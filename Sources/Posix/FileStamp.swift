// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Identifies a version of a file by its device, inode, size and modification time. Two stamps of the same path differ
/// if the file was replaced or written to between them.
public struct FileStamp: Sendable, Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let sizeBytes: off_t
  private let modifiedSeconds: Int
  private let modifiedNanos: Int

  /// The size and the modification time of the file, as text that can be stored. The device and inode numbers are left
  /// out, since they may differ after a reboot.
  public var text: String { "\(sizeBytes) \(modifiedSeconds).\(modifiedNanos)" }

  /// Reads the stamp of a file, or of the file that a symbolic link leads to.
  /// - Returns: `nil` if there is no such file or it cannot be reached.
  public init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    sizeBytes = status.st_size
    (modifiedSeconds, modifiedNanos) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
