// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import RateControl
import Testing

/// What a throughput means, and how it is said.
@Suite struct UplinkVerdictTests {
  let hd = PictureSize(width: 1280, height: 720)

  func verdict(_ kbps: Int, isUnlimited: Bool = false, asked: Int = 2_000) -> UplinkVerdict {
    UplinkVerdict(
      throughputKbps: kbps, isUnlimited: isUnlimited, audioKbps: 128, asked: (hd, asked),
      choices: [
        .init(size: hd, kbps: 2_000, mostKbps: 4_000),
        .init(size: PictureSize(width: 854, height: 480), kbps: 1_000, mostKbps: 2_000),
        .init(size: PictureSize(width: 640, height: 360), kbps: 800, mostKbps: 1_600),
      ])
  }

  @Test func roomToSpare() {
    let verdict = verdict(5_200)
    #expect(verdict.recommendedKbps == 3_700 && verdict.recommendedSize == hd)
    #expect(
      verdict.sentence
        == "The connection carries 5.2 Mbit/s. 1280x720 at 2000 kbit/s has room to spare.")
  }

  @Test func moreThanTheSizeCanUse() {
    let verdict = verdict(18_000, isUnlimited: true)
    #expect(verdict.recommendedKbps == 4_000 && verdict.throughputKbps == 18_000)
    #expect(verdict.sentence.hasPrefix("The connection carries at least 18.0 Mbit/s. "))
  }

  @Test func aSmallerSize() {
    let verdict = verdict(1_300)
    #expect(verdict.recommendedKbps == 800)
    #expect(
      verdict.sentence
        == "The connection carries 1.3 Mbit/s, which is too slow for 1280x720: use 640x360 at 800 kbit/s."
    )
  }

  @Test func aLowerRateOfTheSameSize() {
    let verdict = verdict(4_000, asked: 3_500)
    #expect(verdict.recommendedSize == hd && verdict.recommendedKbps == 2_800)
    #expect(verdict.sentence.hasSuffix("too slow for 3500 kbit/s: use 1280x720 at 2800 kbit/s."))
  }

  @Test(arguments: [0, 100, 300]) func tooSlowForAnything(kbps: Int) {
    let verdict = verdict(kbps)
    #expect(verdict.recommendedKbps == 100)
    #expect(verdict.recommendedSize == PictureSize(width: 640, height: 360))
    #expect(verdict.sentence.contains("\(kbps) kbit/s, which is too slow for a broadcast"))
  }

  /// A recommended rate is a hundred that leaves a quarter of the throughput free, whenever that is possible.
  @Test func leavesRoom() {
    for kbps in stride(from: 400, through: 20_000, by: 37) {
      let verdict = verdict(kbps)
      #expect(verdict.recommendedKbps.isMultiple(of: 100))
      #expect(verdict.recommendedKbps + 128 <= kbps * 3 / 4)
    }
  }
}
