// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a file cannot be read.
public enum FileError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing
  /// This user may not read the file.
  case forbidden
  /// The path leads to a folder.
  case isDirectory
  /// The path leads to a pipe, a socket or a device.
  case isNotRegular
  /// The file has more bytes than the limit. The value is the size of the file in bytes, or the number of bytes read so
  /// far if the file has grown since it was opened.
  case tooLong(Int)
  /// The path has more symbolic links than the kernel follows, for example because the links form a loop.
  case linkLoop
  /// The last part of the path is a symbolic link, and the caller has not allowed links.
  case isSymbolicLink
  /// Any other error of a system call.
  case system(SystemError)

  /// The reason as the end of a sentence that begins with the file's name: "is a folder, not a file".
  public var sentence: String {
    switch self {
    case .missing: "is not there"
    case .forbidden: "may not be read by this user: change its owner or its mode"
    case .isDirectory: "is a folder, not a file"
    case .isNotRegular: "is a pipe or a device, not a file"
    case .tooLong(let count): "is too long: \(count) bytes"
    case .linkLoop: "is a symbolic link that leads back to itself: name the file itself"
    case .isSymbolicLink: "is a symbolic link, not the file itself: put the file there"
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

/// Functions that read, write, list and remove small files and folders.
public enum File {
  /// The content of a file, and whether every user may read it.
  public struct Contents: Sendable {
    public let bytes: [UInt8]
    /// Whether users who neither own the file nor are in its group may read it.
    public let isReadableByAll: Bool

    public init(bytes: [UInt8], isReadableByAll: Bool = false) {
      self.bytes = bytes
      self.isReadableByAll = isReadableByAll
    }
  }

  /// Reads a whole regular file. /dev/null counts as an empty file.
  /// - Parameters:
  ///   - limit: the maximum size of the file in bytes.
  ///   - followsLinks: whether the last part of `path` may be a symbolic link.
  public static func read(
    _ path: String, limit: Int, followsLinks: Bool = true
  ) throws(FileError) -> Contents {
    let descriptor = try openRegular(path, followsLinks: followsLinks)
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(SystemError()) }
    guard status.st_size <= limit else { throw .tooLong(Int(status.st_size)) }
    let bytes = try readAll(descriptor, limit: limit, expecting: Int(status.st_size))
    return Contents(bytes: bytes, isReadableByAll: status.st_mode & S_IROTH != 0)
  }

  /// Opens a regular file for reading. The caller closes the descriptor.
  /// - Parameter followsLinks: whether the last part of `path` may be a symbolic link.
  public static func openRegular(_ path: String, followsLinks: Bool = true) throws(FileError)
    -> Int32
  {
    // The kernel would read the path only up to a zero byte in it.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing }
    // Without O_NONBLOCK, open(2) of a FIFO would wait for a writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else {
      let error = FileError(SystemError())
      throw error == .linkLoop && !followsLinks && isLink(path) ? .isSymbolicLink : error
    }
    do throws(FileError) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(SystemError()) }
      switch status.st_mode & S_IFMT {
      case S_IFREG: return descriptor
      case S_IFDIR: throw .isDirectory
      // Accept /dev/null, which counts as an empty file.
      case S_IFCHR where status.st_rdev == nullDevice: return descriptor
      default: throw .isNotRegular
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The first bytes of a file, at most `count`.
  public static func firstBytes(_ path: String, count: Int) throws(FileError) -> [UInt8] {
    let descriptor = try openRegular(path)
    defer { close(descriptor) }
    do throws(SystemError) {
      return try read(descriptor, limit: count)
    } catch {
      throw FileError(error)
    }
  }

  /// The first line of a file in /proc or /sys, without its line break; `nil` if the file cannot be read. At most 255
  /// bytes are read.
  public static func firstLine(_ path: String) -> String? {
    kernelText(path, limit: 255)?.split(separator: "\n", omittingEmptySubsequences: false).first
      .map(String.init)
  }

  /// The text of a file in /proc or /sys, from one read(2) of at most `limit` bytes, since stat(2) does not report the
  /// size of such a file; `nil` if the file cannot be read.
  public static func kernelText(_ path: String, limit: Int = 65_536) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return (try? read(descriptor, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The free space in bytes of the file system that contains a folder, as far as programs without root rights can use
  /// it (statvfs(2)); `nil` if it cannot be determined.
  public static func freeBytes(in directory: String) -> Int? {
    var system = statvfs()
    guard unsafe statvfs(directory, &system) == 0 else { return nil }
    return Int(
      clamping: system.f_bavail.multipliedReportingOverflow(by: system.f_frsize).partialValue)
  }

  /// Reads with one read(2), and returns the bytes, at most `limit`.
  static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try retrying { unsafe Glibc.read(descriptor, &bytes, limit) }
    return Array(bytes[..<count])
  }

  /// The device number of /dev/null: makedev(1, 3).
  private static let nullDevice: dev_t = 0x103

  /// Reads an open file to its end.
  /// - Parameters:
  ///   - limit: the most bytes that the file may have; more throw `.tooLong`.
  ///   - size: the probable size of the file, for which memory is reserved.
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
      // The file may have grown since it was opened.
      guard bytes.count + count <= limit else { throw .tooLong(bytes.count + count) }
      bytes += block[..<count]
    }
  }
}
