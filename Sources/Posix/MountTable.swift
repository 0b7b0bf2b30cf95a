// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Finds file systems that /etc/fstab lists but that are not mounted.
///
/// A mount point whose file system could not be mounted looks like an empty folder.
public struct MountTable: Sendable {
  /// The tables of this machine: fstab(5) and proc_pid_mountinfo(5).
  public static let system = MountTable(fstab: "/etc/fstab", mountinfo: "/proc/self/mountinfo")
  /// Maximum size of each table in bytes.
  private static let maxBytes = 1 << 20

  /// The path of the table of file systems that have to be mounted, such as /etc/fstab.
  private let fstab: String
  /// The path of the table of mounted file systems, such as /proc/self/mountinfo.
  private let mountinfo: String

  /// - Parameters:
  ///   - fstab: the path of a table in the format of /etc/fstab.
  ///   - mountinfo: the path of a table in the format of /proc/self/mountinfo.
  public init(fstab: String, mountinfo: String) {
    (self.fstab, self.mountinfo) = (fstab, mountinfo)
  }

  /// The mount point, at or above `path`, of a file system that fstab lists but that is not mounted. The usual contents
  /// of `path` are then missing.
  /// - Returns: `nil` if there is no such mount point, or if a table cannot be read.
  public func missingMount(above path: String) -> String? {
    let paths = [path, Self.resolved(path)]
    // In fstab, the mount point is the second field.
    let above = Self.mountPoints(1, of: fstab).filter { folder in
      folder != "/" && paths.contains { $0 == folder || $0.hasPrefix("\(folder)/") }
    }
    guard !above.isEmpty else { return nil }
    let mounted = Set(Self.mountPoints(4, of: mountinfo))
    guard !mounted.isEmpty else { return nil }
    return above.first { !mounted.contains($0) && !mounted.contains(Self.resolved($0)) }
  }

  /// The mount points in one column of a table; empty if the table cannot be read.
  /// - Parameter column: the index of the column, from 0.
  private static func mountPoints(_ column: Int, of table: String) -> [String] {
    guard let contents = try? File.read(table, limit: maxBytes) else { return [] }
    return String(decoding: contents.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .compactMap { line in
        let fields = line.split { $0 == " " || $0 == "\t" }
        guard fields.first?.hasPrefix("#") == false, fields.count > column else { return nil }
        var folder = decoded(fields[column])
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        return folder.hasPrefix("/") ? folder : nil
      }
  }

  /// Decodes a field in which spaces, tabs and backslashes are written as octal numbers: "\040".
  private static func decoded(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path with its symbolic links resolved, as far as its folders exist (realpath(3)).
  private static func resolved(_ path: String) -> String {
    var (folder, rest) = (path[...], "")
    while true {
      if let real = unsafe realpath(String(folder), nil) {
        defer { unsafe free(real) }
        return unsafe String(cString: real) + rest
      }
      guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return path }
      rest = folder[slash...] + rest
      folder = folder[..<slash]
    }
  }
}
