// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

extension File {
  /// The names in a folder, unordered; empty if it cannot be read.
  public static func names(in folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe String(cArray: entry.pointee.d_name)
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Whether there is a regular file of this name, not a link to one.
  public static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether there is a symbolic link of this name.
  public static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The bytes of a regular file, or of the one that a link leads to; `nil` for anything else.
  public static func size(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Removes a file or a link, if it is there, and leaves it to the system when that is on the disk (unlink(2)).
  public static func unlink(_ path: String) { _ = unsafe Glibc.unlink(path) }

  /// Removes a file, a link (and not where it leads to), or a folder with all that is in it.
  /// - Parameter depth: of folders in folders.
  public static func removeAll(_ path: String, depth: Int) {
    if unsafe Glibc.unlink(path) == 0 || depth == 0 { return }
    guard errno == EISDIR else { return }
    for name in names(in: path) { removeAll("\(path)/\(name)", depth: depth - 1) }
    _ = unsafe rmdir(path)
  }

  /// Lets this user alone read and write a file (chmod(2)).
  public static func makePrivate(_ path: String) { _ = unsafe chmod(path, 0o600) }

  /// Whether a folder is there, can be looked into, and has nothing of this name. What cannot be looked at is not absent:
  /// a file or a loop of links in the folder's place, or a folder that this user may not enter.
  public static func isAbsent(_ name: String, from folder: String) -> Bool {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
  }

  /// Creates a folder that only this user can enter, if it is not there.
  public static func makePrivateFolder(_ path: String) { _ = unsafe mkdir(path, 0o700) }
}
