// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Names in the folders where the kernel and udev show devices.
enum DeviceDirectory {
  /// What is in a folder, in no order; nothing when it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe text(entry.pointee.d_name)
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Names of `prefix` and a number, in the order of the numbers.
  static func numbered(_ prefix: String, in folder: String) -> [String] {
    var found: [(name: String, number: Int)] = []
    for name in names(in: folder) where name.hasPrefix(prefix) {
      guard let number = Int(name.dropFirst(prefix.count)) else { continue }
      found.append((name, number))
    }
    return found.sorted { $0.number < $1.number }.map { $0.name }
  }

  /// The absolute path behind all links; `nil` when there is nothing.
  static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// What a symbolic link says.
  static func target(of link: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = unsafe readlink(link, start, buffer.count)
      guard count >= 0 else { return nil }
      return unsafe String(
        decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The first line of a small file, at most 255 bytes.
  static func firstLine(of path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 255, alignment: 1) { buffer in
      let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return unsafe String(
        decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }
}
