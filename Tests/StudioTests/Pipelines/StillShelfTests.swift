// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Settings
import Synchronization
import TestSupport
import Testing
import Video

@testable import Studio

@Suite struct StillShelfTests {
  /// Whatever slate.gop_seconds is: a larger keyframe would take seconds on such a link.
  @Test func keyframesForAPoorNetworkAreSmall() throws {
    let settings = try Configuration.load(
      file: nil, overrides: ["slate.gop_seconds=10", "video.size=640x360"]
    ).settings
    let shelf = StillShelf(settings) { _, _ in }
    shelf.start()
    defer { shelf.stop() }
    func still(_ picture: Plan.Video) -> Still? {
      _ = eventually { shelf.still(picture) != nil }
      return shelf.still(picture)
    }
    let poor = try #require(still(.poorNetworkStill))
    #expect(poor.gopNanos == .seconds(4))
    #expect(try unsafe Still.keyBytes(poor.picture, poor.format) <= 14_000)
    #expect(still(.pauseStill)?.gopNanos == .seconds(10))
  }

  private struct White: LayerPainter {
    func paint(_ target: LayerTarget) -> BlendPlanes {
      let bytes = [UInt8](repeating: 255, count: target.size.width * target.size.height * 4)
      return unsafe bytes.withUnsafeBytes { bytes in
        unsafe BlendPlanes(bgra: bytes, size: target.size, colour: target.colour)
      }
    }
  }

  /// Paints an area in a level that may change.
  private final class Level: LayerPainter {
    let level = Mutex(UInt8(255))

    func paint(_ target: LayerTarget) -> BlendPlanes {
      let level = level.withLock { $0 }
      let pixel: [UInt8] = [level, level, level, 255]
      let bytes = Array(repeating: pixel, count: target.size.width * target.size.height)
      return unsafe bytes.flatMap { $0 }.withUnsafeBytes { bytes in
        unsafe BlendPlanes(bgra: bytes, size: target.size, colour: target.colour)
      }
    }
  }

  /// A file on a still that was replaced is shown without another setting.
  @Test func stillsFollowWhatTheirLayersShow() throws {
    let settings = try Configuration.load(file: nil, overrides: ["video.size=640x360"]).settings
    let painter = Level()
    let source = PaintedSource(painter)
    var layer = Layer("level")
    layer.area = LayerArea(x: 0.75, y: 0.75, width: 0.25, height: 0.25)
    layer.onStills = true
    var composition = Composition()
    composition.add(layer, source)
    let shelf = StillShelf(settings, composition) { _, _ in }
    shelf.start()
    defer { shelf.stop() }
    func corner() -> UInt8? {
      shelf.still(.pauseStill).map { unsafe $0.picture.y[359 * $0.picture.yStride + 639] }
    }
    #expect(eventually { corner() == 235 })
    painter.level.withLock { $0 = 0 }
    source.repaint()
    #expect(eventually { corner() == 16 })
  }

  /// A still is prepared again when the layers that are drawn on stills change, and only then.
  @Test func stillsFollowTheirLayers() throws {
    let settings = try Configuration.load(file: nil, overrides: ["video.size=640x360"]).settings
    func composition(onStills: Bool) -> Composition {
      var layer = Layer("white")
      layer.area = LayerArea(x: 0.75, y: 0.75, width: 0.25, height: 0.25)
      layer.onStills = onStills
      var composition = Composition()
      composition.add(layer, PaintedSource(White()))
      return composition
    }
    func corner(_ still: Still?) -> UInt8? {
      still.map { unsafe $0.picture.y[359 * $0.picture.yStride + 639] }
    }
    let shelf = StillShelf(settings, composition(onStills: false)) { _, _ in }
    shelf.start()
    defer { shelf.stop() }
    try #require(eventually { shelf.still(.pauseStill) != nil })
    let bare = try #require(shelf.still(.pauseStill))
    #expect(try #require(corner(bare)) < 200)
    shelf.change(settings, composition(onStills: true))
    try #require(eventually { corner(shelf.still(.pauseStill)) == 235 })
    let drawn = shelf.still(.pauseStill)
    shelf.change(settings, Composition())
    try #require(eventually { shelf.still(.pauseStill) !== drawn })
    let again = shelf.still(.pauseStill)
    #expect(corner(again) == corner(bare))
    shelf.change(settings, composition(onStills: false))
    #expect(shelf.still(.pauseStill) === again)
  }
}
