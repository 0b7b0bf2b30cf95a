// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Box

/// Which sizes of the picture the page offers, and which one it recommends.
@Suite struct QualityTests {
  /// A box that encodes so many pixels a second.
  private func quality(line: Int? = nil, pixelsPerSecond: Double? = nil) -> Quality {
    Quality(lineKbps: line, audioKbps: 128) { size in
      pixelsPerSecond.map { $0 / Double(size.width * size.height) }
    }
  }

  private func recommended(_ quality: Quality) -> [String] {
    quality.choices.filter(\.recommended).map(\.size)
  }

  @Test func theLargestThatFitsIsRecommended() {
    let fast = 200e6
    #expect(recommended(quality()) == ["1280x720"], "nothing is known")
    #expect(recommended(quality(pixelsPerSecond: fast)) == ["1280x720"], "the line is not known")
    #expect(recommended(quality(line: 20_000)) == ["1920x1080"])
    #expect(recommended(quality(line: 20_000, pixelsPerSecond: fast)) == ["1920x1080"])
    #expect(recommended(quality(line: 20_000, pixelsPerSecond: 40e6)) == ["1280x720"])
    #expect(recommended(quality(line: 20_000, pixelsPerSecond: 20e6)) == ["960x540"])
    #expect(recommended(quality(line: 1_500, pixelsPerSecond: fast)) == ["640x360"])
    #expect(recommended(quality(line: 100, pixelsPerSecond: 1e6)) == [], "nothing fits")
    #expect(recommended(quality(line: 100)) == [], "the line is too slow for the smallest")
  }

  @Test func eachChoiceSaysWhatCarriesIt() {
    let choices = quality(line: 4_000, pixelsPerSecond: 40e6).choices
    #expect(choices.map(\.fitsLine) == [true, true, true, false])
    #expect(choices.map { ($0.encodesFps ?? 0) >= $0.fps } == [true, true, true, false])
    #expect(choices.map(\.kbps) == choices.map(\.kbps).sorted())
    #expect(quality().choices.allSatisfy { $0.encodesFps == nil && $0.fitsLine == nil })
  }
}
