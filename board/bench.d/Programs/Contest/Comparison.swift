// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Glibc

struct Comparison: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compares OnAir with ffmpeg, GStreamer and x264 alone. Run by board/bench.")

  @OptionGroup var paths: Paths
  @Option var rounds = 9
  @Option(help: "Duration of each measurement.")
  var seconds = 10
  @Option(help: "OnAir, ffmpeg, GStreamer or floor (default: all).")
  var only: [String] = []
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Flag(help: "Like --check, with limits for a busy machine.")
  var smoke = false
  @Flag(help: "Take all processors for 80 ms each second, and measure what that costs.")
  var hiccup = false
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
    do {
      let track = try track()
      // Without measuring: fills the page cache and GStreamer's plugin registry.
      for contender in chosen {
        tell("warming up: \(contender.rawValue)")
        try track.warmUp(contender)
      }
      if hiccup { try measureHiccups(chosen, track) } else { try compare(chosen, track) }
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }

  private func track() throws -> Track {
    Track(scene: Scene(), tools: try paths.tools(), work: paths.work, seconds: seconds)
  }

  private func measureHiccups(_ chosen: [Contender], _ track: Track) throws {
    var results = Hiccups(contenders: chosen)
    for contender in chosen {
      tell("hiccups: \(contender.rawValue)")
      results.rounds[contender] = try track.hiccups(contender)
    }
    try report(results.figures, results.table, check ? results.verdicts : [], json: json)
  }

  private func compare(_ chosen: [Contender], _ track: Track) throws {
    var results = Results(contenders: chosen)
    try measure(&results, track)
    let wanted = check ? Limits.full : smoke ? .smoke : nil
    let verdicts = wanted.map { results.verdicts($0) } ?? []
    try report(results.summary(verdicts), results.table, verdicts, json: json)
  }

  private func measure(_ results: inout Results, _ track: Track) throws {
    for turn in 0..<rounds {
      var rounds: [Contender: Round] = [:]
      // Each round starts with another program.
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
      tell("timing the speed governor")
      results.governor = GovernorCost.measure()
    }
  }
}

extension Contender {
  func isNamed(_ name: String) -> Bool { rawValue.lowercased() == name.lowercased() }
}
