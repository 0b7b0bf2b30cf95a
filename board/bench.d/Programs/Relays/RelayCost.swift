// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// OnAir's processor time for each frame with four good relays, divided by that with none.
struct RelayCost: Encodable {
  /// One for each round.
  var ratios: [Double] = []
  var lost = 0

  static let limit = 1.08

  var verdicts: [Verdict] {
    let spread = Spread(ratios)
    return [
      Verdict(
        holds: spread.median <= RelayCost.limit,
        text: "CPU time with four relays divided by that with none: \(spread.median.text(3)) "
          + "[\(spread.least.text(3))–\(spread.most.text(3))], at most \(RelayCost.limit.text(2))"),
      Verdict(holds: lost == 0, text: "frames lost in those rounds: \(lost), at most 0"),
    ]
  }
}

extension Track {
  func relayCost(rounds: Int) throws -> RelayCost {
    let relays = try (0..<4).map { _ in try Server(.rtmp) }
    defer { for relay in relays { relay.end() } }
    var four = self
    four.others = relays.map(\.port)
    var cost = RelayCost()
    for turn in 0..<rounds {
      tell("cost, round \(turn + 1) of \(rounds)")
      // Each round starts with the other.
      let first = try (turn.isMultiple(of: 2) ? self : four).run(.onair)
      let second = try (turn.isMultiple(of: 2) ? four : self).run(.onair)
      let (none, all) = turn.isMultiple(of: 2) ? (first, second) : (second, first)
      cost.ratios.append(all.processorMs / none.processorMs)
      cost.lost += none.lost + all.lost
    }
    return cost
  }
}
