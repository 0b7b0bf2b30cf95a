// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

extension File {
  /// Replaces a file as a whole: after a power cut it holds either the old bytes or the new ones.
  ///
  /// The bytes go to `NAME.new`, which is flushed and renamed over `NAME`; then the folder is flushed
  /// (rename(2), fsync(2)). Neither name is ever opened through a link: a file or a link that somebody left at
  /// `NAME.new` is removed, and the new file is created with O_EXCL.
  /// - Parameter directory: a folder that only this user can write. The new file has mode 0600, and if root writes it,
  ///   the folder's owner: a service that runs as that user can then read it.
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

  /// Gives a file another name in its folder (rename(2)).
  public static func rename(
    _ name: String, to other: String, in directory: String
  ) throws(SystemError) {
    try retrying { unsafe Glibc.rename("\(directory)/\(name)", "\(directory)/\(other)") }
  }

  /// Removes a file, if it is there, with what a power cut during `replace` has left, and flushes its folder: after a power
  /// cut it is not there again (unlink(2), fsync(2)).
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
