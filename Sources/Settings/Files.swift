// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// How configuration and key files are read: the one place where this module touches the machine, so
/// that tests can put another in its place.
public struct FileReader: Sendable {
  /// A file as it was read.
  public struct Contents: Sendable {
    /// At most `limit` bytes and one more.
    public let bytes: [UInt8]
    /// Whether users who neither own it nor are in its group may read it.
    public let isReadableByAll: Bool

    /// What a file holds, and whether all may read it.
    public init(bytes: [UInt8], isReadableByAll: Bool = false) {
      self.bytes = bytes
      self.isReadableByAll = isReadableByAll
    }
  }

  /// Why a file was not read.
  public enum Failure: Error, Sendable, Equatable {
    case notThere
    case forbidden
    case isDirectory
    /// A pipe, socket or block device.
    case notAFile
    /// errno.
    case other(Int32)

    /// To be read after "FILE: ".
    public var sentence: String {
      switch self {
      case .notThere: "there is no such file"
      case .forbidden: "may not be read by this user: change its owner or its mode"
      case .isDirectory: "is a folder, not a file"
      case .notAFile: "is not a regular file"
      case .other(let code): "cannot be read (errno \(code))"
      }
    }

    /// To be read after the key of the setting that holds the path. Never with the path: the stream key
    /// may have been written there by mistake.
    func sentence(naming path: String) -> String {
      switch self {
      case .notThere:
        // A service begins in "/", and only shells know what "~" is.
        "names a file that is not there"
          + (path.hasPrefix("/") ? "" : " (write the whole path, beginning with /)")
      case .isDirectory: "names a folder, not a file"
      case .notAFile: "names a pipe or a device, not a file"
      case .forbidden, .other: "names a file that \(sentence)"
      }
    }
  }

  /// Reads the file at a path, up to a limit in bytes and one byte more, by which it shows.
  public let read: @Sendable (_ path: String, _ limit: Int) throws(Failure) -> Contents

  /// A reader that reads by `read`.
  public init(
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(Failure) -> Contents
  ) {
    self.read = read
  }

  /// The machine's own files.
  public static let system = FileReader { path, limit throws(Failure) in
    try readFile(path, limit)
  }
}

extension Configuration {
  /// The variables that `load` looks at, from this process's environment.
  public static var processEnvironment: [String: String] {
    var found: [String: String] = [:]
    for name in ["CREDENTIALS_DIRECTORY", "STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"] {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
  }
}

private func readFile(
  _ path: String, _ limit: Int
) throws(FileReader.Failure) -> FileReader.Contents {
  guard isPath(path) else { throw .notThere }
  // Not blocking: opening a pipe that nobody writes to would wait for ever.
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw failure(errno) }
  defer { close(descriptor) }
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno) }
  switch status.st_mode & S_IFMT {
  // A character device for /dev/null, which stands for an empty file.
  case S_IFREG, S_IFCHR: break
  case S_IFDIR: throw .isDirectory
  default: throw .notAFile
  }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65_536)
  while bytes.count <= limit {
    let count = unsafe Glibc.read(descriptor, &block, min(block.count, limit + 1 - bytes.count))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw failure(errno) }
    guard count > 0 else { break }
    bytes += block[..<count]
  }
  return FileReader.Contents(bytes: bytes, isReadableByAll: status.st_mode & S_IROTH != 0)
}

private func failure(_ code: Int32) -> FileReader.Failure {
  switch code {
  case ENOENT, ENOTDIR, ENAMETOOLONG: .notThere
  case EACCES, EPERM: .forbidden
  case ENXIO: .notAFile
  default: .other(code)
  }
}
