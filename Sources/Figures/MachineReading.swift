// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the kernel tells of the machine and of this program at one moment (proc(5)). What it does not tell is `nil`.
package struct MachineReading: Sendable, Equatable {
  /// Clock ticks of all cores since the machine's start.
  struct Ticks: Sendable, Equatable {
    var total: UInt64
    /// Those in which a core was not idle.
    var busy: UInt64
  }

  var ticks: Ticks?
  /// Clock ticks in which a core ran this program.
  var ownTicks: UInt64?
  /// Clock ticks in a second of one core.
  var ticksPerSecond = 100
  /// Resident memory of this program.
  var residentBytes: UInt64?
  /// Memory of the machine that programs can still get.
  var availableBytes: UInt64?
  package var processor = ProcessorHealth()
  /// Since the machine's start.
  var uptimeSeconds = 0

  /// Parses /proc/stat: its first line has the ticks of all cores.
  static func ticks(_ stat: String) -> Ticks? {
    let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
    guard fields.first == "cpu" else { return nil }
    // user, nice, system, idle, iowait, irq, softirq, steal. The guests' time after these is part of the user's.
    let numbers = fields.dropFirst().prefix(8).compactMap { UInt64($0) }
    guard numbers.count >= 4, numbers.count == min(8, fields.count - 1) else { return nil }
    let total = numbers.reduce(0, &+)
    let idle = numbers[3] &+ (numbers.count > 4 ? numbers[4] : 0)
    return idle <= total ? Ticks(total: total, busy: total - idle) : nil
  }

  /// Parses /proc/self/stat: utime and stime, its fields 14 and 15.
  static func ownTicks(_ stat: String) -> UInt64? {
    // Field 2 is the program's name in brackets, which may contain anything.
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = UInt64(fields[11]), let system = UInt64(fields[12])
    else { return nil }
    return user &+ system
  }

  /// A line "NAME:  NUMBER kB" of /proc/self/status or /proc/meminfo, in bytes.
  static func bytes(of name: String, _ text: String) -> UInt64? {
    for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
      let fields = line.dropFirst(name.count + 1).split(whereSeparator: { " \t".contains($0) })
      guard fields.count == 2, fields[1] == "kB", let number = UInt64(fields[0]) else { return nil }
      let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1_024)
      return isTooLarge ? nil : bytes
    }
    return nil
  }

  /// A temperature in thousandths of a degree, as /sys/class/thermal/thermal_zone*/temp has it; `nil` for what no
  /// working sensor measures.
  static func celsius(_ text: String) -> Double? {
    guard let thousandths = Int(text), (-40_000...150_000).contains(thousandths) else { return nil }
    return Double(thousandths) / 1_000
  }
}
