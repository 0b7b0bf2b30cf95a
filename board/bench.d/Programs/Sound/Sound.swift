// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Base
internal import Glibc

/// What several tracks, music, filters and meters cost, beside ffmpeg with its filters for the same work. Broadcasts
/// without video: processor time of all threads, and how much of it the AAC encoder takes.
struct Sound: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sound",
    abstract: "Compares what mixing costs in OnAir and ffmpeg. Run by board/bench.")

  @OptionGroup var paths: Paths
  @Option(help: "Path of the compiled Tools/encoder.c.")
  var encoder: String
  @Option(help: "Folder with the voices and the music.")
  var sounds: String
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
      var results = SoundResults()
      for round in 1...rounds {
        for contender in SoundResults.contenders {
          for work in SoundWork.allCases {
            tell("round \(round) of \(rounds): \(contender.rawValue), \(work.rawValue)")
            let cost = try measure(contender, work, tools)
            results.costs[contender, default: [:]][work, default: []].append(cost)
          }
        }
      }
      tell("counting OnAir's allocations")
      let track = Track(
        scene: Scene(), tools: tools, work: paths.work, seconds: seconds,
        overlays: .none)
      let feed = try SoundFeed(SoundWork.desk.pipes(sounds))
      defer { feed.stop() }
      results.allocations = try track.countAllocations(adding: SoundWork.desk.settings(sounds))
      try report(
        results.summary, results.table, check ? results.verdicts : [], json: json)
    } catch let failure as Child.FailedError {
      tell(failure.description)
      throw ExitCode(70)
    }
  }

  /// The shares of a processor that a program takes.
  private func measure(
    _ contender: Contender, _ work: SoundWork, _ tools: Tools
  ) throws -> SoundCost {
    let server = try Server(.rtmp)
    defer { server.end() }
    let feed = try SoundFeed(work.pipes(sounds))
    defer { feed.stop() }
    let timer = try EncoderTimer("\(paths.work)/encoder")
    let child = try Child(
      contender == .onair
        ? work.onair(tools.onair, port: server.port, folder: sounds)
        : work.ffmpeg(port: server.port, folder: sounds),
      environment: ["LD_PRELOAD=\(encoder)", "BENCH_ENCODER=\(timer.path)"],
      log: "\(paths.work)/\(contender.rawValue).log")
    defer { child.end() }
    try waitForSound(server, child, contender)
    // Connections, the first blocks of each filter, and the time until a pipe is known not to be ahead of time are no
    // part of the cost.
    (MediaTime.now() + .seconds(20)).sleepUntil()
    let (began, nanos, encoding, count) = (
      MediaTime.now(), child.processorNanos, timer.nanos, server.soundCount
    )
    (began + .seconds(Int64(seconds))).sleepUntil()
    let duration = Double(MediaTime.now() - began)
    let (used, encoded) = (child.processorNanos - nanos, timer.nanos - encoding)
    let blocks = Double(server.soundCount - count)
    let expected = duration / 1e9 * 48_000 / 1_024
    guard child.isRunning, abs(blocks - expected) < expected / 5, encoded > 0 else {
      throw Child.FailedError(
        description: """
          \(contender.rawValue) sent \(Int(blocks)) of \(Int(expected)) blocks of sound: \
          see \(paths.work)/\(contender.rawValue).log
          """)
    }
    return SoundCost(all: Double(used) / duration, encoder: Double(encoded) / duration)
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

/// Shares of a processor.
struct SoundCost {
  var all: Double
  var encoder: Double
  /// Of all but the encoder.
  var rest: Double { all - encoder }
}

/// All figures of a run.
struct SoundResults {
  static let contenders: [Contender] = [.onair, .ffmpeg]
  /// The most of a processor that the desk may take: the whole program without the AAC encoder, which is there for
  /// one microphone as well. It is for reading and resampling three stereo microphones, their noise reduction,
  /// decoding music, lowering and mixing it, the limiter, all meters and alarms, and sending.
  static let limit = 0.055

  /// Of each round.
  var costs: [Contender: [SoundWork: [SoundCost]]] = [:]
  var allocations = Allocations()

  /// The median of all rounds.
  func median(
    _ contender: Contender, _ work: SoundWork, _ part: KeyPath<SoundCost, Double>
  ) -> Double {
    percentile((costs[contender]?[work] ?? []).map { $0[keyPath: part] }, 50)
  }

  /// OnAir's cost divided by ffmpeg's.
  func ratio(_ work: SoundWork, _ part: KeyPath<SoundCost, Double>) -> Double {
    median(.onair, work, part) / median(.ffmpeg, work, part)
  }

  var verdicts: [Verdict] {
    let own = median(.onair, .desk, \.rest)
    return [
      Verdict(
        holds: own <= SoundResults.limit,
        text:
          "the desk without the AAC encoder: \(own.percent) of a processor, at most \(SoundResults.limit.percent)"
      ),
      Verdict(
        holds: ratio(.desk, \.rest) <= 1,
        text: "the same divided by ffmpeg's: \(ratio(.desk, \.rest).text(2)), at most 1"),
      Verdict(
        holds: ratio(.desk, \.all) <= 1,
        text: "with the AAC encoder, divided by ffmpeg's: \(ratio(.desk, \.all).text(2)), at most 1"
      ),
      Verdict(
        holds: allocations.own == 0 && allocations.frames > 0,
        text: "own allocations in \(allocations.frames) frames: \(allocations.own), at most 0"),
    ]
  }

  var table: String {
    var lines = [
      "Shares of one processor, all threads, without video: stereo of 48 kHz. The desk is four tracks: three",
      "stereo microphones with noise reduction, and music that is lowered under them; with limiter and meters.",
      "",
    ]
    let parts: [(String, KeyPath<SoundCost, Double>)] = [
      ("without the AAC encoder", \.rest), ("AAC encoder", \.encoder), ("all", \.all),
    ]
    for work in SoundWork.allCases {
      for (name, part) in parts {
        let figures = SoundResults.contenders.map {
          "\($0.rawValue) \(median($0, work, part).percent)"
        }
        lines.append(
          "\(work.rawValue), \(name): \(figures.joined(separator: ", ")), ratio \(ratio(work, part).text(2))"
        )
      }
    }
    lines += allocations.lines
    return lines.joined(separator: "\n")
  }

  struct Summary: Encodable {
    /// Shares of a processor, by program and case: all, and of these the encoder.
    var shares: [String: [String: Double]]
    var encoderShares: [String: [String: Double]]
    var ownAllocations: UInt64
  }

  var summary: Summary {
    func shares(_ part: KeyPath<SoundCost, Double>) -> [String: [String: Double]] {
      var all: [String: [String: Double]] = [:]
      for contender in SoundResults.contenders {
        for work in SoundWork.allCases {
          all[contender.rawValue, default: [:]][work.rawValue] = median(contender, work, part)
        }
      }
      return all
    }
    return Summary(
      shares: shares(\.all), encoderShares: shares(\.encoder), ownAllocations: allocations.own)
  }
}

extension Double {
  /// A share in percent.
  fileprivate var percent: String { "\((self * 100).text(2)) %" }
}
