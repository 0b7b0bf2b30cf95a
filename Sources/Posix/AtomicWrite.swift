// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

extension File {
  /// Replaces a file atomically: after a power cut, it contains either the old bytes or the new ones. Creates the file
  /// if it is missing.
  ///
  /// The bytes are written to `NAME.new`, which is flushed and renamed to `NAME`; then the folder is flushed
  /// (rename(2), fsync(2)). Symbolic links are never followed: a file or a link that somebody left at `NAME.new` is
  /// removed, and the new file is created with O_EXCL.
  /// - Parameter directory: the folder of the file, in which only this user can write. The new file has mode 0600. If
  ///   this process runs as root, the file gets the folder's owner, so that a service that runs as this owner can read
  ///   it.
  public static func replace(
    _ name: String, in directory: String, with bytes: [UInt8]
  ) throws(SystemError) {
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw SystemError() }
    defer { close(folder) }
    let temporary = "\(name).new"
    if unsafe unlinkat(folder, temporary, 0) != 0, errno != ENOENT { throw SystemError() }
    let file = unsafe openat(
      folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError() }
    do throws(SystemError) {
      defer { close(file) }
      var owned = stat()
      if geteuid() == 0, unsafe fstat(folder, &owned) == 0,
        fchown(file, owned.st_uid, owned.st_gid) != 0
      {
        throw SystemError()
      }
      try write(bytes, to: file)
      try retrying { fsync(file) }
      try retrying { unsafe renameat(folder, temporary, folder, name) }
    } catch {
      _ = unsafe unlinkat(folder, temporary, 0)
      throw error
    }
    try retrying { fsync(folder) }
  }

  /// Renames a file within its folder (rename(2)). A file that has the new name already is replaced. The folder is not
  /// flushed.
  public static func rename(
    _ name: String, to newName: String, in directory: String
  ) throws(SystemError) {
    try retrying { unsafe Glibc.rename("\(directory)/\(name)", "\(directory)/\(newName)") }
  }

  /// Renames a file that cannot be used, so that a person can repair it. Does nothing if there is no such file.
  public static func setAside(
    _ name: String, as newName: String, in directory: String
  ) throws(SystemError) {
    do throws(SystemError) {
      try rename(name, to: newName, in: directory)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// Removes a file if it exists, and the `NAME.new` that a power cut during `replace` may have left. Flushes the
  /// folder, so that the file does not reappear after a power cut (unlink(2), fsync(2)).
  public static func remove(_ name: String, in directory: String) throws(SystemError) {
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw SystemError() }
    defer { close(folder) }
    var wasThere = false
    for name in [name, "\(name).new"] {
      if unsafe unlinkat(folder, name, 0) == 0 {
        wasThere = true
      } else if errno != ENOENT, errno != EISDIR {
        throw SystemError()
      }
    }
    if wasThere { try retrying { fsync(folder) } }
  }

  /// Writes all bytes to an open file; repeats write(2) until none is left.
  static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try retrying {
        unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      }
      rest = rest.dropFirst(count)
    }
  }
}
