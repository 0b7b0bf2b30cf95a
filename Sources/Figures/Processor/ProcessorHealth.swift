// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How hot the processor is, how fast it may run, and whether its supply suffices, at one moment. What the machine
/// does not tell is `nil`.
package struct ProcessorHealth: Sendable, Equatable {
  /// A lowered clock counts as due to heat only with at most so many degrees left.
  package static let nearCelsius = 10.0

  /// Of the hottest sensor, in degrees Celsius.
  package var temperatureCelsius: Double?
  /// Degrees Celsius until the clock is lowered or the machine is switched off, of the sensor with the fewest left.
  /// Negative above that.
  package var headroomCelsius: Double?
  /// The share of the full clock that the kernel allows, above 0 to 1, over all cores.
  package var allowedClockShare: Double?
  /// Whether the supply voltage was too low in the last two seconds.
  package var isUnderVoltage: Bool?
  /// What the firmware of a Raspberry Pi does; `nil` on other machines.
  package var firmware: FirmwareFlags?

  /// Whether the sensors are near their limit.
  package var isNearLimit: Bool { (headroomCelsius ?? .infinity) <= ProcessorHealth.nearCelsius }

  /// Whether the kernel allows less than the full clock because of heat. It shows a limit that a person has set in the
  /// same way, but that one is there while the processor is cold, too.
  package var isLimitedByHeat: Bool { isNearLimit && (allowedClockShare ?? 1) < 1 }

  /// Whether the clock is lowered because of heat, or by the firmware for whatever reason.
  var isThrottled: Bool? {
    guard firmware != nil || headroomCelsius != nil && allowedClockShare != nil else { return nil }
    return isLimitedByHeat || !(firmware ?? []).isDisjoint(with: [.capped, .throttled])
  }
}
