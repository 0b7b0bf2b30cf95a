// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Video

struct PlacementTests {
  static func place(_ w: Int, _ h: Int, on cw: Int, _ ch: Int, _ fit: Fit) -> Placement {
    Placement(
      of: PictureSize(width: w, height: h), on: PictureSize(width: cw, height: ch), fit: fit)
  }

  static func rectangle(_ x: Int, _ y: Int, _ w: Int, _ h: Int) -> Rectangle {
    Rectangle(x: x, y: y, size: PictureSize(width: w, height: h))
  }

  @Test(arguments: Fit.allCases)
  func theSameShapeNeedsNoScaling(fit: Fit) {
    let placement = PlacementTests.place(1280, 720, on: 1280, 720, fit)
    #expect(placement.source == placement.target)
    #expect(!placement.scales)
  }

  @Test func aNarrowSourceGetsBarsAtTheSidesOrIsCropped() {
    let fit = PlacementTests.place(640, 480, on: 1280, 720, .fit)
    #expect(fit.target == PlacementTests.rectangle(160, 0, 960, 720))
    #expect(fit.source == PlacementTests.rectangle(0, 0, 640, 480))
    let fill = PlacementTests.place(640, 480, on: 1280, 720, .fill)
    #expect(fill.target == PlacementTests.rectangle(0, 0, 1280, 720))
    #expect(fill.source == PlacementTests.rectangle(0, 60, 640, 360))
    let stretch = PlacementTests.place(640, 480, on: 1280, 720, .stretch)
    #expect(stretch.source.size.height == 480 && stretch.target.size.width == 1280)
  }

  @Test func aWideSourceGetsBarsAboveAndBelow() {
    let fit = PlacementTests.place(1920, 800, on: 1280, 720, .fit)
    #expect(fit.target == PlacementTests.rectangle(0, 92, 1280, 534))
    let fill = PlacementTests.place(1920, 800, on: 1280, 720, .fill)
    #expect(fill.source == PlacementTests.rectangle(248, 0, 1422, 800))
  }

  @Test func edgesAreCutOffFirst() {
    let crop = Crop(left: 0.1, top: 0, right: 0.4, bottom: 0.25)
    let (source, canvas) = (
      PictureSize(width: 640, height: 480), PictureSize(width: 320, height: 180)
    )
    let stretched = Placement(of: source, crop, on: canvas, fit: .stretch)
    #expect(stretched.source == PlacementTests.rectangle(64, 0, 320, 360))
    let filled = Placement(of: source, crop, on: canvas, fit: .fill)
    #expect(filled.source == PlacementTests.rectangle(64, 90, 320, 180))
    let fitted = Placement(of: source, crop, on: canvas, fit: .fit)
    #expect(fitted.source == PlacementTests.rectangle(64, 0, 320, 360))
    #expect(fitted.target == PlacementTests.rectangle(80, 0, 160, 180))
  }

  @Test func everyRectangleIsEvenAndInside() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let source = PictureSize(
        width: .random(in: 2...4096, using: &random), height: .random(in: 2...4096, using: &random))
      let canvas = PictureSize(
        width: .random(in: 80...960, using: &random) * 2,
        height: .random(in: 45...540, using: &random) * 2)
      let crop = Crop(
        left: .random(in: 0...0.45, using: &random), top: .random(in: 0...0.45, using: &random),
        right: .random(in: 0...0.45, using: &random), bottom: .random(in: 0...0.45, using: &random))
      for fit in Fit.allCases {
        let placement = Placement(of: source, crop, on: canvas, fit: fit)
        for (inner, outer) in [(placement.source, source), (placement.target, canvas)] {
          #expect(inner.x >= 0 && inner.x + inner.size.width <= outer.width, "\(source) \(canvas)")
          #expect(inner.y >= 0 && inner.y + inner.size.height <= outer.height)
          #expect(inner.size.width >= 2 && inner.size.height >= 2)
          #expect((inner.x | inner.y | inner.size.width | inner.size.height) & 1 == 0)
        }
      }
    }
  }
}
