// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The temperature of the processor, its allowed clock and the state of its supply, at one moment. A value that the
/// machine does not provide is `nil`.
package struct ProcessorHealth: Sendable, Equatable {
  /// The largest headroom, in degrees Celsius, at which a lowered clock is attributed to heat.
  package static let nearLimitCelsius = 10.0

  /// The temperature of the hottest sensor in degrees Celsius.
  package var temperatureCelsius: Double?
  /// The degrees Celsius that are left until the kernel or the firmware lowers the clock or switches the machine off:
  /// the smallest value of all sensors. Negative above the limit.
  package var headroomCelsius: Double?
  /// The clock that the kernel allows now, as a share of the full clock, averaged over all cores: more than 0 and at
  /// most 1.
  package var allowedClockShare: Double?
  /// Whether the supply voltage was too low in the last two seconds; `nil` on machines other than a Raspberry Pi.
  package var isUnderVoltage: Bool?
  /// The present state bits of a Raspberry Pi's firmware, such as `throttled`; `nil` on other machines, or if they
  /// cannot be read.
  package var firmwareFlags: FirmwareFlags?

  /// Whether a sensor is within `nearLimitCelsius` of its limit; `false` if no limit is known.
  package var isNearLimit: Bool {
    (headroomCelsius ?? .infinity) <= ProcessorHealth.nearLimitCelsius
  }

  /// Whether the kernel allows less than the full clock because of heat. A limit that a person has set looks the same
  /// in sysfs, so a lowered clock counts only while a sensor is near its limit.
  package var isLimitedByHeat: Bool { isNearLimit && (allowedClockShare ?? 1) < 1 }

  /// Whether the kernel lowers the clock because of heat, or the firmware lowers it for any reason but the soft
  /// temperature limit; `nil` if that is not known.
  var isThrottled: Bool? {
    guard firmwareFlags != nil || headroomCelsius != nil && allowedClockShare != nil else {
      return nil
    }
    return isLimitedByHeat || !(firmwareFlags ?? []).isDisjoint(with: [.capped, .throttled])
  }
}
