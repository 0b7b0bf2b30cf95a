// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import LinkLab
import RateControl
import Testing

/// The way back to the full rate after the capacity was low for a while.
@Suite struct RecoveryTests {
  struct Dip: CustomTestStringConvertible {
    var kbps: Double
    var seconds: Double
    /// The most that any run may be behind.
    var behind: Double
    var testDescription: String { "\(kbps) kbit/s for \(seconds) s" }
  }

  static let dips = [
    Dip(kbps: 1_500, seconds: 15, behind: 1), Dip(kbps: 700, seconds: 15, behind: 1.5),
    Dip(kbps: 700, seconds: 60, behind: 1.5), Dip(kbps: 300, seconds: 15, behind: 1.5),
    Dip(kbps: 120, seconds: 20, behind: 4), Dip(kbps: 120, seconds: 90, behind: 4),
  ]

  /// 90 % of the rate again within 5 s, whatever the camera sees. Noise has no large keyframes that would show that
  /// the link has room, and a quiet scene uses little of a rate.
  @Test(arguments: VirtualContent.allCases, dips)
  func theRateReturnsWithinFiveSeconds(content: VirtualContent, dip: Dip) {
    for (begin, queueSeconds, roundTrip) in [
      (6.0, 0.05, 0.005), (15, 0.1, 0.04), (15, 0.2, 0.005), (17.3, 0.2, 0.04),
    ] {
      for seed: UInt64 in 1...3 {
        var rule = OnAirRule(targetKbps: 2_000)
        let end = begin + dip.seconds
        let trace = LinkTrace.dip(
          from: 4_000, to: dip.kbps, after: begin, lasting: dip.seconds, seconds: end + 15,
          queueBytes: queueSeconds * 125 * dip.kbps, roundTrip: roundTrip)
        let score = VirtualStream(
          trace: trace, targetKbps: 2_000, content: content, keepsRecord: true
        ).run(&rule, seed: seed)
        let back = score.record.dropFirst(Int(end * 10)).firstIndex {
          $0.videoKbps >= 0.9 * 2_000 && !$0.isStill
        }
        #expect(Double(back ?? .max) / 10 - end <= 5, "from \(begin) s, seed \(seed)")
        #expect(score.mostBehind(from: 1, to: end + 15) < dip.behind)
        // A quiet scene leaves most of the rate unused, and filler may take a part of it.
        let isQuiet = content != .lively && content != .noise
        #expect(score.fillerShare < (isQuiet ? 0.3 : 0.06))
      }
    }
  }

  /// A shaper that lets a burst of 48 kB pass misleads a probe, which must not add to the delay.
  @Test(arguments: VirtualContent.allCases)
  func aShaperWithABucketDoesNotMislead(content: VirtualContent) {
    var rule = OnAirRule(targetKbps: 2_000)
    var trace = LinkTrace.dip(
      from: 4_000, to: 700, after: 6, lasting: 60, seconds: 80, queueBytes: 17_000)
    trace.bucketBytes = 48_000
    let score = VirtualStream(
      trace: trace, targetKbps: 2_000, content: content, keepsRecord: true
    ).run(&rule, seed: 1)
    #expect(score.mostBehind(from: 1, to: 80) < 1.5)
    #expect(score.switches == 0)
  }
}
