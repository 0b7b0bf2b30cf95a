// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// What the firmware of a Raspberry Pi does now: the bits of `vcgencmd get_throttled` in its documentation
/// (https://www.raspberrypi.com/documentation/computers/os.html#get_throttled). Bits 16 to 19 tell of the past.
package struct FirmwareFlags: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  static let underVoltage = FirmwareFlags(rawValue: 1)
  /// The clock of the cores is capped.
  package static let capped = FirmwareFlags(rawValue: 1 << 1)
  /// The cores are throttled, because of heat or of a low voltage.
  package static let throttled = FirmwareFlags(rawValue: 1 << 2)
  /// The soft temperature limit lowers the clock a little.
  package static let softLimit = FirmwareFlags(rawValue: 1 << 3)
}

extension FirmwareFlags {
  /// Parses what get_throttled contains: a hexadecimal number without a prefix.
  init?(_ text: String) {
    guard let number = UInt32(text, radix: 16) else { return nil }
    self.init(rawValue: number & 0xf)
  }
}

/// The files of a Raspberry Pi on its supply and its clock.
struct RaspberryPi: Sendable {
  /// Degrees Celsius at which the firmware throttles; from five below on it lowers the clock step by step
  /// (https://www.raspberrypi.com/documentation/computers/raspberry-pi.html, "Frequency management and thermal
  /// control").
  static let limitCelsius = 85.0
  /// The most sensors that are looked at.
  private static let most = 64

  private let alarm: String
  private let throttled: String?

  /// - Parameter root: "/sys", or a folder that stands for it.
  /// - Returns: `nil` on other machines, and where the driver raspberrypi-hwmon is missing: it is what asks the
  ///   firmware, every two seconds. Without it get_throttled would stay at what was found at the start of the machine.
  init?(root: String) {
    let sensors = "\(root)/class/hwmon"
    let found = File.names(in: sensors).sorted().prefix(RaspberryPi.most)
      .first { File.firstLine("\(sensors)/\($0)/name") == "rpi_volt" }
    guard let found else { return nil }
    alarm = "\(sensors)/\(found)/in0_lcrit_alarm"
    // soc/soc:firmware, on a Raspberry Pi 5 soc@107c000000/soc@107c000000:firmware.
    let platform = "\(root)/devices/platform"
    throttled = File.names(in: platform).filter { $0.hasPrefix("soc") }.sorted()
      .prefix(RaspberryPi.most)
      .map { "\(platform)/\($0)/\($0):firmware/get_throttled" }
      .first { File.firstLine($0) != nil }
  }

  /// Whether the voltage was too low in the last two seconds (Documentation/hwmon/raspberrypi-hwmon.rst).
  var isUnderVoltage: Bool? {
    switch File.firstLine(alarm) {
    case "1": true
    case "0": flags?.contains(.underVoltage) ?? false
    default: flags?.contains(.underVoltage)
    }
  }

  /// Whoever reads them first makes the kernel log once that get_throttled is deprecated. Nothing else in sysfs tells
  /// that the firmware lowers the clock.
  var flags: FirmwareFlags? { throttled.flatMap(File.firstLine).flatMap { FirmwareFlags($0) } }
}
