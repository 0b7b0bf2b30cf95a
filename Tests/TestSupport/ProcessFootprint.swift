// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Foundation

/// What this process uses. To be counted in a process of its own: the test runner starts threads and opens sockets meanwhile.
package enum ProcessFootprint {
  /// The threads whose names meet a condition.
  package static func threads(_ isMeant: (String) -> Bool) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      return isMeant((name ?? "").trimmingCharacters(in: .newlines))
    }
  }

  /// The descriptors of files, sockets and events.
  package static var descriptors: Int { open.count }

  /// The event descriptors, of which each thread that can be woken has one.
  package static var eventDescriptors: Int {
    open.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(name)")
      return target?.contains("eventfd") == true
    }
  }

  private static var open: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  }

  /// Resident memory in KiB.
  package static var residentKiB: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
  }
}
