// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A report about the heat of the processor, or about the power supply.
package struct HealthReport: Equatable {
  /// The event that the report becomes.
  package var code: Event.Code
  /// The cause as a code for programs; `nil` when the report says that a problem is over.
  package var cause: String?
  /// A sentence for the user: what has happened, and what to do.
  package var sentence: String

  /// The report that the box is too hot.
  /// - Parameters:
  ///   - celsius: the temperature of the processor in degrees Celsius; `nil` if it is not known.
  ///   - isThrottled: whether heat makes the processor notably slower.
  static func tooHot(_ celsius: Double?, isThrottled: Bool) -> HealthReport {
    let begin = "The box is too hot\(degrees(celsius))"
    return isThrottled
      ? HealthReport(
        code: .tooHot, cause: "throttled",
        sentence: "\(begin), so its processor runs slower: give it air or a heat sink. "
          + "Until then the picture is coarser, or frames are missing.")
      : HealthReport(
        code: .tooHot, cause: "hot",
        sentence: "\(begin): give it air or a heat sink. The picture may get coarser.")
  }

  /// The report that the box has cooled down. `celsius` is `nil` if the temperature is not known.
  static func heatGone(_ celsius: Double?) -> HealthReport {
    HealthReport(code: .heatGone, sentence: "The box has cooled down\(degrees(celsius)).")
  }

  /// The report that the supply voltage is too low.
  static let powerWeak = HealthReport(
    code: .powerWeak, cause: "under_voltage",
    sentence: "The power supply is too weak: use one with 3 A (for a Raspberry Pi 5: 5 A) and a "
      + "short cable. Until then the box may run slower, or stop.")

  /// The report that the supply voltage is good again.
  static let powerGood = HealthReport(
    code: .powerGood, sentence: "The power supply has been good for a minute.")

  /// A temperature in brackets, after a space: " (61 °C)"; empty if it is not known.
  private static func degrees(_ celsius: Double?) -> String {
    celsius.map { " (\(Int($0.rounded())) °C)" } ?? ""
  }
}
