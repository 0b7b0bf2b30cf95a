// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

/// An open folder, closed when the object is released. Its files are opened by their names in it: neither a name nor a
/// symbolic link leads out of it.
public final class OpenFolder: Sendable {
  /// A regular file in a folder.
  public struct Entry: Sendable, Equatable {
    /// The size in bytes.
    public var size: Int
    /// The time of the last change in seconds since 1970-01-01 UTC.
    public var modifiedAt: Int64
  }

  private let descriptor: Int32

  public init(_ path: String) throws(SystemError) {
    descriptor = try retrying { unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  deinit { close(descriptor) }

  /// The names of the entries, in no particular order and without "." and "..".
  /// - Parameter most: the most names that are read.
  public func names(most: Int) throws(SystemError) -> [String] {
    // The copy of a descriptor would share its position.
    let copy = try retrying { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let directory = unsafe fdopendir(copy) else {
      close(copy)
      throw SystemError()
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while names.count < most, let entry = unsafe readdir(directory) {
      let name = unsafe String(cArray: entry.pointee.d_name)
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The regular file of a name; `nil` if there is none, or something else.
  public func entry(_ name: String) -> Entry? {
    var status = stat()
    guard Self.isName(name), unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Entry(size: Int(status.st_size), modifiedAt: Int64(status.st_mtim.tv_sec))
  }

  /// Whether nothing has this name.
  public func isAbsent(_ name: String) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
  }

  /// Opens a regular file for reading, and for writing if asked.
  public func open(_ name: String, forWriting: Bool = false) throws(SystemError) -> OpenFile {
    // Without O_NONBLOCK, opening a FIFO would wait for its other end.
    try open(name, (forWriting ? O_RDWR : O_RDONLY) | O_NONBLOCK)
  }

  /// Creates a file, which must not exist, for reading and writing.
  public func create(_ name: String) throws(SystemError) -> OpenFile {
    try open(name, O_RDWR | O_CREAT | O_EXCL)
  }

  private func open(_ name: String, _ flags: Int32) throws(SystemError) -> OpenFile {
    guard Self.isName(name) else { throw SystemError(EINVAL) }
    let opened = try retrying {
      unsafe openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o644)
    }
    let file = OpenFile(descriptor: opened)
    var status = stat()
    try retrying { unsafe fstat(opened, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL) }
    return file
  }

  /// Renames an entry within the folder. Fails with EEXIST if the new name is taken.
  public func rename(_ name: String, to newName: String) throws(SystemError) {
    guard Self.isName(name), Self.isName(newName) else { throw SystemError(EINVAL) }
    guard isAbsent(newName) else { throw SystemError(EEXIST) }
    try retrying { unsafe renameat(descriptor, name, descriptor, newName) }
    flushEntry(newName)
  }

  /// Renames an entry within the folder. What has the name already is replaced.
  public func replace(_ name: String, by newest: String) throws(SystemError) {
    guard Self.isName(name), Self.isName(newest) else { throw SystemError(EINVAL) }
    try retrying { unsafe renameat(descriptor, newest, descriptor, name) }
    flushEntry(name)
  }

  /// Waits until the entry of a renamed file leads to its data. On FAT the new entry is that of an empty file until the
  /// file is flushed: a power cut before that loses all of it (`vfat_rename` in fs/fat/namei_vfat.c of Linux). The file
  /// has its new name even if this fails; a disk that has failed is told by the next `flush`.
  private func flushEntry(_ name: String) {
    if isFAT { try? open(name).flush() }
  }

  /// Removes a file or a symbolic link.
  public func remove(_ name: String) throws(SystemError) {
    guard Self.isName(name) else { throw SystemError(EINVAL) }
    try retrying { unsafe unlinkat(descriptor, name, 0) }
  }

  /// Waits until created, renamed and removed entries are on the disk (fsync(2)).
  public func flush() throws(SystemError) { try retrying { fsync(descriptor) } }

  /// The free space that this user may use, and the size of the file system, in bytes (fstatvfs(3)).
  public func space() throws(SystemError) -> (free: Int, total: Int) {
    var system = statvfs()
    try retrying { unsafe fstatvfs(descriptor, &system) }
    let unit = Int(system.f_frsize)
    return (
      Int(clamping: system.f_bavail).multipliedReportingOverflow(by: unit).partialValue,
      Int(clamping: system.f_blocks).multipliedReportingOverflow(by: unit).partialValue
    )
  }

  /// Whether the file system is FAT: a file ends at 4 GiB there.
  public var isFAT: Bool { onair_is_fat(descriptor) != 0 }

  /// Whether a text names an entry of this folder, and nothing elsewhere.
  public static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
