// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Glibc
internal import Posix

/// Reads what the kernel tells of the machine. Its files are made when they are read, so reading does not wait for a
/// disk.
package struct MachineMeter: Sendable {
  private let root: String
  private let ticksPerSecond: Int
  private var processor: ProcessorMeter

  /// - Parameter root: a folder that stands for "/", with /proc and /sys in it.
  package init(root: String = "") {
    self.root = root
    ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))
    processor = ProcessorMeter(root: "\(root)/sys")
  }

  /// - Parameter now: on the system's clock, which begins with the machine.
  package mutating func read(_ now: MediaTime) -> MachineReading {
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
    reading.processor = processor.read(now)
    reading.uptimeSeconds = Int(now.nanos / 1_000_000_000)
    return reading
  }

  /// The beginning of a file. What is looked for is there.
  private func text(_ path: String) -> String? { File.kernelText(root + path, limit: 4_096) }
}
