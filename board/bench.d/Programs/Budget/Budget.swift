// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import FoundationEssentials
import Glibc

struct Budget: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares OnAir's automatic speed with fixed ones. Run by board/bench budget.")

  @OptionGroup var paths: Paths
  @Option(help: "Folder for what was measured.")
  var results: String
  @Option(help: "Raw I420 frames of a quiet scene.")
  var easy: String
  @Option(help: "Raw I420 frames of a scene with much detail and motion.")
  var hard: String
  @Option(help: "Duration of each measurement (default: 20, core: 120, hiccup: 60).")
  var seconds: Int?
  @Option(help: "auto, a preset or ffmpeg.")
  var only: [String] = []
  @Option(help: "easy, hard or mixed (default: all for idle, mixed for the others).")
  var clip: [String] = []
  @Option(help: "idle, core or hiccup (default: all).")
  var `case`: [String] = []
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Flag var json = false

  func validate() throws {
    for name in only where !BudgetProgram.all.contains(where: { $0.name == name }) {
      throw ValidationError("There is no speed \"\(name)\".")
    }
    for name in clip where !["easy", "hard", "mixed"].contains(name) {
      throw ValidationError("There is no clip \"\(name)\".")
    }
    for name in self.case where BudgetCase(rawValue: name) == nil {
      throw ValidationError("There is no case \"\(name)\".")
    }
    guard (4...3_600).contains(seconds ?? 20) else {
      throw ValidationError("A measurement takes 4 to 3600 seconds.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    do {
      var session = try BudgetSession(
        tools: try paths.tools(), work: paths.work, results: results, footage: try footage(),
        seconds: seconds, only: BudgetProgram.all.filter { only.contains($0.name) })
      for budgetCase in BudgetCase.allCases
      where self.case.isEmpty || self.case.contains(budgetCase.rawValue) {
        let usual = budgetCase == .idle ? ["easy", "hard", "mixed"] : ["mixed"]
        for name in clip.isEmpty ? usual : clip { try session.measure(budgetCase, name) }
      }
      try report(session.runs)
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }

  private func footage() throws -> [Footage] {
    let (easy, hard) = (try Clip(easy), try Clip(hard))
    return [
      Footage(name: "easy", clips: [easy]), Footage(name: "hard", clips: [hard]),
      Footage(name: "mixed", clips: [easy, hard]),
    ]
  }

  private func report(_ runs: [BudgetRun]) throws {
    let verdicts = check ? BudgetCheck(runs: runs).verdicts : []
    let summary = try BudgetSummary(runs, verdicts).json
    guard TextFile.write(summary, to: "\(results)/budget.json") else {
      throw Child.FailedError(description: "cannot write to \(results)")
    }
    if json {
      print(summary)
    } else {
      print(BudgetTable.text(runs))
      for verdict in verdicts { print("\(verdict.holds ? "ok    " : "MISSED") \(verdict.text)") }
    }
    if check, verdicts.isEmpty {
      tell("No limit is about what was measured: the limits are those of \"auto\".")
      throw ExitCode(64)
    }
    if verdicts.contains(where: { !$0.holds }) { throw ExitCode(1) }
  }
}
