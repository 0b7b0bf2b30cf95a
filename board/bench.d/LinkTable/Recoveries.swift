// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import LinkLab

/// Prints how OnAir returns to 90 % of the target after the capacity was low for a while, for each kind of content.
/// - Returns: whether it always took 5 s at most.
func printRecoveries() -> Bool {
  print(
    "\n4,000 kbit/s, then        queue  content       90 % after (median, most)   most behind   filler"
  )
  var holds = true
  for (kbps, lasting) in [(1_500.0, 15.0), (700, 15), (700, 60), (300, 15), (120, 20), (120, 90)] {
    for content in VirtualContent.allCases {
      let row = recovery(kbps, lasting, content)
      holds = holds && row.most <= 5
      print(
        padded("\(text(kbps, 0)) kbit/s for \(text(lasting, 0)) s", 23)
          + "  " + content.rawValue
          + padded(text(row.median, 1) + " s", 25 - content.rawValue.count)
          + padded(text(row.most, 1) + " s", 12) + padded(text(row.behind, 1) + " s", 14)
          + padded(text(row.filler * 100, 0) + " %", 9))
    }
  }
  return holds
}

private func recovery(
  _ kbps: Double, _ lasting: Double, _ content: VirtualContent
) -> (median: Double, most: Double, behind: Double, filler: Double) {
  var backs: [Double] = []
  var (behind, filler) = (0.0, 0.0)
  for (begin, roundTrip) in [(6.0, 0.005), (6, 0.04), (15, 0.005), (15, 0.04), (17.3, 0.02)] {
    for seed: UInt64 in 1...3 {
      let end = begin + lasting
      let trace = LinkTrace.dip(
        from: 4_000, to: kbps, after: begin, lasting: lasting, seconds: end + 30,
        queueBytes: 0.2 * 125 * kbps, roundTrip: roundTrip)
      var rule = OnAirRule(targetKbps: Int(target))
      let score = VirtualStream(
        trace: trace, targetKbps: target, content: content, keepsRecord: true
      ).run(&rule, seed: seed)
      let back = score.record.dropFirst(Int(end * 10)).firstIndex {
        $0.videoKbps >= 0.9 * target && !$0.isStill
      }
      backs.append(back.map { Double($0) / 10 - end } ?? 99)
      behind = max(behind, score.mostBehind(from: 1, to: end + 30))
      filler = max(filler, score.fillerShare)
    }
  }
  backs.sort()
  return (max(0, backs[backs.count / 2]), max(0, backs[backs.count - 1]), behind, filler)
}
