// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The state of the machine and of this program at one moment, from the kernel (proc(5)). A value that the kernel does
/// not provide is `nil`.
package struct MachineReading: Sendable, Equatable {
  /// The processor time of all cores since the machine's start, in clock ticks.
  struct Ticks: Sendable, Equatable {
    var total: UInt64
    /// The ticks in which a core was not idle; waiting for I/O counts as idle.
    var busy: UInt64
  }

  /// The processor time of all cores since the machine's start.
  var ticks: Ticks?
  /// The processor time that this program has used, in clock ticks.
  var ownTicks: UInt64?
  /// How many ticks /proc/stat counts a second for each core (USER_HZ).
  var ticksPerSecond = 100
  /// The resident memory of this program, in bytes.
  var residentBytes: UInt64?
  /// The memory that programs can still allocate (MemAvailable), in bytes.
  var availableBytes: UInt64?
  /// The temperature, the allowed clock and the supply state of the processor.
  package var processor = ProcessorHealth()
  /// Seconds since the machine's start, without the time for which it was suspended.
  var uptimeSeconds = 0

  /// Parses the content of /proc/stat, whose first line has the clock ticks of all cores; `nil` if it is malformed.
  static func ticks(_ stat: String) -> Ticks? {
    let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
    guard fields.first == "cpu" else { return nil }
    // The fields are user, nice, system, idle, iowait, irq, softirq and steal. The guest times that follow are part of
    // user and nice.
    let numbers = fields.dropFirst().prefix(8).compactMap { UInt64($0) }
    guard numbers.count >= 4, numbers.count == min(8, fields.count - 1) else { return nil }
    let total = numbers.reduce(0, &+)
    let idle = numbers[3] &+ (numbers.count > 4 ? numbers[4] : 0)
    return idle <= total ? Ticks(total: total, busy: total - idle) : nil
  }

  /// Parses the content of /proc/self/stat: the sum of its fields 14 (utime) and 15 (stime), in clock ticks; `nil` if
  /// it is malformed.
  static func ownTicks(_ stat: String) -> UInt64? {
    // Field 2 is the program's name in parentheses. The name may contain any character.
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = UInt64(fields[11]), let system = UInt64(fields[12])
    else { return nil }
    return user &+ system
  }

  /// The value of a line "NAME:  NUMBER kB" in the content of /proc/self/status or /proc/meminfo, in bytes; `nil` if
  /// there is no such line or it is malformed.
  static func bytes(of name: String, _ text: String) -> UInt64? {
    for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
      let fields = line.dropFirst(name.count + 1).split(whereSeparator: { " \t".contains($0) })
      guard fields.count == 2, fields[1] == "kB", let number = UInt64(fields[0]) else { return nil }
      let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1_024)
      return isTooLarge ? nil : bytes
    }
    return nil
  }

  /// Parses a temperature in thousandths of a degree Celsius, as /sys/class/thermal/thermal_zone*/temp contains it.
  /// Returns degrees Celsius; `nil` for a value outside -40 to 150 degrees, which no working sensor measures.
  static func celsius(_ text: String) -> Double? {
    guard let thousandths = Int(text), (-40_000...150_000).contains(thousandths) else { return nil }
    return Double(thousandths) / 1_000
  }
}
