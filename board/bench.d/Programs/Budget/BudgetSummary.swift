// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials

/// The figures of a run, for `--json` and for Tools/budget-plot.
struct BudgetSummary: Encodable {
  struct Run: Encodable {
    var `case`: String
    var clip: String
    var program: String
    /// Beginning of the names of its files.
    var files: String
    var frames: Int
    var lost: Int
    var missed: Int
    var delayMiddleMs: Double?
    var delayTailMs: Double?
    var longestDelayMs: Double?
    var cpuPercent: Double?
    var cpuMsPerFrame: Double?
    var benchCpuPercent: Double?
    var kbps: Double?
    var ssimDb: Double?
    /// When processors were taken, in seconds.
    var taken: [[Double]]
    var core: Core?
  }

  struct Core: Encodable {
    var way: String
    /// Before, while they are taken, and afterwards.
    var coresUsed: [Double?]
    var ssimDb: [Double?]
    var lostOutside: Int
    var delayTailOutsideMs: Double?
    var ssimBackAfterSeconds: Double?
  }

  var runs: [Run]
  var verdicts: [Verdict]

  init(_ runs: [BudgetRun], _ verdicts: [Verdict]) {
    self.runs = runs.map(Run.init)
    self.verdicts = verdicts
  }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension BudgetSummary.Run {
  fileprivate init(_ run: BudgetRun) {
    self.init(
      case: run.budgetCase.rawValue, clip: run.clip, program: run.program.title, files: run.stem,
      frames: run.frames.count, lost: run.lost, missed: run.missed,
      delayMiddleMs: percentile(run.delaysMs, 50).known,
      delayTailMs: percentile(run.delaysMs, 99).known, longestDelayMs: run.delaysMs.max(),
      cpuPercent: run.processorPercent.known, cpuMsPerFrame: run.processorMsPerFrame.known,
      benchCpuPercent: run.ownPercent.known, kbps: run.kbps.known, ssimDb: run.similarityDB.known,
      taken: run.taken.map { [$0.lowerBound, $0.upperBound] }, core: BudgetSummary.Core(run))
  }
}

extension BudgetSummary.Core {
  fileprivate init?(_ run: BudgetRun) {
    guard let removal = run.removal, let effect = CoreEffect(run) else { return nil }
    self.init(
      way: removal.way, coresUsed: removal.coresUsed.map(\.known),
      ssimDb: effect.similarityDB.map(\.known), lostOutside: effect.lostOutside,
      delayTailOutsideMs: effect.tailOutsideMs.known, ssimBackAfterSeconds: effect.backAfterSeconds)
  }
}

extension Double {
  /// `nil` if it is not a number, which JSON cannot express.
  fileprivate var known: Double? { isFinite ? self : nil }
}
