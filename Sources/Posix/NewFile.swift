// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file that is written piece by piece under a temporary name, and gets its final name once it is complete.
public struct NewFile: Sendable {
  /// The path with the temporary name.
  public let path: String
  /// The descriptor of the file, open for writing.
  private let descriptor: Int32

  /// Creates the file, with mode 0600.
  /// - Parameter path: the path with a temporary name that nothing else uses. A file or a symbolic link of that name is
  ///   removed first.
  public init(_ path: String) throws(SystemError) {
    File.unlink(path)
    descriptor = try retrying {
      unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    self.path = path
  }

  /// Appends bytes to the file.
  public func append(_ bytes: [UInt8]) throws(SystemError) {
    try File.write(bytes, to: descriptor)
  }

  /// Waits until the bytes written so far are on the disk (fdatasync(2)).
  public func flush() throws(SystemError) { try retrying { fdatasync(descriptor) } }

  /// Flushes the file and renames it to its final name in the same folder. After a power cut, the final name leads
  /// either to the complete file or to the file that had this name before.
  public func keep(as name: String) throws(SystemError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? "\(parts.dropLast().joined(separator: "/"))/" : "."
    try retrying { fsync(descriptor) }
    try File.rename(String(parts.last ?? ""), to: name, in: folder)
    let opened = try retrying { unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(opened) }
    try retrying { fsync(opened) }
  }

  /// Closes the file, and removes it unless `keep` has renamed it. Call it once; nothing can be written afterwards.
  public func end() {
    close(descriptor)
    File.unlink(path)
  }
}
