// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// Runs the measurements one after another, and keeps their results.
struct BudgetSession {
  let tools: Tools
  let work: String
  /// The folder for their files.
  let results: String
  let footage: [Footage]
  /// Duration of each measurement, if it is not the case's.
  let seconds: Int?
  /// The programs that were asked for; empty for those that are usual in a case.
  let only: [BudgetProgram]
  private(set) var runs: [BudgetRun] = []
  private var isWarm: Set<BudgetProgram> = []

  /// Time after the first frame that is not measured: the speed governor finds its level.
  private static let settle = Int64.seconds(5)
  /// A program that is a second late still delivers its last frames.
  private static let drain = Int64.seconds(2)

  init(
    tools: Tools, work: String, results: String, footage: [Footage], seconds: Int?,
    only: [BudgetProgram]
  ) throws {
    self.tools = tools
    self.work = work
    self.results = results
    self.footage = footage
    self.seconds = seconds
    self.only = only
    for budgetCase in BudgetCase.allCases {
      let folder = "\(results)/\(budgetCase.rawValue)"
      guard unsafe mkdir(folder, 0o755) == 0 || errno == EEXIST else {
        throw Child.FailedError(description: "cannot write to \(folder)")
      }
    }
  }

  mutating func measure(_ budgetCase: BudgetCase, _ clip: String) throws {
    guard only.isEmpty else {
      for program in only { try measure(budgetCase, clip, program) }
      return
    }
    switch budgetCase {
    case .idle:
      for program in [.auto] + BudgetProgram.presets { try measure(budgetCase, clip, program) }
    case .core:
      let fixed = try slowestFitting(clip)
      for program in [.auto, fixed, .ffmpeg] { try measure(budgetCase, clip, program) }
    case .hiccup: try measure(budgetCase, clip, .auto)
    }
  }

  /// The slowest preset that the idle machine carries; superfast if there is none.
  private mutating func slowestFitting(_ clip: String) throws -> BudgetProgram {
    for program in BudgetProgram.presets.reversed() {
      let known = runs.first {
        $0.budgetCase == .idle && $0.clip == clip && $0.program == program
      }
      let run = try known ?? measure(.idle, clip, program)
      if run.isCarried { return program }
    }
    return BudgetProgram.presets[0]
  }

  @discardableResult private mutating func measure(
    _ budgetCase: BudgetCase, _ clip: String, _ program: BudgetProgram
  ) throws -> BudgetRun {
    guard let footage = footage.first(where: { $0.name == clip }) else {
      throw Child.FailedError(description: "there is no clip \"\(clip)\"")
    }
    let length = seconds ?? budgetCase.seconds
    var track = Track(
      scene: footage, tools: tools, work: work, seconds: length, speed: program.speed,
      settle: BudgetSession.settle, drain: BudgetSession.drain)
    if isWarm.insert(program).inserted {
      // At the first run "auto" measures what its settings cost on this machine, and keeps that.
      tell("warming up: \(program.title)")
      track.seconds = program == .auto ? 10 : 1
      _ = try track.observe(program.contender)
      track.seconds = length
    }
    tell("\(budgetCase.rawValue), \(clip): \(program.title), \(length) s")
    let run = try track.budget(program, budgetCase, footage, folder: results)
    try BudgetSeries.write(run, folder: results)
    runs.append(run)
    return run
  }
}
