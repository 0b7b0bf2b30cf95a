// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import FoundationEssentials
import Glibc

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures OnAir beside ffmpeg, GStreamer and bare x264; board/bench starts it.")

  @Option(help: "The program that is measured.")
  var onair: String
  @Option(help: "Tools/floor.c, compiled.")
  var floor: String
  @Option(help: "Tools/allocations.c, compiled.")
  var allocations: String
  @Option(help: "A folder for logs and for what the programs write.")
  var work: String
  @Option var rounds = 9
  @Option(help: "How long each is measured in a round.")
  var seconds = 10
  @Option(help: "OnAir, ffmpeg, GStreamer or floor; all of them if none is named.")
  var only: [String] = []
  @Flag(help: "Exit code 1 if a figure is not as it must be.")
  var check = false
  @Flag(help: "As --check, with limits for a busy machine.")
  var smoke = false
  @Flag var json = false

  func validate() throws {
    for name in only where !Contender.allCases.contains(where: { $0.isNamed(name) }) {
      throw ValidationError("\"\(name)\" is not measured: it is OnAir, ffmpeg, GStreamer or floor.")
    }
    guard (1...1_000).contains(rounds), (1...3_600).contains(seconds) else {
      throw ValidationError("There are 1 to 1000 rounds of 1 to 3600 seconds.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let chosen = Contender.allCases.filter { contender in
      only.isEmpty || only.contains { contender.isNamed($0) }
    }
    var results = Results(contenders: chosen)
    do {
      try measure(&results)
    } catch let failure as Child.Failed {
      tell(failure.description)
      throw ExitCode(70)
    }
    let wanted = check ? Limits.full : smoke ? .smoke : nil
    let verdicts = wanted.map { results.verdicts($0) } ?? []
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      print(String(decoding: try encoder.encode(results.summary(verdicts)), as: UTF8.self))
    } else {
      print(results.table)
      for verdict in verdicts { print("\(verdict.holds ? "ok    " : "FAILED") \(verdict.text)") }
    }
    if verdicts.contains(where: { !$0.holds }) { throw ExitCode(1) }
  }

  private func measure(_ results: inout Results) throws {
    let beep = "\(work)/beep.f32"
    try Beep.write(to: beep)
    let track = Track(
      scene: Scene(),
      tools: Tools(onair: onair, floor: floor, allocations: allocations, beep: beep), work: work,
      seconds: seconds)
    // Not counted: it fills the page cache, and GStreamer's registry of plugins.
    for contender in results.contenders {
      tell("warming up: \(contender.rawValue)")
      try track.warmUp(contender)
    }
    for turn in 0..<rounds {
      var rounds: [Contender: Round] = [:]
      // Each begins a turn in its turn.
      for place in results.contenders.indices {
        let contender = results.contenders[(turn + place) % results.contenders.count]
        tell("round \(turn + 1) of \(self.rounds): \(contender.rawValue)")
        rounds[contender] = try track.run(contender)
      }
      results.turns.append(rounds)
    }
    if results.contenders.contains(.onair) {
      tell("counting OnAir's allocations")
      results.allocations = try track.countAllocations()
      tell("pausing")
      results.pauseShare = try track.pauseShare()
    }
  }

  private func tell(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}

extension Contender {
  func isNamed(_ name: String) -> Bool { rawValue.lowercased() == name.lowercased() }
}
