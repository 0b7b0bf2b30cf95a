// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Identifies a version of a file by its device, inode, size and modification time. Two stamps of the same path differ
/// if the file was replaced or written to between them.
public struct FileStamp: Sendable, Equatable {
  /// The device number of the file's file system (st_dev).
  private let device: dev_t
  /// The inode number of the file (st_ino).
  private let inode: ino_t
  /// The size of the file in bytes.
  private let sizeBytes: off_t
  /// The modification time of the file, in whole seconds since 1970.
  private let modifiedSeconds: Int
  /// The nanoseconds by which the modification time is later than `modifiedSeconds`.
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
