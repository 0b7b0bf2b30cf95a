// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Glibc

/// What images, texts and stickers on the picture cost: whole programs beside each other, and OnAir's own thread.
struct Overlays: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "overlays",
    abstract: "Compares what overlays cost in OnAir, ffmpeg and GStreamer. Run by board/bench.")

  @OptionGroup var paths: Paths
  @Option var rounds = 5
  @Option(help: "Duration of each measurement.")
  var seconds = 10
  @Option(name: .customLong("case"), help: "watermark, lower-third or sticker (default: all).")
  var cases: [String] = []
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Flag var json = false

  func validate() throws {
    for name in cases where OverlayWork(rawValue: name) == nil || name == "none" {
      throw ValidationError(
        "There is no case \"\(name)\": it is watermark, lower-third or sticker.")
    }
    guard (1...1_000).contains(rounds), (1...3_600).contains(seconds) else {
      throw ValidationError("There are 1 to 1000 rounds of 1 to 3600 seconds.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let chosen = OverlayWork.allCases.filter {
      $0 == .none || cases.isEmpty || cases.contains($0.rawValue)
    }
    do {
      try OverlayWork.writeFiles(paths.work)
      var results = OverlayResults(cases: chosen)
      tell("OnAir's own thread")
      results.kernels = try OverlayKernels.measure(chosen, folder: paths.work)
      let scene = Scene()
      var track = Track(
        scene: scene, tools: try paths.tools(), work: paths.work, seconds: seconds)
      let composing = ComposingCost(
        scene: scene, tools: track.tools, work: paths.work, seconds: seconds)
      for contender in OverlayResults.contenders {
        for work in chosen where work != .none {
          tell("composing without an encoder: \(contender.rawValue), \(work.rawValue)")
          results.composing[contender, default: [:]][work] = try composing.measure(contender, work)
        }
      }
      for contender in [Contender.floor] + OverlayResults.contenders {
        tell("warming up: \(contender.rawValue)")
        try track.warmUp(contender)
      }
      for turn in 0..<rounds {
        tell("round \(turn + 1) of \(rounds): floor")
        track.overlays = .none
        results.floor.append(try track.run(.floor).processorMs)
        for place in OverlayResults.contenders.indices {
          // Each round starts with another program.
          let contender = OverlayResults.contenders[
            (turn + place) % OverlayResults.contenders.count]
          for work in chosen {
            tell("round \(turn + 1) of \(rounds): \(contender.rawValue), \(work.rawValue)")
            track.overlays = work
            let round = try track.run(contender)
            results.rounds[contender, default: [:]][work, default: []].append(round)
          }
        }
      }
      for work in chosen where work != .none {
        tell("counting OnAir's allocations, \(work.rawValue)")
        track.overlays = work
        results.allocations[work] = try track.countAllocations()
      }
      try report(
        results.summary, results.table, check ? results.verdicts : [], json: json)
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }
}

/// All figures of a run.
struct OverlayResults {
  static let contenders: [Contender] = [.onair, .ffmpeg, .gstreamer]

  var cases: [OverlayWork]
  /// CPU time of x264 and AAC alone, in ms for each frame, of each round.
  var floor: [Double] = []
  var rounds: [Contender: [OverlayWork: [Round]]] = [:]
  /// Microseconds for each frame on the thread that composes.
  var kernels: [OverlayWork: Double] = [:]
  var allocations: [OverlayWork: Allocations] = [:]
  /// Microseconds for each frame, of all threads, without an encoder.
  var composing: [Contender: [OverlayWork: Double]] = [:]

  init(cases: [OverlayWork]) { self.cases = cases }

  private var laid: [OverlayWork] { cases.filter { $0 != .none } }

  private func processor(_ contender: Contender, _ work: OverlayWork) -> [Double] {
    rounds[contender]?[work]?.map(\.processorMs) ?? []
  }

  /// What a case costs more than the picture alone, in ms of CPU time for each frame: the median of all rounds.
  func cost(_ contender: Contender, _ work: OverlayWork) -> Double {
    percentile(zip(processor(contender, work), processor(contender, .none)).map { $0 - $1 }, 50)
  }

  private func composing(_ contender: Contender, _ work: OverlayWork) -> Double {
    composing[contender]?[work] ?? .nan
  }

  /// Of the encoder's CPU time.
  func share(_ work: OverlayWork) -> Double {
    (kernels[work] ?? .nan) / 1_000 / percentile(floor, 50)
  }

  private func isLost(_ contender: Contender, _ work: OverlayWork) -> Int {
    rounds[contender]?[work]?.reduce(0) { $0 + $1.lost } ?? 0
  }

  /// The share of the encoder's time that a case may take on the thread that composes.
  static func limit(_ work: OverlayWork) -> Double {
    switch work {
    case .none: 0
    case .watermark, .sticker: 0.005
    case .lowerThird: 0.01
    }
  }

  var verdicts: [Verdict] {
    var verdicts: [Verdict] = []
    for work in laid {
      let (share, limit) = (share(work), OverlayResults.limit(work))
      verdicts.append(
        Verdict(
          holds: share <= limit,
          text: "\(work.rawValue): \((share * 100).text(2)) % of the encoder's time on OnAir's "
            + "thread, at most \((limit * 100).text(1)) %"))
      // Other threads allocate: twice a second one looks at the files, and once a second the clock is drawn anew. None may
      // come of a frame.
      if work != .lowerThird, let count = allocations[work] {
        let most = count.frames / 3
        verdicts.append(
          Verdict(
            holds: count.own <= UInt64(most) && count.frames > 0,
            text: "\(work.rawValue): \(count.own) heap allocations by OnAir's code in "
              + "\(count.frames) frames, at most \(most)"))
      }
      for peer in OverlayResults.contenders where peer != .onair {
        let (own, other) = (composing(.onair, work), composing(peer, work))
        verdicts.append(
          Verdict(
            holds: own < other,
            text: "\(work.rawValue): composing takes \(own.text(0)) us a frame, less than "
              + "\(peer.rawValue)'s \(other.text(0))"))
      }
    }
    return verdicts
  }

  var table: String {
    var lines = [
      "x264 and AAC alone: \(percentile(floor, 50).text(2)) ms of CPU time a frame "
        + "(\(floor.count) rounds)", "",
      "CPU time of the whole program, ms a frame:".padded(44)
        + OverlayResults.contenders.map { $0.rawValue.padded(12) }.joined(),
    ]
    func row(_ name: String, _ value: (Contender) -> String) {
      lines.append(
        name.padded(44) + OverlayResults.contenders.map { value($0).padded(12) }.joined())
    }
    for work in cases {
      row("  " + (work == .none ? "the picture alone" : work.rawValue)) {
        percentile(processor($0, work), 50).text(2)
      }
    }
    for work in laid {
      row("\(work.rawValue): more than the picture alone") { cost($0, work).text(3) }
      row("  divided by OnAir's") { (cost($0, work) / cost(.onair, work)).text(1) }
      row("  in % of x264 and AAC") { (cost($0, work) / percentile(floor, 50) * 100).text(1) }
      row("  frames lost") { "\(isLost($0, work))" }
    }
    lines += ["", "Composing without an encoder, us of CPU time a frame:"]
    for work in laid {
      row("  \(work.rawValue)") { composing($0, work).text(0) }
      row("  divided by OnAir's") {
        (composing($0, work) / composing(.onair, work)).text(1)
      }
    }
    lines += ["", "OnAir's thread that composes, and heap allocations by OnAir's code:"]
    for work in laid {
      let count = allocations[work]
      lines.append(
        "  \(work.rawValue)".padded(22)
          + "\((kernels[work] ?? .nan).text(1)) us a frame, \((share(work) * 100).text(2)) % of x264 and AAC; "
          + "\(count?.own ?? 0) allocations in \(count?.frames ?? 0) frames")
    }
    return lines.joined(separator: "\n")
  }

  struct Summary: Encodable {
    struct Case: Encodable {
      /// By program.
      var costMs: [String: Double]
      /// By program.
      var composingMicroseconds: [String: Double]
      var threadMicroseconds: Double
      var threadShare: Double
      var allocations: UInt64
    }
    var rounds: Int
    var floorMs: Double
    var cases: [String: Case]
  }

  var summary: Summary {
    Summary(
      rounds: floor.count, floorMs: percentile(floor, 50),
      cases: laid.reduce(into: [:]) { cases, work in
        cases[work.rawValue] = Summary.Case(
          costMs: OverlayResults.contenders.reduce(into: [:]) {
            $0[$1.rawValue] = cost($1, work)
          },
          composingMicroseconds: OverlayResults.contenders.reduce(into: [:]) {
            $0[$1.rawValue] = composing($1, work)
          }, threadMicroseconds: kernels[work] ?? .nan, threadShare: share(work),
          allocations: allocations[work]?.own ?? 0)
      })
  }
}
