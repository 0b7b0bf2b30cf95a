// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// This machine.
public enum Host {
  /// Its name (gethostname(2)); empty if it has none.
  public static var name: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else { return "" }
      unsafe buffer[255] = 0
      return unsafe String(cString: start)
    }
  }

  /// The system's time zone by its name in the IANA database, as in "Europe/Berlin"; "UTC" where none is set, as localtime(5)
  /// has it.
  public static let timeZone: String = {
    if let named = unsafe getenv("TZ").map({ unsafe String(cString: $0) }), !named.isEmpty {
      return named.hasPrefix(":") ? String(named.dropFirst()) : named
    }
    var target = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe readlink("/etc/localtime", &target, target.count)
    let path = String(decoding: target.prefix(max(0, count)), as: UTF8.self)
    let name = path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
    return name.flatMap { $0.isEmpty ? nil : $0 } ?? "UTC"
  }()
}
