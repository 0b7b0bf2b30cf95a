// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Takes all processors for 80 ms each second, as other work on the same machine may do.
///
/// As root it runs ahead of the measured programs, but not of the simulated camera and the server, which are not part
/// of that machine.
final class Hog: Companion {
  static let length = Int64.milliseconds(80)

  private struct State {
    var threads: [MediaThread] = []
    var hiccups: [Range<MediaTime>] = []
  }

  private let state = Mutex(State())
  private let stopping = Atomic(false)

  /// When the processors were taken.
  var hiccups: [Range<MediaTime>] { state.withLock { $0.hiccups } }

  func begin(with child: Child, at begun: MediaTime) {
    state.withLock { state in
      for index in 0..<sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
        state.threads.append(
          MediaThread(name: "hog", urgency: .sending) { [self] in
            run(begun, notes: index == 0)
          })
      }
    }
  }

  func end() {
    stopping.store(true, ordering: .relaxed)
    for thread in state.withLock({ $0.threads }) { _ = thread.join(until: .now() + .seconds(5)) }
  }

  private func run(_ begun: MediaTime, notes: Bool) {
    var next = begun + .milliseconds(500)
    while true {
      next.sleepUntil()
      if stopping.load(ordering: .relaxed) { return }
      let start = MediaTime.now()
      while .now() - start < Hog.length {}
      if notes { state.withLock { $0.hiccups.append(start..<MediaTime.now()) } }
      next = next + .seconds(1)
    }
  }
}

/// What hiccups cost one program.
struct HiccupRound: Encodable {
  /// Frames captured, and how many of them never arrived.
  var frames = 0
  var lost = 0
  /// Delay of a frame from its capture to the last byte of its packet at the server, between hiccups.
  var delayMiddleMs = 0.0
  var delayTailMs = 0.0
  var longestDelayMs = 0.0
  /// For each hiccup: how many frames captured after it had a delay above `delayTailMs`, until one did not.
  var framesUntilNormal: [Double] = []
}

extension Track {
  /// Frames that a camera's driver keeps while nobody reads them.
  static let cameraBuffers = 4
  /// A hiccup's effects have ended after this time.
  private static let aftermath: Int64 = .milliseconds(600)

  func hiccups(_ contender: Contender) throws -> HiccupRound {
    let hog = Hog()
    let seen = try observe(contender, buffers: Track.cameraBuffers, companions: [hog])
    let captured = seen.feed.captured
    let delays = try seen.delays()
    let hiccups = hog.hiccups
    let numbers = captured.indices.filter { seen.window.contains(captured[$0]) }
    let calm = numbers.filter { number in
      !hiccups.contains {
        captured[number] > $0.lowerBound - .milliseconds(100)
          && captured[number] < $0.upperBound + Track.aftermath
      }
    }
    var round = HiccupRound()
    let missed = seen.feed.missed.count { seen.window.contains($0) }
    round.frames = numbers.count + missed
    round.lost = missed + numbers.count { delays[$0] == nil }
    let calmDelays = calm.compactMap { delays[$0] }
    round.delayMiddleMs = percentile(calmDelays, 50)
    round.delayTailMs = percentile(calmDelays, 99)
    round.longestDelayMs = numbers.compactMap { delays[$0] }.max() ?? .nan
    for hiccup in hiccups where hiccup.upperBound + Track.aftermath < seen.window.upperBound {
      let after = numbers.filter { captured[$0] >= hiccup.upperBound }
      let late = after.prefix { delays[$0].map { $0 > round.delayTailMs } ?? true }
      round.framesUntilNormal.append(Double(late.count))
    }
    return round
  }
}

/// The figures of all programs.
struct Hiccups {
  let contenders: [Contender]
  var rounds: [Contender: HiccupRound] = [:]

  var figures: [String: HiccupRound] {
    Dictionary(uniqueKeysWithValues: rounds.map { ($0.rawValue, $1) })
  }

  private static let rows: [(name: String, text: @Sendable (HiccupRound) -> String)] = [
    ("frames lost", { "\($0.lost) of \($0.frames)" }),
    ("delay between hiccups, p50, ms", { $0.delayMiddleMs.text(1) }),
    ("  p99", { $0.delayTailMs.text(1) }),
    ("longest delay, ms", { $0.longestDelayMs.text(1) }),
    (
      "late frames after a hiccup",
      {
        "\(percentile($0.framesUntilNormal, 50).text(0)) "
          + "[\(($0.framesUntilNormal.min() ?? .nan).text(0))–\(($0.framesUntilNormal.max() ?? .nan).text(0))]"
      }
    ),
  ]

  var table: String {
    let first = 32
    let width = 16
    let head = "".padded(first) + contenders.map { $0.rawValue.padded(width, left: true) }.joined()
    let lines = Hiccups.rows.map { row in
      row.name.padded(first)
        + contenders.map { (rounds[$0].map(row.text) ?? "–").padded(width, left: true) }.joined()
    }
    return ([head] + lines).joined(separator: "\n")
  }

  var verdicts: [Verdict] {
    guard let onair = rounds[.onair] else { return [] }
    let most = onair.framesUntilNormal.max() ?? .infinity
    return [
      Verdict(
        holds: onair.lost == 0,
        text: "frames that OnAir lost: \(onair.lost) of \(onair.frames), at most 0"),
      Verdict(
        holds: most <= 3,
        text: "frames captured after a hiccup until the delay is normal: \(most.text(0)), at most 3"
      ),
    ]
  }
}
