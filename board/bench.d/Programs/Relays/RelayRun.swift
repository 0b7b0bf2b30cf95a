// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// What one program did to the measured server in one case.
struct RelayRun: Encodable {
  var program: RelayProgram
  var `case`: RelayCase
  /// Frames captured, and how many of them never arrived.
  var frames = 0
  var lost = 0
  /// From a frame's capture to the last byte of its packet at the server.
  var delayMiddleMs = 0.0
  var delayTailMs = 0.0
  var longestDelayMs = 0.0
  var peakMemoryMB = 0.0
  /// Why there are no figures: the program ended, or nothing ever arrived.
  var failure: String?
}

extension Track {
  /// Measures one program in one case.
  func relays(_ program: RelayProgram, _ relayCase: RelayCase) throws -> RelayRun {
    try relayCase.withServers { ports in
      var track = self
      track.others = ports
      track.measuresRelay = relayCase == .main
      track.queues = program.queues
      var run = RelayRun(program: program, case: relayCase)
      do {
        let seen = try track.observe(program.contender)
        try run.judge(seen)
      } catch let failure as Child.FailedError {
        guard program != .onair else { throw failure }
        run.failure = failure.description
      }
      return run
    }
  }
}

extension RelayRun {
  fileprivate mutating func judge(_ seen: Track.Observation) throws {
    let delays = try seen.delays()
    let captured = seen.feed.captured
    let numbers = captured.indices.filter { seen.window.contains(captured[$0]) }
    // A program that reads nothing more blocks the feeder, which then notes no further frame.
    let unseen = max(0, seen.window.upperBound - (captured.last ?? seen.window.lowerBound))
    let interval = 1_000_000_000 / Int64(Scene.framesPerSecond)
    let missed = seen.feed.missed.count { seen.window.contains($0) } + Int(unseen / interval)
    frames = numbers.count + missed
    lost = missed + numbers.count { delays[$0] == nil }
    let times = numbers.compactMap { delays[$0] }
    delayMiddleMs = percentile(times, 50)
    delayTailMs = percentile(times, 99)
    longestDelayMs = times.max() ?? .nan
    peakMemoryMB = Double(seen.peakMemoryKB) / 1024
  }
}

extension Track.Observation {
  /// For each captured frame: from its capture to the last byte of its packet at the server, in milliseconds; `nil` if it
  /// never arrived.
  func delays() throws -> [Double?] {
    var delays = [Double?](repeating: nil, count: feed.captured.count)
    let pictures = arrivals.filter { $0.kind == .picture }
    for (picture, number) in zip(pictures, try Stream(arrivals).numbers) {
      guard let number, delays.indices.contains(number), delays[number] == nil else { continue }
      delays[number] = Double(picture.time - feed.captured[number]) / 1e6
    }
    return delays
  }
}
