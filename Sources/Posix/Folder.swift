// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

extension File {
  /// The names of the entries in a folder, in no particular order and without "." and ".."; empty if the folder cannot
  /// be read.
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

  /// Whether there is a regular file at this path. A symbolic link to a regular file does not count.
  public static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether there is a symbolic link at this path.
  public static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The size in bytes of a regular file, or of the regular file that a symbolic link leads to; `nil` for anything
  /// else.
  public static func size(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Removes a file or a symbolic link if it exists (unlink(2)). The folder is not flushed, so the file may reappear
  /// after a power cut.
  /// - Returns: whether this call removed it: `false` if it did not exist, or if it could not be removed.
  @discardableResult public static func unlink(_ path: String) -> Bool {
    unsafe Glibc.unlink(path) == 0
  }

  /// Removes a file, a symbolic link (not its target), or a folder with everything in it. Errors are ignored.
  /// - Parameter depth: the maximum number of folder levels to remove; 0 for files and symbolic links only.
  public static func removeAll(_ path: String, depth: Int) {
    if unsafe Glibc.unlink(path) == 0 || depth == 0 { return }
    guard errno == EISDIR else { return }
    for name in names(in: path) { removeAll("\(path)/\(name)", depth: depth - 1) }
    _ = unsafe rmdir(path)
  }

  /// Sets the mode of a file to 0600, so that only its owner can read and write it (chmod(2)). Errors are ignored.
  public static func makePrivate(_ path: String) { _ = unsafe chmod(path, 0o600) }

  /// Whether a folder can be opened and certainly has no entry of this name. `false` also if the folder cannot be
  /// checked: it is missing, is a file or a loop of symbolic links, or may not be entered by this user.
  public static func isAbsent(_ name: String, from folder: String) -> Bool {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
  }

  /// Whether there certainly is no such file or folder, and no symbolic link of this name. `false` also if the path
  /// cannot be checked: a parent folder is a symbolic link to nothing, for example, or may not be read by this user.
  public static func isAbsent(_ path: String) -> Bool {
    guard let slash = path.lastIndex(of: "/") else { return isAbsent(path, from: ".") }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return isAbsent(String(path[path.index(after: slash)...]), from: folder)
      || slash != path.startIndex && isAbsent(folder)
  }

  /// Creates a folder with mode 0700, which only this user can enter, if it does not exist. Errors are ignored.
  public static func makePrivateFolder(_ path: String) { _ = unsafe mkdir(path, 0o700) }
}
