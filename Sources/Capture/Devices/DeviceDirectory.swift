// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// Reads the folders in which the kernel and udev list devices, such as /dev.
enum DeviceDirectory {
  /// The names in `folder` that consist of `prefix` and a number, ordered by that number.
  static func numbered(_ prefix: String, in folder: String) -> [String] {
    var found: [(name: String, number: Int)] = []
    for name in File.names(in: folder) where name.hasPrefix(prefix) {
      guard let number = Int(name.dropFirst(prefix.count)) else { continue }
      found.append((name, number))
    }
    return found.sorted { $0.number < $1.number }.map { $0.name }
  }

  /// The absolute path of a file after all symbolic links were followed; `nil` if there is no such file.
  static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The target of a symbolic link as the link stores it, perhaps a relative path; `nil` if the link cannot be read.
  static func target(of link: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = unsafe readlink(link, start, buffer.count)
      guard count >= 0 else { return nil }
      return unsafe String(
        decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
