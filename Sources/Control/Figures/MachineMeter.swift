// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Posix

/// Reads what the kernel tells of the machine. Its files are made when they are read, so reading does not wait for a
/// disk.
struct MachineMeter: Sendable {
  /// Sensors that are looked for.
  private static let mostZones = 32

  private let root: String
  private let ticksPerSecond: Int
  /// The files of the temperature sensors that work.
  private let zones: [String]

  /// - Parameter root: a folder that stands for "/", with /proc and /sys in it.
  init(root: String = "") {
    self.root = root
    ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))
    zones = (0..<MachineMeter.mostZones)
      .map { "\(root)/sys/class/thermal/thermal_zone\($0)/temp" }
      .filter { File.firstLine($0).flatMap(MachineReading.celsius) != nil }
  }

  /// - Parameter now: on the system's clock, which begins with the machine.
  func read(_ now: MediaTime) -> MachineReading {
    var reading = MachineReading()
    reading.ticks = text("/proc/stat").flatMap(MachineReading.ticks)
    reading.ownTicks = text("/proc/self/stat").flatMap(MachineReading.ownTicks)
    reading.ticksPerSecond = ticksPerSecond
    reading.residentBytes = text("/proc/self/status").flatMap {
      MachineReading.bytes(of: "VmRSS", $0)
    }
    reading.availableBytes = text("/proc/meminfo").flatMap {
      MachineReading.bytes(of: "MemAvailable", $0)
    }
    reading.temperatureCelsius =
      zones.compactMap { File.firstLine($0).flatMap(MachineReading.celsius) }.max()
    reading.uptimeSeconds = Int(now.nanos / 1_000_000_000)
    return reading
  }

  /// The beginning of a file. What is looked for is there.
  private func text(_ path: String) -> String? { File.kernelText(root + path, limit: 4_096) }
}
