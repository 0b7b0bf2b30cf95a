// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Video

/// The fade from one arrangement of the camera and further sources to another.
@Suite struct CrossfadeTests {
  private static let size = PictureSize(width: 64, height: 36)
  private static let nanos = Int64.milliseconds(200)

  /// A composer of a camera of luma 100 and a guest of luma 200, and what is asked of it.
  private final class Stage {
    let composer = VideoComposer(Layout(size: size, colour: .jpeg))
    let frames = FrameQueue()
    lazy var guest = source()
    private(set) var now = MediaTime(nanos: Int64.seconds(10))

    init() throws {
      try composer.take(LayerTests.frame(100))
      _ = level(0)
    }

    let visibility = SourceVisibility()

    func source(mirror: Bool = false) -> FrameLayerSource {
      FrameLayerSource(
        frames: frames, mirror: mirror, filters: SourceFilters(), visibility: visibility)
    }

    func send() throws { frames.put(try LayerTests.frame(200, at: now)) }

    /// The guest fills the picture.
    func guestAlone(_ source: FrameLayerSource? = nil, nanos: Int64 = nanos) -> Composition {
      var new = Composition(camera: nil)
      new.crossfadeNanos = nanos
      new.add(Layer("guest", z: 0), source ?? guest)
      return new
    }

    func host(nanos: Int64 = nanos) -> Composition {
      var new = Composition()
      new.crossfadeNanos = nanos
      return new
    }

    /// The luma of the first pixel of the next frame.
    func level(_ milliseconds: Int64, since: MediaTime = .distantPast) -> UInt8 {
      now = now + .milliseconds(milliseconds)
      return unsafe composer.compose(at: now, since: since).y[0]
    }

    /// The levels of six frames, 40 ms from one to the next.
    func levels() -> [UInt8] { (0..<6).map { _ in level(40) } }
  }

  @Test func theOldArrangementFadesOut() throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone())
    #expect(stage.levels() == [120, 140, 160, 180, 200, 200])
    stage.composer.change(stage.host())
    #expect(stage.levels() == [180, 160, 140, 120, 100, 100])
  }

  @Test func aCutIsACut() throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone(nanos: 0))
    #expect(stage.level(40) == 200)
    stage.composer.change(stage.host(nanos: 0))
    #expect(stage.level(40) == 100)
  }

  /// A second change begins from what is seen, not from what would have been seen.
  @Test func aChangeWithinAFadeLeavesNoStep() throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone())
    #expect([stage.level(40), stage.level(40)] == [120, 140])
    stage.composer.change(stage.host())
    #expect(stage.levels() == [132, 124, 116, 108, 100, 100])
  }

  /// Overlays lie on both pictures, and come and go as they always do.
  @Test func overlaysStayAsTheyAre() throws {
    let stage = try Stage()
    try stage.send()
    let target = LayerTarget(size: Self.size, colour: .jpeg)
    var new = stage.guestAlone()
    new.add(Layer("overlay"), FixedSource(LayerTests.grey(50, target)))
    stage.composer.change(new)
    #expect(stage.level(40) == 50)
    stage.composer.change(stage.guestAlone())
    #expect(stage.level(40) == 140, "the fade goes on below the overlay")
  }

  // MARK: What is not to be seen any more is gone from the next frame on

  private enum Reason: CaseIterable {
    case hiddenBefore, hiddenMeanwhile, mirrored, filters, pause, forgotten, layout
  }

  @Test(arguments: Reason.allCases) private func nothingLingers(_ reason: Reason) throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone(nanos: 0))
    #expect(stage.level(40) == 200)
    if reason == .hiddenBefore { stage.visibility.hide(true) }
    var since = MediaTime.distantPast
    var new = stage.host()
    switch reason {
    case .mirrored:
      // The guest is still in the picture, and shown in another way.
      new.add(Layer("guest", z: 0), stage.source(mirror: true))
    case .filters: new.filters.mask = .everything
    default: break
    }
    stage.composer.change(new)
    switch reason {
    case .hiddenMeanwhile:
      #expect(stage.level(40) == 180)
      stage.visibility.hide(true)
    case .pause: since = stage.now
    case .forgotten:
      stage.composer.forget()
      try stage.composer.take(LayerTests.frame(100))
    case .layout:
      stage.composer.change(Layout(size: PictureSize(width: 32, height: 18), colour: .jpeg))
    default: break
    }
    let level = stage.level(40, since: since)
    #expect(level == (reason == .filters ? 0 : 100))
  }

  /// The arrangement is the same, but the guest in it is shown in another way, as with another crop.
  @Test func anotherLookEndsAFade() throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone(nanos: 0))
    #expect(stage.level(40) == 200)
    var corner = Layer("guest", z: 0)
    corner.area = LayerArea(x: 0.5, y: 0.5, width: 0.5, height: 0.5)
    func both(_ source: FrameLayerSource) -> Composition {
      var new = stage.host()
      new.add(corner, source)
      return new
    }
    stage.composer.change(both(stage.guest))
    #expect(stage.level(40) == 180)
    stage.composer.change(both(stage.source(mirror: true)))
    #expect(stage.level(40) == 100)
  }

  /// Only what was seen fades: of two changes between two frames, the first was never seen.
  @Test func aChangeThatNobodySawDoesNotFade() throws {
    let stage = try Stage()
    try stage.send()
    stage.composer.change(stage.guestAlone())
    stage.composer.change(stage.host())
    stage.composer.change(stage.guestAlone())
    #expect(stage.levels() == [120, 140, 160, 180, 200, 200])
  }
}
