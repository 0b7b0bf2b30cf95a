// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// The present state bits of a Raspberry Pi's firmware: bits 0 to 3 of `vcgencmd get_throttled`
/// (https://www.raspberrypi.com/documentation/computers/os.html#get_throttled). Bits 16 to 19, which report past
/// states, are omitted.
package struct FirmwareFlags: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The supply voltage is too low.
  static let underVoltage = FirmwareFlags(rawValue: 1)
  /// The firmware has capped the clock of the cores.
  package static let capped = FirmwareFlags(rawValue: 1 << 1)
  /// The firmware throttles the cores because of heat or a low supply voltage.
  package static let throttled = FirmwareFlags(rawValue: 1 << 2)
  /// The soft temperature limit is exceeded: the firmware lowers the clock a little.
  package static let softLimit = FirmwareFlags(rawValue: 1 << 3)
}

extension FirmwareFlags {
  /// Parses the content of the sysfs file get_throttled: a hexadecimal number without a prefix.
  /// - Returns: `nil` if it is no such number.
  init?(_ text: String) {
    guard let number = UInt32(text, radix: 16) else { return nil }
    self.init(rawValue: number & 0xf)
  }
}

/// Reads the state of a Raspberry Pi's supply voltage and clock from files in sysfs.
struct RaspberryPi: Sendable {
  /// The temperature in degrees Celsius at which the firmware throttles the cores. From 80 degrees on it lowers the
  /// clock step by step (https://www.raspberrypi.com/documentation/computers/raspberry-pi.html, "Frequency management
  /// and thermal control").
  static let limitCelsius = 85.0
  /// The most hwmon sensors, and the most soc devices, that are searched.
  private static let maxFolders = 64

  /// The path of the hwmon file in0_lcrit_alarm, which contains 1 after a low supply voltage, else 0.
  private let alarmPath: String
  /// The path of the sysfs file get_throttled with the state bits of the firmware; `nil` if there is no such file.
  private let throttledPath: String?

  /// Searches sysfs for the files in0_lcrit_alarm and get_throttled.
  /// - Parameter root: the sysfs folder: "/sys", or another folder in a test.
  /// - Returns: `nil` on other machines, and if the driver raspberrypi-hwmon is not loaded. That driver asks the
  ///   firmware every two seconds; without it, get_throttled would keep its value from the start of the machine.
  init?(root: String) {
    let sensors = "\(root)/class/hwmon"
    let found = File.names(in: sensors).sorted().prefix(RaspberryPi.maxFolders)
      .first { File.firstLine("\(sensors)/\($0)/name") == "rpi_volt" }
    guard let found else { return nil }
    alarmPath = "\(sensors)/\(found)/in0_lcrit_alarm"
    // The folder of get_throttled is soc/soc:firmware, or on a Raspberry Pi 5 soc@107c000000/soc@107c000000:firmware.
    let platform = "\(root)/devices/platform"
    throttledPath = File.names(in: platform).filter { $0.hasPrefix("soc") }.sorted()
      .prefix(RaspberryPi.maxFolders)
      .map { "\(platform)/\($0)/\($0):firmware/get_throttled" }
      .first { File.firstLine($0) != nil }
  }

  /// Whether the supply voltage was too low in the last two seconds (Documentation/hwmon/raspberrypi-hwmon.rst); `nil`
  /// if neither in0_lcrit_alarm nor get_throttled can be read.
  var isUnderVoltage: Bool? {
    switch File.firstLine(alarmPath) {
    case "1": true
    case "0": flags?.contains(.underVoltage) ?? false
    default: flags?.contains(.underVoltage)
    }
  }

  /// The present state bits of the firmware, from get_throttled; `nil` if the file is missing or malformed. The first
  /// read makes the kernel log once that the file is deprecated, but no other file in sysfs shows that the firmware
  /// lowers the clock.
  var flags: FirmwareFlags? { throttledPath.flatMap(File.firstLine).flatMap { FirmwareFlags($0) } }
}
