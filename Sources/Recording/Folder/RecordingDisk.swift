// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// What a recorder needs of a file. A test replaces it by one that fails.
protocol RecordingFile: AnyObject, Sendable {
  /// Writes all bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
  /// Waits until what was written is on the disk.
  func flush() throws(SystemError)
  /// Cuts the file off, and gives back what was reserved behind its end.
  func truncate(to size: Int) throws(SystemError)
  /// Reserves space behind the end of the file.
  func reserve(at offset: Int, count: Int) throws(SystemError)
}

/// What a recorder needs of an open folder. A test replaces it by one that fails.
protocol RecordingDisk: AnyObject, Sendable {
  /// Creates a file, which must not exist.
  func make(_ name: String) throws(SystemError) -> any RecordingFile
  /// Whether nothing has this name.
  func isAbsent(_ name: String) -> Bool
  /// Renames a file. Fails with EEXIST if the new name is taken.
  func rename(_ name: String, to newName: String) throws(SystemError)
  /// Removes a file.
  func remove(_ name: String) throws(SystemError)
  /// Waits until created and renamed files are on the disk.
  func flush() throws(SystemError)
  /// The free space and the size of the file system in bytes.
  func space() throws(SystemError) -> (free: Int, total: Int)
  /// Whether the file system is FAT: a file ends at 4 GiB there.
  var isFAT: Bool { get }
}

extension OpenFile: RecordingFile {}

extension OpenFolder: RecordingDisk {
  func make(_ name: String) throws(SystemError) -> any RecordingFile { try create(name) }
}

extension RecordingTrouble {
  /// The trouble that an error of a system call shows.
  init(_ error: SystemError) {
    self =
      switch error.code {
      case ENOENT, ENOTDIR: .noFolder
      case EACCES, EPERM: .forbidden
      case EROFS: .readOnly
      case ENOSPC, EDQUOT: .full
      case EIO, ENODEV, ENXIO, ESHUTDOWN, EUCLEAN: .diskFailed
      default: .system(error)
      }
  }
}
