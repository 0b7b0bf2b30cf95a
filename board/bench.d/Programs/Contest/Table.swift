// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Median and range of a figure over all rounds.
struct Spread: Encodable {
  var median: Double
  var least: Double
  var most: Double

  /// - Parameter values: one per round, at least one.
  init(_ values: [Double]) {
    median = percentile(values, 50)
    least = values.min() ?? .nan
    most = values.max() ?? .nan
  }
}

/// A percentile by the nearest-rank method. The median of an even number of values is the mean of the middle two.
func percentile(_ values: [Double], _ percent: Double) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return .nan }
  if percent == 50, sorted.count.isMultiple(of: 2) {
    return (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
  }
  let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up))
  return sorted[min(max(rank, 1), sorted.count) - 1]
}

/// The figures, each a row of the table.
enum Row: String, CaseIterable {
  case processor = "CPU, ms per frame"
  case ratio = "  divided by the floor's"
  case delayMiddle = "delay p50, ms"
  case delayTail = "delay p99, ms"
  case encodeMiddle = "  of this in x264, p50"
  case encodeTail = "  of this in x264, p99"
  case start = "start to first video, ms"
  case memory = "peak memory, MB"
  case bitrate = "video, kbit/s"
  case lost = "frames lost"
  case lostAtStart = "  in the 2 s before"
  case extra = "repeated frames"

  var decimals: Int {
    switch self {
    case .processor, .delayMiddle, .delayTail, .encodeMiddle, .encodeTail, .memory: 1
    case .ratio: 3
    case .start, .bitrate, .lost, .lostAtStart, .extra: 0
    }
  }

  /// - Parameter floor: the floor's figures in the same round.
  func value(_ round: Round, floor: Round?) -> Double? {
    switch self {
    case .processor: round.processorMs
    case .ratio: floor.map { round.processorMs / $0.processorMs }
    case .delayMiddle: percentile(round.delaysMs, 50)
    case .delayTail: percentile(round.delaysMs, 99)
    case .encodeMiddle: round.encodeMs.isEmpty ? nil : percentile(round.encodeMs, 50)
    case .encodeTail: round.encodeMs.isEmpty ? nil : percentile(round.encodeMs, 99)
    case .start: round.startMs
    case .memory: round.peakMemoryMB
    case .bitrate: round.videoKbps
    case .lost: Double(round.lost)
    case .lostAtStart: Double(round.lostAtStart)
    case .extra: Double(round.extra)
    }
  }
}

/// All figures of a run.
struct Results {
  let contenders: [Contender]
  /// Each turn has a round of every program.
  var turns: [[Contender: Round]] = []
  var allocations: Allocations?
  /// CPU time of a pause divided by that of live video.
  var pauseShare: Double?
  var governor: GovernorCost?

  func spread(_ row: Row, _ contender: Contender) -> Spread? {
    let values = turns.compactMap { turn in
      turn[contender].flatMap { row.value($0, floor: turn[.floor]) }
    }
    return values.isEmpty ? nil : Spread(values)
  }

  func settings(_ contender: Contender) -> String {
    turns.lazy.compactMap { $0[contender]?.settings }.first ?? ""
  }

  /// The x264 options that differ from the floor's, as NAME=VALUE (FLOOR'S VALUE).
  func differences(_ contender: Contender) -> [(name: String, text: String)] {
    let (own, floor) = (options(settings(contender)), options(settings(.floor)))
    return Set(own.keys).union(floor.keys).sorted().filter { own[$0] != floor[$0] }.map {
      ($0, "\($0)=\(own[$0] ?? "none") (\(floor[$0] ?? "none"))")
    }
  }

  private func options(_ settings: String) -> [String: String] {
    var options: [String: String] = [:]
    for word in settings.split(separator: " ").drop(while: { $0 != "options:" }).dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1)
      options[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    return options
  }

  // MARK: JSON

  struct Summary: Encodable {
    struct Heap: Encodable {
      var frames: Int
      var own: UInt64
      var libraries: [String: UInt64]
    }
    var rounds: Int
    /// By program and row.
    var figures: [String: [String: Spread]]
    /// x264's options by program.
    var settings: [String: String]
    var allocations: Heap?
    var pauseShare: Double?
    /// Microseconds a frame.
    var governorUs: Double?
    var cutDetectionUs: Double?
    var verdicts: [Verdict]
  }

  func summary(_ verdicts: [Verdict]) -> Summary {
    var summary = Summary(rounds: turns.count, figures: [:], settings: [:], verdicts: verdicts)
    for contender in contenders {
      summary.settings[contender.rawValue] = settings(contender)
      summary.figures[contender.rawValue] = Dictionary(
        uniqueKeysWithValues: Row.allCases.compactMap { row in
          spread(row, contender).map { ("\(row)", $0) }
        })
    }
    summary.pauseShare = pauseShare
    summary.governorUs = governor.map { $0.governor / 1e3 }
    summary.cutDetectionUs = governor.map { $0.cutDetection / 1e3 }
    summary.allocations = allocations.map { heap in
      Summary.Heap(
        frames: heap.frames, own: heap.own,
        libraries: Dictionary(heap.libraries.map { ($0.name, $0.count) }) { $0 + $1 })
    }
    return summary
  }

  // MARK: Table

  var table: String {
    let first = 26
    let width = 23
    var lines = [
      "".padded(first) + contenders.map { $0.rawValue.padded(width, left: true) }.joined()
    ]
    for row in Row.allCases {
      let cells = contenders.map { contender in
        spread(row, contender).map { spread in
          let range = "\(spread.least.text(row.decimals))–\(spread.most.text(row.decimals))"
          return "\(spread.median.text(row.decimals)) [\(range)]"
        } ?? "–"
      }
      lines.append(row.rawValue.padded(first) + cells.map { $0.padded(width, left: true) }.joined())
    }
    for contender in contenders where contender != .floor && contenders.contains(.floor) {
      let found = differences(contender).map(\.text)
      lines.append(
        "x264 in \(contender.rawValue): "
          + (found.isEmpty ? "the floor's settings" : found.joined(separator: ", ")))
    }
    if contenders.contains(.floor) { lines.append(settings(.floor)) }
    if let allocations { lines += allocations.lines }
    if let pauseShare {
      lines.append("CPU time of a muted pause divided by that of live: \(pauseShare.text(3))")
    }
    if let governor {
      let processor = spread(.processor, .onair).map {
        ", \((governor.nanos / $0.median / 1e4).text(3)) % of its CPU time"
      }
      lines.append(
        "video.speed = \"auto\" itself: \((governor.governor / 1e3).text(1)) µs a frame, and "
          + "\((governor.cutDetection / 1e3).text(1)) µs to look for a cut: "
          + "\((100 * governor.intervalShare).text(3)) % of the time between frames\(processor ?? "")"
      )
    }
    return lines.joined(separator: "\n")
  }
}

extension Allocations {
  /// What the tables tell of them.
  var lines: [String] {
    let count = Double(max(1, frames))
    let libraries = libraries.prefix(6).map {
      "\($0.name) \((Double($0.count) / count).text(2))"
    }
    var lines = [
      "heap allocations per frame: OnAir's own code \((Double(own) / count).text(3)) "
        + "(\(own) in \(frames) frames); libraries "
        + (Double(byLibraries) / count).text(2)
        + (libraries.isEmpty ? "" : " (\(libraries.joined(separator: ", ")))")
    ]
    for trace in traces {
      let addresses = trace.addresses.map { "0x" + String($0, radix: 16) }.joined(separator: " ")
      lines.append("  \(trace.count) × at (addr2line -f -e onair): \(addresses)")
    }
    return lines
  }
}

extension Double {
  func text(_ decimals: Int) -> String {
    guard isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let value = Int((self * scale).rounded())
    guard decimals > 0 else { return "\(value)" }
    let digits = String(abs(value))
    let filled = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return (value < 0 ? "-" : "") + filled.dropLast(decimals) + "." + filled.suffix(decimals)
  }
}

extension String {
  func padded(_ width: Int, left: Bool = false) -> String {
    let room = String(repeating: " ", count: max(0, width - count))
    return left ? room + self : self + room
  }
}
