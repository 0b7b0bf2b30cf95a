// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import FoundationEssentials

/// Limits of OnAir's figures.
struct Limits {
  /// CPU time divided by the floor's.
  var processorRatio: Double
  /// Milliseconds more than the floor's, since no program can be faster than its encoder. `nil` is not checked.
  var delayMiddle: Double?
  var delayTail: Double?
  /// The time to the first frame divided by the floor's.
  var start: Double?
  /// MB.
  var memory: Double?
  /// Maximum relative difference to the floor's bit rate.
  var bitrate: Double
  /// CPU time of a pause divided by that of live video.
  var pause: Double
  /// Share of the time between two frames that choosing the effort of one may take.
  var governor = 0.001
  /// Share of all frames that may be lost.
  var lost: Double
  /// Whether CPU time and start time must not exceed those of ffmpeg and GStreamer.
  var againstPeers: Bool

  static let full = Limits(
    processorRatio: 1.02, delayMiddle: 1, delayTail: 3, start: 1.6, memory: 64, bitrate: 0.02,
    pause: 0.1, lost: 0, againstPeers: true)
  /// For one short round on a busy machine.
  static let smoke = Limits(
    processorRatio: 1.5, delayMiddle: nil, delayTail: nil, start: nil, memory: nil, bitrate: 0.25,
    pause: 0.5, lost: 0.2, againstPeers: false)
}

/// The result of comparing a figure with its limit.
struct Verdict: Encodable {
  var holds: Bool
  var text: String
}

/// Prints the figures, as JSON or as a table with what was decided about them.
/// - Throws: `ExitCode(1)` if a figure exceeds its limit.
func report(
  _ summary: some Encodable, _ table: String, _ verdicts: [Verdict], json: Bool
) throws {
  if json {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(summary), as: UTF8.self))
  } else {
    print(table)
    for verdict in verdicts { print("\(verdict.holds ? "ok    " : "FAILED") \(verdict.text)") }
  }
  if verdicts.contains(where: { !$0.holds }) { throw ExitCode(1) }
}

extension Results {
  /// The results must include OnAir and the floor.
  func verdicts(_ limits: Limits) -> [Verdict] {
    var verdicts: [Verdict] = []
    func expect(_ holds: Bool, _ text: String) {
      verdicts.append(Verdict(holds: holds, text: text))
    }
    func median(_ row: Row, _ contender: Contender = .onair) -> Double? {
      spread(row, contender)?.median
    }
    func expect(_ row: Row, atMost limit: Double?, _ what: String) {
      guard let limit, let value = median(row) else { return }
      expect(
        value <= limit, "\(what) \(value.text(row.decimals)), at most \(limit.text(row.decimals))")
    }
    let peers = contenders.filter { $0 == .ffmpeg || $0 == .gstreamer }

    expect(.ratio, atMost: limits.processorRatio, "CPU time divided by the floor's:")
    if limits.againstPeers, contenders.contains(.ffmpeg) {
      expect(.processor, atMost: median(.processor, .ffmpeg), "CPU ms per frame, as ffmpeg:")
    }
    for (row, limit) in [(Row.delayMiddle, limits.delayMiddle), (.delayTail, limits.delayTail)] {
      guard let limit, let delay = median(row), let floor = median(row, .floor) else { continue }
      expect(
        delay <= floor + limit,
        "\(row.rawValue): \(delay.text(1)), at most \(limit.text(1)) more than the floor's \(floor.text(1))"
      )
    }
    if let limit = limits.start, let floor = median(.start, .floor) {
      expect(.start, atMost: limit * floor, "start to first video, ms:")
    }
    for peer in peers {
      if limits.againstPeers {
        expect(
          .start, atMost: median(.start, peer), "start to first video, ms, as \(peer.rawValue):")
      }
      expect(.memory, atMost: median(.memory, peer), "peak memory, MB, as \(peer.rawValue):")
    }
    expect(.memory, atMost: limits.memory, "peak memory, MB:")
    if let allocations {
      expect(
        allocations.own == 0 && allocations.frames > 0,
        "heap allocations by OnAir's code: \(allocations.own) in \(allocations.frames) frames, at most 0"
      )
    }
    if let pauseShare {
      expect(
        pauseShare <= limits.pause,
        "CPU time of a pause divided by that of live: \(pauseShare.text(3)), at most \(limits.pause.text(3))"
      )
    }
    if let governor {
      expect(
        governor.intervalShare <= limits.governor,
        "video.speed = \"auto\" itself: \((100 * governor.intervalShare).text(3)) % of the time between frames, "
          + "at most \((100 * limits.governor).text(1)) %")
    }
    let floorRate = median(.bitrate, .floor) ?? 0
    for contender in contenders where contender != .floor {
      let differences = differences(contender)
      let isSame = differences.allSatisfy { contender.allowedDifferences.contains($0.name) }
      expect(
        isSame,
        "x264's settings in \(contender.rawValue): "
          + (differences.isEmpty ? "the floor's" : differences.map(\.text).joined(separator: ", ")))
      let rate = median(.bitrate, contender) ?? 0
      expect(
        abs(rate - floorRate) <= limits.bitrate * floorRate,
        "video of \(contender.rawValue): \(rate.text(0)) kbit/s, within \((limits.bitrate * 100).text(0)) % of the "
          + "floor's \(floorRate.text(0))")
    }
    let frames = turns.reduce(0) { $0 + ($1[.onair].map { $0.lost + $0.delaysMs.count } ?? 0) }
    let lost = turns.reduce(0) { $0 + ($1[.onair]?.lost ?? 0) }
    expect(
      Double(lost) <= limits.lost * Double(frames),
      "frames that OnAir lost: \(lost) of \(frames), at most \((limits.lost * 100).text(0)) %")
    return verdicts
  }
}
