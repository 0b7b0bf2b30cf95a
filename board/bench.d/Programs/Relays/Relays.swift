// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Glibc
internal import Publish

struct Relays: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures what bad relays do to the main destination. Run by board/bench relays.")

  @OptionGroup var paths: Paths
  @Option(help: "Duration of each measurement of OnAir; the others' is a quarter of it.")
  var seconds = 120
  @Option(help: "Rounds of the case \"cost\".")
  var rounds = 9
  @Option(help: "none, frozen, mute, slow, refusing, all, main, pause or cost (default: all).")
  var `case`: [String] = []
  @Flag(help: "Exit with code 1 if a figure of OnAir exceeds its limit.")
  var check = false
  @Flag var json = false

  private static let names = RelayCase.allCases.map(\.rawValue) + ["pause", "cost"]

  func validate() throws {
    for name in self.case where !Relays.names.contains(name) {
      throw ValidationError("There is no case \"\(name)\".")
    }
    guard (4...3_600).contains(seconds), (1...1_000).contains(rounds) else {
      throw ValidationError(
        "There are 1 to 1000 rounds, and a measurement takes 4 to 3600 seconds.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    do {
      let results = try measure()
      try report(results, results.table, check ? results.verdicts : [], json: json)
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }

  private func isWanted(_ name: String) -> Bool { self.case.isEmpty || self.case.contains(name) }

  private func measure() throws -> RelayResults {
    var track = Track(scene: Scene(), tools: try paths.tools(), work: paths.work, seconds: seconds)
    var results = RelayResults()
    for relayCase in RelayCase.allCases where isWanted(relayCase.rawValue) {
      for program in RelayProgram.allCases {
        track.seconds = program == .onair ? seconds : max(4, seconds / 4)
        tell("\(relayCase.title): \(program.rawValue), \(track.seconds) s")
        let run = try track.relays(program, relayCase)
        if let failure = run.failure { tell(failure) }
        results.runs.append(run)
      }
    }
    if isWanted("pause") {
      track.seconds = seconds / 2
      tell("pauses, \(track.seconds) s")
      results.privacy = try track.relayPrivacy()
    }
    if isWanted("cost") {
      track.seconds = 10
      results.cost = try track.relayCost(rounds: rounds)
    }
    return results
  }
}

/// The figures of all programs.
struct RelayResults: Encodable {
  var runs: [RelayRun] = []
  var privacy: RelayPrivacy?
  var cost: RelayCost?

  var table: String {
    func row(_ name: String, _ cells: [String]) -> String {
      "  " + name.padded(22) + cells.map { $0.padded(14, left: true) }.joined()
    }
    var lines: [String] = []
    for relayCase in RelayCase.allCases {
      let runs = runs.filter { $0.case == relayCase }
      guard !runs.isEmpty else { continue }
      lines.append(relayCase.title)
      lines.append(row("", ["frames lost", "delay p50, ms", "p99", "longest", "memory, MB"]))
      lines += runs.map { run in
        row(
          run.program.rawValue,
          run.failure.map { _ in ["failed"] } ?? [
            "\(run.lost) of \(run.frames)", run.delayMiddleMs.text(1), run.delayTailMs.text(1),
            run.longestDelayMs.text(1), run.peakMemoryMB.text(1),
          ])
      }
    }
    return lines.joined(separator: "\n")
  }

  var verdicts: [Verdict] {
    let own = runs.filter { $0.program == .onair }
    let alone = own.first { $0.case == .none }
    let judged = own.filter { $0.case != .none }.flatMap { judge($0, alone) }
    return judged + (privacy?.verdicts ?? []) + (cost?.verdicts ?? [])
  }

  private func judge(_ run: RelayRun, _ alone: RelayRun?) -> [Verdict] {
    var verdicts = [
      Verdict(
        holds: run.lost == 0,
        text: "\(run.case.title): frames that OnAir lost: \(run.lost) of \(run.frames), at most 0")
    ]
    guard let alone else { return verdicts }
    let (slower, larger) = (
      run.delayTailMs - alone.delayTailMs, run.peakMemoryMB - alone.peakMemoryMB
    )
    verdicts.append(
      Verdict(
        holds: slower < RelayResults.delayMs,
        text: "\(run.case.title): delay p99 \(run.delayTailMs.text(1)) ms, less than "
          + "\(RelayResults.delayMs.text(0)) ms more than \(alone.delayTailMs.text(1)) without relays"
      ))
    verdicts.append(
      Verdict(
        holds: larger <= RelayResults.memoryMB,
        text: "\(run.case.title): \(larger.text(1)) MB of memory more than without relays, at most "
          + RelayResults.memoryMB.text(1)))
    return verdicts
  }

  private static let delayMs = 5.0
  /// Four queues, and for each relay half a megabyte for its thread and its connection.
  private static let memoryMB =
    4
    * (Double(Destination.queueBytes(bitrateKbps: Work.videoKbps + Work.audioKbps)) / 1_048_576
      + 0.5)
}
