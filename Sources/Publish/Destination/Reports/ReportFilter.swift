// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides which changes of a destination's state are reported. Reads no clock and does no I/O: the time is passed in.
///
/// A server can accept the stream and drop it every few seconds for a whole night. So from the first failure until the
/// server has accepted the stream for `goodPublish`, each cause is reported once, and again only after
/// `RTMPDeadlines.reminder`. A failure that follows a report of a good state is always reported.
struct ReportFilter {
  /// How many recoveries (the server accepts the stream again) are reported immediately. Later recoveries are reported
  /// only once they have lasted for `goodPublish`.
  static let promptRecoveries = 3

  /// The time limits of publishing. The filter uses `goodPublish` and `reminder`.
  private let deadlines: RTMPDeadlines
  /// The last change that was reported.
  private var lastReport: DestinationReport?
  /// The number of failures since the server last accepted the stream for `goodPublish`.
  private var failures = 0
  /// When each cause was last reported.
  private var reportedAt: [DestinationCause: MediaTime] = [:]
  /// The number of recoveries reported since the server last accepted the stream for `goodPublish`.
  private var recoveries = 0
  /// When the server accepted the stream on the present connection; `nil` while no server accepts the stream.
  private var publishingSince: MediaTime?
  /// When the stream on the server became free of trouble; `nil` while there is trouble or no stream.
  private var goodSince: MediaTime?
  /// Whether the last failure ended a stream that the server had accepted for less than `goodPublish`.
  private var lastPublishWasShort = false
  /// The report of a recovery that is withheld until the recovery has lasted for `goodPublish`; `nil` if there is none.
  private var withheld: DestinationReport?

  init(_ deadlines: RTMPDeadlines) { self.deadlines = deadlines }

  /// Processes a change of the state or of the cause.
  /// - Returns: the report to deliver; `nil` if there is none.
  mutating func process(_ report: DestinationReport, now: MediaTime) -> DestinationReport? {
    switch report.state {
    case .connecting, .connected: return failures == 0 ? emit(report) : nil
    case .publishing, .delivering: return filterOnAir(report, now)
    case .waiting: return filterFailure(report, now)
    case .stopped: return emit(report)
    }
  }

  /// Forgets the earlier failures once the stream has been free of trouble for `goodPublish`. To be called regularly
  /// while the server accepts the stream.
  /// - Returns: the withheld report of a recovery, which is due now; `nil` if there is none.
  mutating func settle(now: MediaTime) -> DestinationReport? {
    guard failures > 0 || recoveries > 0, let since = goodSince,
      now - since >= deadlines.goodPublish
    else { return nil }
    forget()
    return withheld.flatMap { emit($0) }
  }

  /// Processes a report that was made while the server accepts the stream. Returns the report to deliver; `nil` for
  /// none.
  private mutating func filterOnAir(
    _ report: DestinationReport, _ now: MediaTime
  ) -> DestinationReport? {
    if let cause = report.cause {
      if publishingSince == nil { publishingSince = now }
      goodSince = nil
      withheld = nil
      if wasReportedRecently(cause, now) { return nil }
      reportedAt[cause] = now
      return emit(report)
    }
    let isBeginning = publishingSince == nil
    if goodSince == nil { goodSince = now }
    if isBeginning {
      publishingSince = now
    } else if withheld != nil {
      withheld = report
      return nil
    }
    if isBeginning ? failures > 0 : lastReport?.cause != nil {
      if isBeginning && lastPublishWasShort || recoveries >= ReportFilter.promptRecoveries {
        withheld = report
        return nil
      }
      recoveries += 1
    }
    return emit(report)
  }

  /// Processes the report of a failure. Returns the report to deliver; `nil` for none.
  private mutating func filterFailure(
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
    guard let cause = report.cause else { return emit(report) }
    if wasReportedRecently(cause, now) { return nil }
    reportedAt[cause] = now
    lastReport = report
    return report
  }

  /// Whether this cause was reported less than `RTMPDeadlines.reminder` ago, and the last report has a cause, too.
  private func wasReportedRecently(_ cause: DestinationCause, _ now: MediaTime) -> Bool {
    guard lastReport?.cause != nil, let at = reportedAt[cause] else { return false }
    return now - at < deadlines.reminder
  }

  /// Forgets the failures, the recoveries, and when each cause was reported.
  private mutating func forget() {
    failures = 0
    recoveries = 0
    reportedAt = [:]
  }

  /// Returns `report`, or `nil` if it only repeats the last report. Discards the withheld report.
  private mutating func emit(_ report: DestinationReport) -> DestinationReport? {
    withheld = nil
    if let lastReport, lastReport.state == report.state, lastReport.cause == report.cause,
      lastReport.target.isSameServer(as: report.target) || report.state != .connecting
    {
      return nil
    }
    lastReport = report
    return report
  }
}
