// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc

/// A folder that stands for "/", with files in its sys.
package struct FakeSys {
  package let root = freshDirectory()

  package var sys: String { "\(root)/sys" }

  /// - Parameter files: paths below /sys, and what they contain.
  package init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(atPath: sys, withIntermediateDirectories: true)
    try write(files)
  }

  package func write(_ files: [String: String]) throws {
    for (path, text) in files {
      try makeFolder(of: path)
      try Data((text + "\n").utf8).write(to: URL(filePath: "\(sys)/\(path)"))
    }
  }

  /// Puts a FIFO where a file is expected.
  package func putFIFO(_ path: String) throws {
    try makeFolder(of: path)
    unsafe unlink("\(sys)/\(path)")
    guard unsafe mkfifo("\(sys)/\(path)", 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private func makeFolder(of path: String) throws {
    let parts = path.split(separator: "/").dropLast()
    try FileManager.default.createDirectory(
      atPath: "\(sys)/\(parts.joined(separator: "/"))", withIntermediateDirectories: true)
  }

  // MARK: Boards

  /// A sensor: its name, its temperature in thousandths of a degree, and its trip points.
  package static func zone(
    _ number: Int, _ type: String, _ temp: String, trips: [(String, String)] = [],
    cooling: [String] = []
  ) -> [String: String] {
    let folder = "class/thermal/thermal_zone\(number)"
    var files = ["\(folder)/type": type, "\(folder)/temp": temp]
    for (index, trip) in trips.enumerated() {
      files["\(folder)/trip_point_\(index)_type"] = trip.0
      files["\(folder)/trip_point_\(index)_temp"] = trip.1
    }
    for (index, trip) in cooling.enumerated() { files["\(folder)/cdev\(index)_trip_point"] = trip }
    return files
  }

  package static func policy(_ number: Int, cores: String, full: String, now: String) -> [String:
    String]
  {
    let folder = "devices/system/cpu/cpufreq/policy\(number)"
    return [
      "\(folder)/related_cpus": cores, "\(folder)/cpuinfo_max_freq": full,
      "\(folder)/scaling_max_freq": now,
    ]
  }

  package static let flags = "devices/platform/soc/soc:firmware/get_throttled"
  package static let pi5Flags =
    "devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled"
  package static let alarm = "class/hwmon/hwmon1/in0_lcrit_alarm"

  package static func pi(
    temp: String, flags: String, alarm: String = "0", at path: String = FakeSys.flags
  ) -> [String: String] {
    var files = zone(0, "cpu-thermal", temp, trips: [("critical", "110000")])
    files.merge(policy(0, cores: "0 1 2 3", full: "1800000", now: "1800000")) { $1 }
    files["class/hwmon/hwmon0/name"] = "cpu_thermal"
    files["class/hwmon/hwmon1/name"] = "rpi_volt"
    files[FakeSys.alarm] = alarm
    files[path] = flags
    return files
  }
}
