// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Base
internal import Glibc

/// What several tracks, music, filters and meters cost, beside ffmpeg with its filters for the same work. Broadcasts without
/// video: processor time of all threads.
struct Sound: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sound",
    abstract: "Compares what mixing costs in OnAir and ffmpeg. Run by board/bench.")

  @OptionGroup var paths: Paths
  @Option var rounds = 5
  @Option(help: "Duration of each measurement.")
  var seconds = 10
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Flag var json = false

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    do {
      let tools = try paths.tools()
      try SoundWork.writeMusic(paths.work)
      var results = SoundResults()
      for round in 1...rounds {
        for contender in SoundResults.contenders {
          for work in SoundWork.allCases {
            tell("round \(round) of \(rounds): \(contender.rawValue), \(work.rawValue)")
            let share = try measure(contender, work, tools)
            results.shares[contender, default: [:]][work, default: []].append(share)
          }
        }
      }
      tell("counting OnAir's allocations")
      let track = Track(
        scene: Scene(), tools: tools, work: paths.work, seconds: seconds,
        overlays: .none)
      results.allocations = try track.countAllocations(adding: SoundWork.desk.settings(paths.work))
      try report(
        results.summary, results.table, check ? results.verdicts : [], json: json)
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }

  /// The share of a processor that a program takes.
  private func measure(_ contender: Contender, _ work: SoundWork, _ tools: Tools) throws -> Double {
    let server = try Server(.rtmp)
    defer { server.end() }
    let child = try Child(
      contender == .onair
        ? work.onair(tools.onair, port: server.port, folder: paths.work)
        : work.ffmpeg(port: server.port, folder: paths.work),
      log: "\(paths.work)/\(contender.rawValue).log")
    defer { child.end() }
    try waitForSound(server, child, contender)
    // Connections and the first blocks of each filter are no part of the cost.
    (MediaTime.now() + .seconds(3)).sleepUntil()
    let (began, nanos, count) = (MediaTime.now(), child.processorNanos, server.soundCount)
    (began + .seconds(Int64(seconds))).sleepUntil()
    let (ended, used) = (MediaTime.now(), child.processorNanos - nanos)
    let blocks = Double(server.soundCount - count)
    let expected = Double(ended - began) / 1e9 * 48_000 / 1_024
    guard child.isRunning, abs(blocks - expected) < expected / 5 else {
      throw Child.FailedError(
        description: """
          \(contender.rawValue) sent \(Int(blocks)) of \(Int(expected)) blocks of sound: \
          see \(paths.work)/\(contender.rawValue).log
          """)
    }
    return Double(used) / Double(ended - began)
  }

  private func waitForSound(_ server: Server, _ child: Child, _ contender: Contender) throws {
    let deadline = MediaTime.now() + .seconds(15)
    while MediaTime.now() < deadline, child.isRunning {
      if server.soundCount > 0 { return }
      usleep(5_000)
    }
    throw Child.FailedError(
      description:
        "nothing arrives from \(contender.rawValue): see \(paths.work)/\(contender.rawValue).log")
  }
}

/// All figures of a run.
struct SoundResults {
  static let contenders: [Contender] = [.onair, .ffmpeg]
  /// The most of a processor that the desk may take, with the AAC encoder.
  static let limit = 0.055

  /// Shares of a processor, of each round.
  var shares: [Contender: [SoundWork: [Double]]] = [:]
  var allocations = Allocations()

  /// What a case costs more than a microphone alone, as a share of a processor: the median of all rounds.
  func cost(_ contender: Contender, _ work: SoundWork) -> Double {
    let all = shares[contender] ?? [:]
    return percentile(zip(all[work] ?? [], all[.microphone] ?? []).map { $0 - $1 }, 50)
  }

  func share(_ contender: Contender, _ work: SoundWork) -> Double {
    percentile(shares[contender]?[work] ?? [], 50)
  }

  var verdicts: [Verdict] {
    let (own, peer) = (cost(.onair, .desk), cost(.ffmpeg, .desk))
    return [
      Verdict(
        holds: own <= SoundResults.limit,
        text: "four tracks: \(own.percent) of a processor, at most \(SoundResults.limit.percent)"),
      Verdict(
        holds: own <= peer,
        text: "four tracks divided by ffmpeg's: \((own / peer).text(2)), at most 1"),
      Verdict(
        holds: allocations.own == 0,
        text: "own allocations in \(allocations.frames) frames: \(allocations.own), at most 0"),
    ]
  }

  var table: String {
    var lines = ["Share of a processor, without video.", ""]
    for work in SoundWork.allCases {
      let figures = SoundResults.contenders.map { "\($0.rawValue) \(share($0, work).percent)" }
      lines.append("\(work.rawValue): \(figures.joined(separator: ", "))")
    }
    let costs = SoundResults.contenders.map { "\($0.rawValue) \(cost($0, .desk).percent)" }
    lines.append("the desk more than the microphone: \(costs.joined(separator: ", "))")
    lines.append("own allocations in \(allocations.frames) frames: \(allocations.own)")
    return lines.joined(separator: "\n")
  }

  struct Summary: Encodable {
    /// Shares of a processor, by program and case.
    var shares: [String: [String: Double]]
    var ownAllocations: UInt64
  }

  var summary: Summary {
    var all: [String: [String: Double]] = [:]
    for contender in SoundResults.contenders {
      for work in SoundWork.allCases {
        all[contender.rawValue, default: [:]][work.rawValue] = share(contender, work)
      }
    }
    return Summary(shares: all, ownAllocations: allocations.own)
  }
}

extension Double {
  /// A share in percent.
  fileprivate var percent: String { "\((self * 100).text(2)) %" }
}
