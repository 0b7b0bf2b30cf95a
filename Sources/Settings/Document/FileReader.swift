// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import Posix

/// A function that reads the file at `path` if it has at most `limit` bytes. Tests inject their own functions.
public typealias FileReader =
  @Sendable (_ path: String, _ limit: Int) throws(FileError) -> File.Contents

extension Configuration {
  /// The `FileReader` that reads files of this machine.
  public static let systemFiles: FileReader = { path, limit throws(FileError) in
    try File.read(path, limit: limit)
  }

  /// The environment variables of this process that `Configuration.load` uses, by name.
  public static var processEnvironment: [String: String] {
    var found: [String: String] = [:]
    for name in ["CREDENTIALS_DIRECTORY", "STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"] {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
  }
}

extension FileError {
  /// The error as a continuation of "KEY: ", where KEY is the key of the setting that names the file. The words never
  /// contain the path: a user may have written the stream key in place of the path by mistake.
  func sentence(naming path: String) -> String {
    // A relative path or "~" is a likely mistake: a service runs in "/", and only shells expand "~".
    let hint =
      self == .missing && !path.hasPrefix("/") ? " (write the whole path, beginning with /)" : ""
    return switch self {
    case .isDirectory: "names a folder, not a file"
    case .isNotRegular: "names a pipe or a device, not a file"
    case .tooLong: "names a file that is too large"
    default: "names a file that \(sentence)\(hint)"
    }
  }
}
