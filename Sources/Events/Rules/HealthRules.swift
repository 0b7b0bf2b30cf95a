// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Figures

/// Decides when heat and a weak power supply are reported. Reads no clock and does no I/O: the time is passed in.
package struct HealthRules {
  /// How hot the processor is.
  enum Heat: Int {
    /// The processor is not hot.
    case cool
    /// Heat has lowered the processor's clock a little, or soon will.
    case hot
    /// Heat makes the processor notably slower.
    case throttled
  }

  /// A processor begins to count as hot when its temperature is at most this many degrees Celsius below its limit. It
  /// counts as hot until the distance is larger than `ProcessorHealth.nearLimitCelsius`.
  static let hotCelsius = 5.0
  /// If heat lowers the processor's clock below this share of the full clock (0 to 1), the processor counts as notably
  /// slower.
  static let throttledClockShare = 0.9
  /// Nanoseconds for which heat has to last before it counts: longer than a sensor's single wrong value.
  static let risingNanos = Int64.seconds(2)
  /// Nanoseconds for which heat, or the low voltage, has to be absent before it counts as over.
  static let fallingNanos = Int64.seconds(60)
  /// Nanoseconds after which a condition that lasts is reported again.
  static let reminderNanos = Int64.seconds(600)

  /// Whether the processor is close to its temperature limit, or heat has lowered its clock.
  private var hot = Latch(risingNanos: risingNanos, fallingNanos: fallingNanos)
  /// Whether heat makes the processor notably slower.
  private var throttled = Latch(risingNanos: risingNanos, fallingNanos: fallingNanos)
  /// Whether the supply voltage is low. A low voltage counts without delay, since a single reading covers two seconds.
  private var weak = Latch(risingNanos: 0, fallingNanos: fallingNanos)
  /// Whether heat has lowered the clock, however little.
  private var lowered = Latch(risingNanos: 0, fallingNanos: fallingNanos)
  /// The heat that was reported last.
  private var heatReport = Level()
  /// The state of the power supply that was reported last: 1 if it was weak.
  private var powerReport = Level()

  /// How hot the processor is, after debouncing.
  var heat: Heat { throttled.isOn ? .throttled : hot.isOn ? .hot : .cool }
  /// Whether the supply voltage is low, or was low less than `fallingNanos` nanoseconds ago.
  var isPowerWeak: Bool { weak.isOn }

  /// The clock at which the processor will probably run in the next seconds, as a share of its current clock: less than
  /// 1 when heat will soon lower the clock. (A Raspberry Pi 3 B+, for example, first goes from 1.4 to 1.2 GHz.)
  package var expectedClockShare: Double { hot.isOn && !lowered.isOn ? 0.85 : 1 }

  package init() {}

  /// Applies the rules to a new reading of the processor's temperature and power supply.
  /// - Returns: the reports that are due: of a problem that has begun, got worse or ended, or that has lasted for
  ///   `reminderNanos` since its last report.
  package mutating func check(_ health: ProcessorHealth, now: MediaTime) -> [HealthReport] {
    weak.update(health.isUnderVoltage ?? false, now: now)
    // The firmware also lowers the clock for a low voltage. That does not count as heat.
    let isHeat = health.isNearLimit || !weak.isOn
    let flags = isHeat ? health.firmwareFlags ?? [] : []
    let share = health.isLimitedByHeat ? health.allowedClockShare ?? 1 : 1
    let isThrottled = flags.contains(.throttled) || share < HealthRules.throttledClockShare
    let margin = hot.isOn ? ProcessorHealth.nearLimitCelsius : HealthRules.hotCelsius
    let isHot =
      isThrottled || share < 1 || (health.headroomCelsius ?? .infinity) <= margin
      || !flags.isDisjoint(with: [.capped, .softLimit])
    lowered.update(
      share < 1 || !flags.isDisjoint(with: [.capped, .softLimit, .throttled]), now: now)
    throttled.update(isThrottled, now: now)
    hot.update(isHot, now: now)

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

  /// How bad heat or the power supply was at the last report: 0 if nothing was wrong.
  private struct Level {
    private var level = 0
    private var reportedAt: MediaTime?

    /// Whether a level has to be reported: when it rises, when it is back at 0, and again after `reminderNanos` while
    /// it lasts.
    mutating func isDue(_ level: Int, now: MediaTime) -> Bool {
      let isOld = reportedAt.map { now - $0 >= HealthRules.reminderNanos } ?? true
      guard level > self.level || (level == 0 ? self.level > 0 : isOld) else { return false }
      (self.level, reportedAt) = (level, now)
      return true
    }
  }
}
