// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Events

/// Reports of long outages, on virtual time.
@Suite struct OutageRulesTests {
  private let start = MediaTime(nanos: .seconds(1_000))

  /// The reports of each second.
  /// - Parameters:
  ///   - outage: since which second the server has not taken the stream; `nil` while it does.
  ///   - failures: attempts that have failed in a row.
  private func reports(
    _ seconds: Int, alarm: Int64 = 300, outage: (Int) -> Int?, failures: (Int) -> Int
  ) -> [Int: [Event.Code]] {
    var rules = OutageRules()
    var found: [Int: [Event.Code]] = [:]
    for second in 0..<seconds {
      let codes = rules.check(
        since: outage(second).map { start + .seconds(Int64($0)) }, failures: failures(second),
        longAfter: .seconds(alarm), now: start + .seconds(Int64(second)))
      if !codes.isEmpty { found[second] = codes }
    }
    return found
  }

  @Test func anOutageOfFiveMinutesIsReportedOnce() {
    #expect(reports(3_600, outage: { _ in 0 }, failures: { _ in 0 }) == [300: [.outageLong]])
    #expect(reports(300, outage: { _ in 0 }, failures: { _ in 0 }) == [:])
  }

  @Test func theTimeIsASetting() {
    #expect(
      reports(3_600, alarm: 45, outage: { _ in 0 }, failures: { _ in 0 }) == [45: [.outageLong]])
    #expect(reports(3_600, alarm: 0, outage: { _ in 0 }, failures: { _ in 0 }) == [:])
  }

  @Test func anotherOutageIsReportedAgain() {
    let found = reports(2_000, outage: { $0 < 400 ? 0 : $0 < 1_000 ? nil : 1_000 }) { _ in 0 }
    #expect(found == [300: [.outageLong], 1_300: [.outageLong]])
  }

  @Test func tenFailuresAreReportedAndThenEveryTenMinutes() {
    let found = reports(1_500, outage: { _ in 0 }, failures: { $0 / 4 })
    #expect(
      found == [
        40: [.reconnectFailing], 300: [.outageLong], 640: [.reconnectFailing],
        1_240: [.reconnectFailing],
      ])
  }

  @Test func afterASuccessTenFailuresAreNeededAgain() {
    // From 100 s on the server takes the stream, from 200 s on it does not.
    let found = reports(400, outage: { $0 < 100 ? 0 : $0 < 200 ? nil : 200 }) { second in
      second < 100 ? second : second < 200 ? 0 : (second - 200) / 10
    }
    #expect(found == [10: [.reconnectFailing], 300: [.reconnectFailing]])
  }

  /// A server that takes the stream and closes at once, again and again: the failures go on counting meanwhile.
  @Test func whileTheServerTakesTheStreamNothingIsReported() {
    let found = reports(60, outage: { $0 < 50 ? nil : 50 }, failures: { _ in 12 })
    #expect(found == [50: [.reconnectFailing]])
  }

  @Test func sentencesSayWhatItMeansAndWhatToDo() {
    let trouble = "Nothing listens at a port 1935: start the server there."
    #expect(
      Event.Code.outageLong.sentence(
        host: "a", attempts: 80, outageSeconds: 300, hasReachedServer: true, trouble: trouble)
        == "a has not taken the stream for 5 min, so its viewers see nothing. OnAir keeps trying. "
        + trouble)
    #expect(
      Event.Code.reconnectFailing.sentence(
        host: "a", attempts: 10, outageSeconds: 21, hasReachedServer: true, trouble: trouble)
        == "10 attempts in a row to publish to a have failed, and its viewers have seen nothing for 21 s. "
        + "OnAir keeps trying. " + trouble)
    #expect(
      Event.Code.reconnectFailing.sentence(
        host: "a", attempts: 10, outageSeconds: 21, hasReachedServer: false, trouble: nil)
        == "10 attempts in a row to publish to a have failed in 21 s. OnAir keeps trying. Check the network "
        + "cable or the Wi-Fi, and whether the server expects a broadcast.")
  }
}
