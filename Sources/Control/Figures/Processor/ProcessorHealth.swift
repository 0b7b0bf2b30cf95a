// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How hot the processor is, how fast it may run, and whether its supply suffices, at one moment. What the machine
/// does not tell is `nil`.
struct ProcessorHealth: Sendable, Equatable {
  /// A lowered clock counts as due to heat only with at most so many degrees left.
  static let nearCelsius = 10.0
  /// The share of the full clock that is left to a Raspberry Pi whose firmware lowers it a little, and that of one
  /// which it throttles. The true clock is not in sysfs (https://github.com/raspberrypi/linux/issues/5874). A 3 B+ goes
  /// from 1.4 to 1.2 GHz, and a 5 without a heat sink from 2.4 to 1.5 GHz
  /// (https://github.com/raspberrypi/rpi-eeprom/issues/518).
  private static let cappedShare = 0.85
  private static let throttledShare = 0.65
  /// How much of the clock a hot processor is expected to lose within seconds.
  private static let hotShare = 0.85

  /// Of the hottest sensor, in degrees Celsius.
  var temperatureCelsius: Double?
  /// Degrees Celsius until the clock is lowered or the machine is switched off, of the sensor with the fewest left.
  /// Negative above that.
  var headroomCelsius: Double?
  /// The share of the full clock that the kernel allows, above 0 to 1, over all cores.
  var allowedClockShare: Double?
  /// Whether the supply voltage was too low in the last two seconds.
  var isUnderVoltage: Bool?
  /// What the firmware of a Raspberry Pi does; `nil` on other machines.
  var firmware: FirmwareFlags?

  /// Whether the sensors are near their limit.
  var isNearLimit: Bool { (headroomCelsius ?? .infinity) <= ProcessorHealth.nearCelsius }

  /// Whether the kernel allows less than the full clock because of heat. It shows a limit that a person has set in the
  /// same way, but that one is there while the processor is cold, too.
  var isLimitedByHeat: Bool { isNearLimit && (allowedClockShare ?? 1) < 1 }

  /// Whether the clock is lowered because of heat, or by the firmware for whatever reason.
  var isThrottled: Bool? {
    guard firmware != nil || headroomCelsius != nil && allowedClockShare != nil else { return nil }
    return isLimitedByHeat || !(firmware ?? []).isDisjoint(with: [.capped, .throttled])
  }

  /// The share of its full clock at which the processor will probably run in the next seconds, above 0 to 1.
  /// - Parameter isHot: its heat will soon lower the clock, or does already.
  func expectedClockShare(isHot: Bool) -> Double {
    let share = (allowedClockShare ?? 1) * (isHot ? ProcessorHealth.hotShare : 1)
    guard let firmware else { return share }
    if firmware.contains(.throttled) { return min(share, ProcessorHealth.throttledShare) }
    let isCapped = !firmware.isDisjoint(with: [.capped, .softLimit])
    return isCapped ? min(share, ProcessorHealth.cappedShare) : share
  }
}
