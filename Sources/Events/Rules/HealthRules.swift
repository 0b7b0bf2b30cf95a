// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Figures

/// Decides when heat and a weak power supply are reported. Reads no clock and does no I/O: the time is passed in.
package struct HealthRules {
  /// How hot the processor is.
  enum Heat: Int {
    case cool
    /// Heat has lowered the processor's clock a little, or soon will.
    case hot
    /// Heat makes the processor notably slower.
    case throttled
  }

  /// A processor begins to count as hot when its temperature is at most this many degrees Celsius below its limit. It
  /// counts as hot until the distance is larger than `ProcessorHealth.nearLimitCelsius`.
  static let hotCelsius = 5.0
  /// The share of its full clock below which heat is said to make the processor notably slower.
  static let throttledClockShare = 0.9
  /// Nanoseconds for which heat has to last before it counts: longer than a sensor's single wrong value.
  static let rising = Int64.seconds(2)
  /// Nanoseconds for which heat, or the low voltage, has to be absent before it counts as over.
  static let falling = Int64.seconds(60)
  /// Nanoseconds after which a condition that lasts is reported again.
  static let reminder = Int64.seconds(600)

  /// Whether the processor is close to its temperature limit, or heat has lowered its clock.
  private var hot = Latch(rising: rising, falling: falling)
  /// Whether heat makes the processor notably slower.
  private var throttled = Latch(rising: rising, falling: falling)
  /// Whether the supply voltage is low. It counts at once: a reading covers two seconds already.
  private var weak = Latch(rising: 0, falling: falling)
  /// Whether heat has lowered the clock, however little.
  private var lowered = Latch(rising: 0, falling: falling)
  /// The heat that was reported last.
  private var heatReport = Level()
  /// The state of the power supply that was reported last: 1 if it was weak.
  private var powerReport = Level()

  /// How hot the processor is at present.
  var heat: Heat { throttled.isOn ? .throttled : hot.isOn ? .hot : .cool }
  /// Whether the supply voltage is low, or was low less than `falling` nanoseconds ago.
  var isPowerWeak: Bool { weak.isOn }

  /// The clock at which the processor will probably run in the next seconds, as a share of its present clock: less than
  /// 1 when heat will soon lower the clock. A Raspberry Pi 3 B+ goes from 1.4 to 1.2 GHz at first.
  package var expectedClockShare: Double { hot.isOn && !lowered.isOn ? 0.85 : 1 }

  package init() {}

  /// Applies the rules to a new reading of the processor's temperature and power supply.
  /// - Returns: the reports that are due: of a problem that has begun, got worse or ended, or that has lasted for
  ///   `reminder` since its last report.
  package mutating func check(_ health: ProcessorHealth, now: MediaTime) -> [HealthReport] {
    weak.take(health.isUnderVoltage ?? false, now: now)
    // The firmware lowers the clock for a low voltage, too, which does not count as heat.
    let isHeat = health.isNearLimit || !weak.isOn
    let firmware = isHeat ? health.firmware ?? [] : []
    let share = health.isLimitedByHeat ? health.allowedClockShare ?? 1 : 1
    let isThrottled = firmware.contains(.throttled) || share < HealthRules.throttledClockShare
    let margin = hot.isOn ? ProcessorHealth.nearLimitCelsius : HealthRules.hotCelsius
    let isHot =
      isThrottled || share < 1 || (health.headroomCelsius ?? .infinity) <= margin
      || !firmware.isDisjoint(with: [.capped, .softLimit])
    lowered.take(
      share < 1 || !firmware.isDisjoint(with: [.capped, .softLimit, .throttled]), now: now)
    throttled.take(isThrottled, now: now)
    hot.take(isHot, now: now)

    var reports: [HealthReport] = []
    let celsius = health.temperatureCelsius
    if heatReport.isDue(heat.rawValue, now: now) {
      reports.append(
        heat == .cool ? .heatGone(celsius) : .tooHot(celsius, isThrottled: heat == .throttled))
    }
    if powerReport.isDue(isPowerWeak ? 1 : 0, now: now) {
      reports.append(isPowerWeak ? .powerWeak : .powerGood)
    }
    return reports
  }

  /// The level that was reported last, of heat or of the power supply: 0 while nothing is wrong.
  private struct Level {
    private var level = 0
    private var reportedAt: MediaTime?

    /// Whether a level has to be reported: when it rises, when it is back at 0, and again after `reminder` while it
    /// lasts.
    mutating func isDue(_ level: Int, now: MediaTime) -> Bool {
      let isOld = reportedAt.map { now - $0 >= HealthRules.reminder } ?? true
      guard level > self.level || (level == 0 ? self.level > 0 : isOld) else { return false }
      (self.level, reportedAt) = (level, now)
      return true
    }
  }
}
