// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

/// The reports over nights of failures.
@Suite struct ReportFilterTests {
  private struct Night {
    var filter = ReportFilter(RTMPDeadlines())
    var now = MediaTime(nanos: 0)
    var lines: [String] = []

    mutating func happens(_ state: DestinationState, _ cause: DestinationCause? = nil) {
      note(
        filter.process(
          DestinationReport(state: state, cause: cause, target: .rtmp(Sample.target)), now: now))
    }

    mutating func settle() { note(filter.settle(now: now)) }

    /// A report as text: its cause or state, and its count of failures if there were several.
    private mutating func note(_ report: DestinationReport?) {
      guard let report else { return }
      let failures = report.failures > 1 ? " \(report.failures)" : ""
      lines.append((report.cause?.code ?? report.state.rawValue) + failures)
    }

    mutating func publish(_ seconds: Int64) {
      happens(.connecting)
      now = now + .seconds(1)
      happens(.publishing)
      for _ in 0..<seconds {
        now = now + .seconds(1)
        settle()
      }
    }

    mutating func fail(_ cause: DestinationCause, pause: Int64 = 2) {
      happens(.waiting, cause)
      now = now + .seconds(pause)
    }

    mutating func told() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  @Test func takenAndDroppedAllNightIsReportedEveryTenMinutes() {
    var night = Night()
    for _ in 0..<3_600 {
      night.publish(1)
      night.fail(.closedByServer(.send), pause: 8)
    }
    let lines = night.told()
    #expect(
      lines.prefix(3) == [
        "connecting", "publishing", "closed_by_server_send",
      ])
    #expect(
      lines.dropFirst(3).first
        == "closed_by_server_send 61")
    #expect((60...64).contains(lines.count), "ten hours, each ten minutes: \(lines.count)")
    // A recovery is reported when it has lasted half a minute.
    night.publish(29)
    #expect(night.told() == [])
    night.publish(1)
    #expect(night.told() == ["publishing"])
  }

  @Test func anOutageAndItsEndAreReportedAtOnce() {
    var night = Night()
    night.publish(3_600)
    #expect(night.told() == ["connecting", "publishing"])
    night.fail(.noRoute)
    for _ in 0..<10 { night.fail(.noRoute) }
    night.fail(.connectionRefused)
    #expect(night.told().count == 2)
    night.publish(5)
    #expect(night.told() == ["publishing"])
    // The last report said that all is well, so this failure must be reported.
    night.fail(.noRoute)
    #expect(night.told().count == 1)
    night.publish(5)
    #expect(night.told() == [], "and dropped so soon, it first has to last")
    night.publish(30)
    #expect(night.told() == ["publishing"])
    night.fail(.noRoute)
    #expect(night.told() == ["no_route"])
  }

  /// A link at its limit: packets arrive in time for a while, then they do not.
  @Test func alternatingConfirmationIsReportedRarely() {
    var night = Night()
    night.publish(1)
    for _ in 0..<3_600 {
      night.happens(.delivering)
      night.now = night.now + .seconds(5)
      night.happens(.publishing, .unconfirmed)
      night.now = night.now + .seconds(5)
    }
    let lines = night.told()
    #expect(lines.prefix(4) == ["connecting", "publishing", "delivering", "unconfirmed"])
    #expect(lines.count < 80, "ten hours, each ten minutes and a few at first: \(lines.count)")
    night.happens(.delivering)
    #expect(night.told() == [])
    for _ in 0..<31 {
      night.now = night.now + .seconds(1)
      night.settle()
    }
    #expect(night.told() == ["delivering"])
  }

  /// The same with phases that are longer than a recovery has to last.
  @Test func longAlternatingConfirmationIsReportedRarely() {
    var night = Night()
    night.publish(1)
    for _ in 0..<600 {
      night.happens(.publishing, .unconfirmed)
      for _ in 0..<40 {
        night.now = night.now + .seconds(1)
        night.settle()
      }
      night.happens(.delivering)
      night.now = night.now + .seconds(20)
    }
    #expect(night.told().count < 80, "ten hours, each ten minutes and a few at first")
  }

  @Test func eachCauseHasItsOwnReminder() {
    var night = Night()
    for _ in 0..<1_000 {
      night.fail(.noRoute)
      night.fail(.timedOut(.connect))
    }
    #expect((12...16).contains(night.told().count), "seven times each in 67 minutes")
    for _ in 0..<200 {
      night.publish(3)
      night.happens(.publishing, .linkTooSlow)
      night.fail(.timedOut(.send))
    }
    #expect(night.told().count < 10)
  }
}
