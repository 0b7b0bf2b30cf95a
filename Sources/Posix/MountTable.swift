// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The file systems that this machine is to mount, and those that are mounted.
///
/// A folder whose file system could not be mounted looks like an empty one.
public struct MountTable: Sendable {
  /// The tables of this machine: fstab(5) and proc_pid_mountinfo(5).
  public static let system = MountTable(wanted: "/etc/fstab", present: "/proc/self/mountinfo")
  /// Maximum size of each table in bytes.
  private static let longest = 1 << 20

  private let wanted: String
  private let present: String

  /// - Parameters:
  ///   - wanted: the path of a table in the format of /etc/fstab.
  ///   - present: the path of a table in the format of /proc/self/mountinfo.
  public init(wanted: String, present: String) {
    (self.wanted, self.present) = (wanted, present)
  }

  /// The folder at or above `path` on which a file system is to be mounted, and none is mounted. What is found at
  /// `path` now is not what is usually there.
  /// - Returns: `nil` if there is no such folder, or a table cannot be read.
  public func missingMount(above path: String) -> String? {
    let paths = [path, Self.resolved(path)]
    // In fstab the folder is the second field.
    let above = Self.folders(1, of: wanted).filter { folder in
      folder != "/" && paths.contains { $0 == folder || $0.hasPrefix("\(folder)/") }
    }
    guard !above.isEmpty else { return nil }
    let mounted = Set(Self.folders(4, of: present))
    guard !mounted.isEmpty else { return nil }
    return above.first { !mounted.contains($0) && !mounted.contains(Self.resolved($0)) }
  }

  /// The folders in one column of a table; empty if the table cannot be read.
  /// - Parameter column: the index of the column, from 0.
  private static func folders(_ column: Int, of table: String) -> [String] {
    guard let contents = try? File.read(table, limit: longest) else { return [] }
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

  /// A path without symbolic links, as far as it leads to something (realpath(3)).
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
