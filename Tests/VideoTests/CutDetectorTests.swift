// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Video

@Suite struct CutDetectorTests {
  /// What the detector says of each of some pictures.
  private func cuts(_ pictures: [(Int, Int) -> Int]) -> [Bool] {
    let size = PictureSize(width: 640, height: 360)
    let buffer = PlaneBuffer(size: size)
    var detector = CutDetector()
    return pictures.map { luma in
      unsafe buffer.planes().y.withMemoryRebound(to: UInt8.self, capacity: 1) { plane in
        for row in 0..<size.height {
          for column in 0..<size.width {
            unsafe plane[row * buffer.picture.yStride + column] = UInt8(clamping: luma(column, row))
          }
        }
      }
      return unsafe detector.isCut(buffer.picture)
    }
  }

  @Test func anotherSceneIsACut() {
    let (wall, stage): ((Int, Int) -> Int, (Int, Int) -> Int) = (
      { x, _ in 100 + x / 20 }, { x, y in (x * 7 + y * 13) % 256 }
    )
    #expect(
      cuts([wall, wall, wall, stage, stage, wall]) == [true, false, false, true, false, true])
  }

  /// A pan over a texture changes all points in each frame.
  @Test func motionIsNone() {
    let pan = (0..<30).map { frame in { (x: Int, y: Int) in ((x + frame * 9) * 7 + y * 13) % 256 } }
    #expect(!cuts(pan).dropFirst().contains(true))
  }

  @Test func lightThatChangesSlowlyIsNone() {
    let dawn = (0..<30).map { frame in { (x: Int, _: Int) in x / 4 + frame * 4 } }
    #expect(!cuts(dawn).dropFirst().contains(true))
  }

  /// A still picture begins to move: one cut at most.
  @Test func motionThatBeginsIsOneCutAtMost() {
    let begins = (0..<30).map { frame in
      { (x: Int, y: Int) in ((x + max(0, frame - 10) * 9) * 7 + y * 13) % 256 }
    }
    #expect(cuts(begins).dropFirst().count(where: \.self) <= 1)
  }
}
