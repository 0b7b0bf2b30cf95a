// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Passes the reports of a source to its listener, except a report that equals the one before.
struct SourceReporter {
  /// Called with each report that is passed on.
  private let listener: SourceListener
  /// The report that was passed on last; `nil` before the first one.
  private var lastReport: SourceReport?

  init(_ listener: @escaping SourceListener) { self.listener = listener }

  /// Reports that frames or audio arrive.
  mutating func reportRunning(_ sentence: String) {
    report(SourceReport(state: .running, code: "running", sentence: sentence))
  }

  /// Reports why no frames or audio arrive, or why they come from an outdated file.
  mutating func report(_ trouble: some SourceTrouble) {
    report(SourceReport(state: trouble.state, code: trouble.code, sentence: trouble.sentence))
  }

  /// Passes a report on, unless it equals the one before.
  private mutating func report(_ report: SourceReport) {
    guard report != lastReport else { return }
    lastReport = report
    listener(report)
  }
}

/// Why a source delivers nothing, or delivers frames or audio of an outdated file. Each cause is one that a person can
/// act on.
protocol SourceTrouble: Error {
  /// The state to report for a source with this trouble: `.trouble`, or `.outdated` if the source still
  /// delivers the content of a file that is gone.
  var state: SourceReport.State { get }
  /// The cause of the trouble in one word, for programs.
  var code: String { get }
  /// The cause of the trouble and the remedy, for people.
  var sentence: String { get }
}

extension SourceTrouble {
  /// The default: the source delivers nothing.
  var state: SourceReport.State { .trouble }
}
