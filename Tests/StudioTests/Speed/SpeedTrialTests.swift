// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import RateControl
import Testing

@testable import Studio

@Suite struct SpeedTrialTests {
  /// The order is that of any machine; how far apart they are is this one's.
  @Test func theDearestRungCostsSeveralTimesTheFirst() throws {
    let costs = try SpeedTrial.costs()
    #expect(costs.rungs.count == SpeedLadder.efforts.count)
    #expect(costs.rungs[0] == 1)
    #expect(costs.rungs[SpeedLadder.top] > 2)
    #expect(costs.rungs.allSatisfy { $0 > 0 })
    #expect((costs.nanosPerPixel ?? 0) > 0)
  }

  @Test func aStopEndsIt() {
    var frames = 0
    #expect(throws: SpeedTrial.FailedError.self) {
      try SpeedTrial.costs {
        frames += 1
        return frames > 5
      }
    }
    #expect(frames == 6)
  }

  /// Otherwise the encoder would have nothing to do.
  @Test func theSceneMovesAndComesBack() {
    let scene = TrialScene(PictureSize(width: 64, height: 32))
    var seen: Set<[UInt8]> = []
    for _ in 0..<2_000 {
      unsafe scene.next { picture in
        seen.insert(unsafe Array(UnsafeBufferPointer(start: picture.y, count: 64 * 32)))
      }
    }
    #expect(seen.count > 1_900)
  }
}
