// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// What of all that happens to a destination is told. Pure.
///
/// A server can take the stream and drop it each few seconds for a night. So from the first
/// failure until the stream has been taken for a while, each cause is told once, and again only as
/// a reminder; but what was told last is never good while the destination is not.
struct ReportFilter {
  /// Recoveries that are told at once before one has to last.
  static let recoveriesTold = 3

  private let deadlines: RTMPDeadlines
  /// The report told last.
  private(set) var told: DestinationReport?
  /// Failures since the stream was last taken for a while.
  private var failures = 0
  private var toldAt: [DestinationCause: MediaTime] = [:]
  private var recoveries = 0
  private var publishingSince: MediaTime?
  /// Since when nothing has been wrong while publishing.
  private var goodSince: MediaTime?
  private var lastPublishWasShort = false
  /// A recovery that is not told until it has lasted.
  private var withheld: DestinationReport?

  init(_ deadlines: RTMPDeadlines) { self.deadlines = deadlines }

  /// Takes what has happened.
  /// - Returns: what to tell, if it is news.
  mutating func take(_ report: DestinationReport, now: MediaTime) -> DestinationReport? {
    switch report.state {
    case .connecting, .connected: return failures == 0 ? tell(report) : nil
    case .publishing, .delivering: return onAir(report, now)
    case .waiting: return waiting(report, now)
    case .stopped: return tell(report)
    }
  }

  /// To be called now and then while the stream is taken.
  /// - Returns: a recovery that has lasted, if it was not told before.
  mutating func settle(now: MediaTime) -> DestinationReport? {
    guard failures > 0 || recoveries > 0, let since = goodSince,
      now - since >= deadlines.goodPublish
    else { return nil }
    forget()
    return withheld.flatMap { tell($0) }
  }

  private mutating func onAir(
    _ report: DestinationReport, _ now: MediaTime
  ) -> DestinationReport? {
    if let cause = report.cause {
      if publishingSince == nil { publishingSince = now }
      goodSince = nil
      withheld = nil
      if wasToldLately(cause, now) { return nil }
      toldAt[cause] = now
      return tell(report)
    }
    let isBeginning = publishingSince == nil
    if goodSince == nil { goodSince = now }
    if isBeginning {
      publishingSince = now
    } else if withheld != nil {
      withheld = report
      return nil
    }
    if isBeginning ? failures > 0 : told?.cause != nil {
      if isBeginning && lastPublishWasShort || recoveries >= ReportFilter.recoveriesTold {
        withheld = report
        return nil
      }
      recoveries += 1
    }
    return tell(report)
  }

  private mutating func waiting(
    _ report: DestinationReport, _ now: MediaTime
  ) -> DestinationReport? {
    let wasGood = publishingSince.map { now - $0 >= deadlines.goodPublish } ?? false
    if wasGood { forget() }
    lastPublishWasShort = publishingSince != nil && !wasGood
    publishingSince = nil
    goodSince = nil
    withheld = nil
    failures += 1
    var report = report
    report.failures = failures
    guard let cause = report.cause else { return tell(report) }
    if wasToldLately(cause, now) { return nil }
    toldAt[cause] = now
    told = report
    return report
  }

  private func wasToldLately(_ cause: DestinationCause, _ now: MediaTime) -> Bool {
    guard told?.cause != nil, let at = toldAt[cause] else { return false }
    return now - at < deadlines.reminder
  }

  private mutating func forget() {
    failures = 0
    recoveries = 0
    toldAt = [:]
  }

  private mutating func tell(_ report: DestinationReport) -> DestinationReport? {
    withheld = nil
    if let told, told.state == report.state, told.cause == report.cause { return nil }
    told = report
    return report
  }
}
