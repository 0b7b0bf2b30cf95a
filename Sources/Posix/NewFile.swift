// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file that is written piece by piece under a name of its own, until it is whole.
public struct NewFile: Sendable {
  public let path: String
  private let descriptor: Int32

  /// - Parameter path: a name that nothing else uses. What is there is removed, and no link is followed.
  public init(_ path: String) throws(SystemError) {
    File.unlink(path)
    descriptor = try retrying {
      unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    self.path = path
  }

  public func append(_ bytes: [UInt8]) throws(SystemError) {
    try File.write(bytes, to: descriptor)
  }

  /// Waits until the bytes so far are on the disk (fdatasync(2)).
  public func flush() throws(SystemError) { try retrying { fdatasync(descriptor) } }

  /// Flushes it, and gives it its final name in the same folder: a power cut leaves the whole file there, or none.
  public func keep(as name: String) throws(SystemError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? "\(parts.dropLast().joined(separator: "/"))/" : "."
    try retrying { fsync(descriptor) }
    try File.rename(String(parts.last ?? ""), to: name, in: folder)
    let opened = try retrying { unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(opened) }
    try retrying { fsync(opened) }
  }

  /// Closes it, and removes what has not been kept. To be called once; nothing can be written after it.
  public func end() {
    close(descriptor)
    File.unlink(path)
  }
}
