// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The figures of all programs with one clip in one case.
struct BudgetTable {
  private typealias Line = (name: String, text: @Sendable (BudgetRun) -> String)

  let runs: [BudgetRun]

  private static let lines: [Line] = [
    ("frames lost", { "\($0.lost) of \($0.frames.count)" }),
    ("  lost or later than 66 ms", { "\($0.missed)" }),
    ("delay p50, ms", { percentile($0.delaysMs, 50).text(1) }),
    ("  p99", { percentile($0.delaysMs, 99).text(1) }),
    ("  longest", { ($0.delaysMs.max() ?? .nan).text(1) }),
    ("CPU, % of all cores", { $0.processorPercent.text(1) }),
    ("  ms per frame", { $0.processorMsPerFrame.text(1) }),
    ("  the bench itself, %", { $0.ownPercent.text(1) }),
    ("video, kbit/s", { $0.kbps.text(0) }),
    ("SSIM, dB", { $0.similarityDB.text(2) }),
  ]

  private static let coreLines: [Line] = [
    ("cores used before", { cores($0, 0) }),
    ("  while some are taken", { cores($0, 1) }),
    ("  afterwards", { cores($0, 2) }),
    ("lost outside the 1 s after", { effect($0) { "\($0.lostOutside)" } }),
    ("delay p99 outside it, ms", { effect($0) { $0.tailOutsideMs.text(1) } }),
    ("SSIM before, dB", { effect($0) { $0.similarityDB[0].text(2) } }),
    ("  while some are taken", { effect($0) { $0.similarityDB[1].text(2) } }),
    ("  afterwards", { effect($0) { $0.similarityDB[2].text(2) } }),
    ("  as before after, s", { effect($0) { $0.backAfterSeconds.map { $0.text(0) } ?? "never" } }),
  ]

  private static let levelLine: Line = (
    "speed level, mean",
    { run in
      let levels = run.seconds.map(\.level).filter(\.isFinite)
      return levels.isEmpty ? "–" : (levels.reduce(0, +) / Double(levels.count)).text(2)
    }
  )

  private static func cores(_ run: BudgetRun, _ part: Int) -> String {
    run.removal.map { $0.coresUsed[part].text(2) } ?? "–"
  }

  private static func effect(_ run: BudgetRun, _ text: (CoreEffect) -> String) -> String {
    CoreEffect(run).map(text) ?? "–"
  }

  var text: String {
    guard let first = runs.first else { return "" }
    let width = 15
    var lines = BudgetTable.lines
    if runs.contains(where: { $0.seconds.contains { $0.level.isFinite } }) {
      lines.append(BudgetTable.levelLine)
    }
    var title = "\(first.budgetCase.rawValue), \(first.clip)"
    if let removal = first.removal {
      lines += BudgetTable.coreLines
      title += " (\(removal.way))"
    }
    let head =
      title.padded(32) + runs.map { $0.program.title.padded(width, left: true) }.joined()
    return
      ([head]
      + lines.map { line in
        line.name.padded(32) + runs.map { line.text($0).padded(width, left: true) }.joined()
      }).joined(separator: "\n")
  }

  /// All tables of these runs.
  static func text(_ runs: [BudgetRun]) -> String {
    var tables: [String] = []
    for budgetCase in BudgetCase.allCases {
      let present = runs.filter { $0.budgetCase == budgetCase }
      var clips: [String] = []
      for run in present where !clips.contains(run.clip) { clips.append(run.clip) }
      tables += clips.map { clip in BudgetTable(runs: present.filter { $0.clip == clip }).text }
    }
    return tables.joined(separator: "\n\n")
  }
}
