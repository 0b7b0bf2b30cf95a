// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a file cannot be read.
public enum FileError: Error, Hashable, Sendable {
  case missing
  /// This user may not read it.
  case forbidden
  case isDirectory
  /// A pipe, a socket or a device.
  case isNotRegular
  /// It has more bytes than the limit; how many, where the file system says so.
  case tooLong(Int)
  /// More symbolic links than the kernel follows: they form a loop.
  case linkLoop
  case system(SystemError)

  /// To be read after the file's name: "is a folder, not a file".
  public var sentence: String {
    switch self {
    case .missing: "is not there"
    case .forbidden: "may not be read by this user: change its owner or its mode"
    case .isDirectory: "is a folder, not a file"
    case .isNotRegular: "is a pipe or a device, not a file"
    case .tooLong(let count): "is too long: \(count) bytes"
    case .linkLoop: "is a symbolic link that leads back to itself: name the file itself"
    case .system(let error): "cannot be read (\(error)): check the disk"
    }
  }

  init(_ error: SystemError) {
    self =
      switch error.code {
      case ENOENT, ENOTDIR, ENAMETOOLONG: .missing
      case EACCES, EPERM: .forbidden
      case EISDIR: .isDirectory
      case ENXIO, ENODEV: .isNotRegular
      case ELOOP: .linkLoop
      default: .system(error)
      }
  }
}

/// Whole small files.
public enum File {
  /// The bytes of a file, and whether everyone may read it.
  public struct Contents: Sendable {
    public let bytes: [UInt8]
    /// Whether users who neither own it nor are in its group may read it.
    public let isReadableByAll: Bool

    public init(bytes: [UInt8], isReadableByAll: Bool = false) {
      self.bytes = bytes
      self.isReadableByAll = isReadableByAll
    }
  }

  /// Reads a regular file.
  /// - Parameters:
  ///   - limit: the most bytes it may have.
  ///   - followsLinks: whether the last part of `path` may be a symbolic link.
  public static func read(
    _ path: String, limit: Int, followsLinks: Bool = true
  ) throws(FileError) -> Contents {
    // Embedded NUL bytes would make the kernel see another path.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing }
    // O_NONBLOCK: opening a FIFO would wait for a writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw FileError(SystemError()) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(SystemError()) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .isDirectory
    // /dev/null stands for an empty file.
    case S_IFCHR where status.st_rdev == nullDevice: break
    default: throw .isNotRegular
    }
    guard status.st_size <= limit else { throw .tooLong(Int(status.st_size)) }
    let bytes = try readAll(descriptor, limit: limit, expecting: Int(status.st_size))
    return Contents(bytes: bytes, isReadableByAll: status.st_mode & S_IROTH != 0)
  }

  /// The first line of a file of /proc or /sys, at most 255 bytes, without its end; `nil` if there is none.
  public static func firstLine(_ path: String) -> String? {
    kernelText(path, limit: 255)?.split(separator: "\n", omittingEmptySubsequences: false).first
      .map(String.init)
  }

  /// A file of /proc or /sys, whose size stat(2) does not tell; `nil` if it cannot be read.
  public static func kernelText(_ path: String, limit: Int = 65_536) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return (try? read(descriptor, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes that a program without special rights can still write in a folder's file system; `nil` if it does not
  /// tell.
  public static func room(in directory: String) -> Int? {
    var system = statvfs()
    guard unsafe statvfs(directory, &system) == 0 else { return nil }
    return Int(
      clamping: system.f_bavail.multipliedReportingOverflow(by: system.f_frsize).partialValue)
  }

  /// The bytes that one read(2) gives.
  static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try retrying { unsafe Glibc.read(descriptor, &bytes, limit) }
    return Array(bytes[..<count])
  }

  /// makedev(1, 3): /dev/null.
  private static let nullDevice: dev_t = 0x103

  private static func readAll(
    _ descriptor: Int32, limit: Int, expecting size: Int
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count: Int
      do throws(SystemError) {
        count = try retrying { unsafe Glibc.read(descriptor, &block, block.count) }
      } catch {
        throw FileError(error)
      }
      if count == 0 { return bytes }
      // It may have grown since it was opened.
      guard bytes.count + count <= limit else { throw .tooLong(bytes.count + count) }
      bytes += block[..<count]
    }
  }
}
