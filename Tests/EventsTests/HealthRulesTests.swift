// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Events
@testable import Figures

/// When heat and a weak supply are reported, on virtual time.
@Suite struct HealthRulesTests {
  private static let start = MediaTime(nanos: .seconds(1_000))

  /// What is reported in each second, and the state at the end.
  private func reports(
    _ seconds: Int, _ health: (Int) -> ProcessorHealth
  ) -> (found: [Int: [String]], heat: HealthRules.Heat) {
    var rules = HealthRules()
    var found: [Int: [String]] = [:]
    for second in 0..<seconds {
      let reports = rules.check(
        health(second), now: HealthRulesTests.start + .seconds(Int64(second)))
      if !reports.isEmpty {
        found[second] = reports.map { "\($0.code.rawValue) \($0.cause ?? "-")" }
      }
    }
    return (found, rules.heat)
  }

  /// Of a board that lowers its clock at 85 °C.
  private func board(
    _ celsius: Double, share: Double = 1, firmware: FirmwareFlags? = nil, weak: Bool? = nil
  ) -> ProcessorHealth {
    ProcessorHealth(
      temperatureCelsius: celsius, headroomCelsius: 85 - celsius, allowedClockShare: share,
      isUnderVoltage: weak, firmwareFlags: firmware)
  }

  @Test func nothingKnownIsNothingWrong() {
    let (found, heat) = reports(2_000) { _ in ProcessorHealth() }
    #expect(found == [:] && heat == .cool)
    #expect(reports(2_000) { _ in board(79.9, weak: false) }.found == [:])
    #expect(reports(2_000) { _ in board(74.9, share: 0.5, weak: false) }.found == [:])
  }

  @Test func heatIsReportedOnceAndThenEveryTenMinutes() {
    let (found, heat) = reports(1_500) { $0 < 100 ? board(70) : board(82) }
    #expect(
      found == [102: ["too_hot hot"], 702: ["too_hot hot"], 1_302: ["too_hot hot"]])
    #expect(heat == .hot)
  }

  /// Throttling is worse and is reported at once; it is not reported again when it ends and comes back.
  @Test func throttlingIsReportedOnce() {
    let (found, heat) = reports(625) { second in
      second < 50 ? board(82) : second / 70 % 2 == 0 ? board(84) : board(86, share: 0.7)
    }
    #expect(found == [2: ["too_hot hot"], 72: ["too_hot throttled"]])
    #expect(heat == .hot)
  }

  /// One wrong value of a sensor, and a temperature that goes up and down around the limit.
  @Test func nothingFlaps() {
    #expect(reports(600) { $0 % 50 == 0 ? board(120) : board(60) }.found == [:])
    let saw = reports(590) { board($0 % 20 < 10 ? 82 : 76) }
    #expect(saw.found == [2: ["too_hot hot"]] && saw.heat == .hot)
    let slow = reports(3_600) { board($0 % 58 < 5 ? 82 : 60) }
    #expect(slow.found.values.allSatisfy { $0 == ["too_hot hot"] } && slow.found.count == 6)
  }

  @Test func heatIsOverAfterAMinuteWithTenDegreesLeft() {
    #expect(
      reports(500) { $0 < 10 ? board(82) : $0 < 100 ? board(75.5) : board(74) }.found
        == [2: ["too_hot hot"], 159: ["heat_gone -"]])
  }

  @Test func aLimitOfTheClockIsHeatOnlyNearTheLimit() {
    #expect(reports(100) { _ in board(76, share: 0.95) }.found == [2: ["too_hot hot"]])
    #expect(reports(100) { _ in board(76, share: 0.85) }.found == [2: ["too_hot throttled"]])
    #expect(reports(100) { _ in board(74, share: 0.85) }.found == [:])
  }

  @Test func theFirmwareSaysThatItIsHot() {
    #expect(
      reports(100) { _ in board(61, firmware: .softLimit) }.found == [2: ["too_hot hot"]])
    #expect(
      reports(100) { _ in board(84, firmware: [.throttled]) }.found == [2: ["too_hot throttled"]])
    // With a low voltage the firmware throttles a cold processor, too.
    #expect(
      reports(100) { _ in board(50, firmware: [.underVoltage, .throttled], weak: true) }.found
        == [0: ["power_weak under_voltage"]])
    #expect(
      reports(100) { _ in board(84, firmware: [.underVoltage, .throttled], weak: true) }.found
        == [0: ["power_weak under_voltage"], 2: ["too_hot throttled"]])
  }

  @Test func aWeakSupplyIsReportedUntilItWasGoodForAMinute() {
    #expect(
      reports(300) { board(50, weak: $0 == 10 || $0 == 60) }.found
        == [10: ["power_weak under_voltage"], 120: ["power_good -"]])
    let lasting = reports(1_300) { board(50, weak: $0 % 30 == 0) }.found
    #expect(lasting.keys.sorted() == [0, 600, 1_200])
    // A machine that does not tell any more.
    #expect(
      reports(100) { $0 < 5 ? board(50, weak: true) : ProcessorHealth() }.found
        == [0: ["power_weak under_voltage"], 64: ["power_good -"]])
  }

  @Test func sentencesSayWhatToDo() {
    #expect(
      HealthReport.tooHot(81.7, isThrottled: false).sentence
        == "The box is too hot (82 °C): give it air or a heat sink. The picture may get coarser.")
    #expect(
      HealthReport.tooHot(nil, isThrottled: true).sentence
        == "The box is too hot, so its processor runs slower: give it air or a heat sink. Until then the picture is "
        + "coarser, or frames are missing.")
    #expect(HealthReport.heatGone(70.2).sentence == "The box has cooled down (70 °C).")
    #expect(
      HealthReport.powerWeak.sentence.hasPrefix(
        "The power supply is too weak: use one with 3 A "))
  }
}
