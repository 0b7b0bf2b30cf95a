// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The limits of "auto".
enum BudgetLimits {
  /// Share of all frames that may be lost when a core is taken.
  static let lost = 0.005
  /// 1.5 frame intervals.
  static let tailMs = 50.0
  static let backAfterSeconds = 15.0
  /// Of what the slowest fixed preset without a miss wins over superfast.
  static let gain = 0.8
}

/// Compares what was measured with the limits. What was not measured is not judged.
struct BudgetCheck {
  let runs: [BudgetRun]

  var verdicts: [Verdict] {
    runs.filter { $0.program == .auto }.flatMap { run in
      switch run.budgetCase {
      case .core: core(run)
      case .idle: idle(run)
      case .hiccup: [lost(run, atMost: 0)]
      }
    }
  }

  private func core(_ auto: BudgetRun) -> [Verdict] {
    var verdicts = core(each: auto)
    let fixed = BudgetProgram.presets.reversed().lazy.compactMap { find($0, like: auto) }.first
    if let fixed {
      let failed = core(each: fixed).filter { !$0.holds }
      verdicts.append(
        Verdict(
          holds: !failed.isEmpty,
          text: failed.isEmpty
            ? "core, \(fixed.clip): \(fixed.program.title) fails none of these, at least 1"
            : "core, \(fixed.clip): \(fixed.program.title) fails \(failed.count) of these, at least 1: "
              + failed.map(\.text).joined(separator: "; ")))
    }
    return verdicts
  }

  /// What a program has to fulfil when a core is taken.
  private func core(each run: BudgetRun) -> [Verdict] {
    guard let effect = CoreEffect(run) else { return [] }
    let name = "core, \(run.clip): \(run.program.title)'s"
    let most = Int(BudgetLimits.lost * Double(run.frames.count))
    let back = effect.backAfterSeconds
    return [
      lost(run, atMost: most),
      Verdict(
        holds: effect.lostOutside == 0,
        text: "\(name) frames lost outside the second after a core was taken: "
          + "\(effect.lostOutside), at most 0"),
      Verdict(
        holds: effect.tailOutsideMs <= BudgetLimits.tailMs,
        text: "\(name) delay p99 outside that second: \(effect.tailOutsideMs.text(1)) ms, "
          + "at most \(BudgetLimits.tailMs.text(1)) ms"),
      Verdict(
        holds: back.map { $0 <= BudgetLimits.backAfterSeconds } ?? false,
        text: "\(name) SSIM within 0.2 dB of that before: "
          + (back.map { "\($0.text(0)) s after the core's return" } ?? "never again")
          + ", at most \(BudgetLimits.backAfterSeconds.text(0)) s"),
    ]
  }

  private func idle(_ auto: BudgetRun) -> [Verdict] {
    let name = "idle, \(auto.clip):"
    var verdicts = [
      Verdict(
        holds: auto.missed == 0,
        text: "\(name) auto's frames lost or late: \(auto.missed), at most 0")
    ]
    let fixed = BudgetProgram.presets.compactMap { find($0, like: auto) }
    guard let fastest = fixed.first(where: { $0.program == BudgetProgram.presets[0] }),
      fixed.count > 1
    else { return verdicts }
    guard let slowest = fixed.last(where: { $0.missed == 0 }) else {
      verdicts.append(
        Verdict(holds: false, text: "\(name) no fixed preset is without a miss: nothing to compare")
      )
      return verdicts
    }
    let won = slowest.similarityDB - fastest.similarityDB
    let least = fastest.similarityDB + BudgetLimits.gain * won
    verdicts.append(
      Verdict(
        holds: auto.similarityDB >= least,
        text: "\(name) auto's SSIM: \(auto.similarityDB.text(2)) dB, at least \(least.text(2)) dB "
          + "(superfast's \(fastest.similarityDB.text(2)) and \(BudgetLimits.gain.text(1)) of the "
          + "\(won.text(2)) that \(slowest.program.title) wins)"))
    return verdicts
  }

  private func lost(_ run: BudgetRun, atMost limit: Int) -> Verdict {
    Verdict(
      holds: run.lost <= limit,
      text: "\(run.budgetCase.rawValue), \(run.clip): \(run.program.title)'s frames lost: "
        + "\(run.lost) of \(run.frames.count), at most \(limit)")
  }

  /// The same measurement of another program.
  private func find(_ program: BudgetProgram, like run: BudgetRun) -> BudgetRun? {
    runs.first {
      $0.program == program && $0.budgetCase == run.budgetCase && $0.clip == run.clip
    }
  }
}
