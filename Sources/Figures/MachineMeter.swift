// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Glibc
internal import Posix

/// Reads the state of the machine and of this program from /proc and /sys. The kernel generates those files when they
/// are read, so reading never waits for a disk.
package struct MachineMeter: Sendable {
  /// The prefix for "/proc" and "/sys"; empty except in tests.
  private let root: String
  /// The number of clock ticks in a second. The files in /proc give processor time in clock ticks.
  private let ticksPerSecond: Int
  /// Reads the temperature, the clock and the supply state of the processor.
  private var processor: ProcessorMeter

  /// - Parameter root: a prefix for "/proc" and "/sys": empty, or a folder without a slash at its end in a test.
  package init(root: String = "") {
    self.root = root
    ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))
    processor = ProcessorMeter(root: "\(root)/sys")
  }

  /// Reads the present values.
  /// - Parameter now: the present time on the system clock, CLOCK_MONOTONIC, which starts at the machine's boot.
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

  /// The first 4,096 bytes of a file, which contain all values that are needed.
  private func text(_ path: String) -> String? { File.kernelText(root + path, limit: 4_096) }
}
