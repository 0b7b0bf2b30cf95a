// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Video

/// What is composed of several layers.
@Suite struct LayerTests {
  typealias Planes = (y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]])
  static let size = PictureSize(width: 64, height: 36)

  /// Paints a grey area, and counts.
  private final class Grey: LayerPainter {
    struct Refusal: Error {}
    let level: UInt8
    let throwing: Bool
    let painted = Mutex<[LayerTarget]>([])

    init(_ level: UInt8, throwing: Bool = false) { (self.level, self.throwing) = (level, throwing) }

    func paint(_ target: LayerTarget) throws -> BlendPlanes {
      painted.withLock { $0.append(target) }
      if throwing { throw Refusal() }
      return LayerTests.grey(level, target)
    }
  }

  /// An opaque area of one level in full range.
  static func grey(_ level: UInt8, _ target: LayerTarget) -> BlendPlanes {
    let pixel: [UInt8] = [level, level, level, 255]
    let bytes = Array(repeating: pixel, count: target.size.width * target.size.height)
    return unsafe bytes.flatMap { $0 }.withUnsafeBytes { bytes in
      unsafe BlendPlanes(bgra: bytes, size: target.size, colour: target.colour)
    }
  }

  /// A frame of one luma level.
  static func frame(
    _ luma: UInt8, _ size: PictureSize = size, at time: MediaTime = MediaTime(nanos: 1),
    colour: Colour = .jpeg
  ) throws -> Frame {
    try frame(size, at: time, colour: colour) { _, _ in luma }
  }

  private static func frame(
    _ size: PictureSize, at time: MediaTime, colour: Colour = .jpeg, luma: (Int, Int) -> UInt8
  ) throws -> Frame {
    let count = size.width * size.height
    let lumas = (0..<count).map { luma($0 % size.width, $0 / size.width) }
    guard let blank = FramePool(count: 1, capacity: count * 3 / 2).borrow() else {
      throw PictureError.malformed
    }
    unsafe blank.bytes.copyBytes(
      from: lumas + [UInt8](repeating: 128, count: count / 2))
    return blank.finish(
      format: FrameFormat(pixelFormat: .i420, size: size, colour: colour), capturedAt: time)
  }

  private static func layer(_ name: String, _ area: LayerArea, z: Int = 1) -> Layer {
    var layer = Layer(name, z: z)
    layer.area = area
    return layer
  }

  private static let layout = Layout(size: size, colour: .jpeg)
  private static let right = LayerArea(x: 0.5, y: 0, width: 0.5, height: 1)
  private static let lower = LayerArea(x: 0, y: 0.5, width: 1, height: 0.5)

  private static func planes(_ composer: VideoComposer) -> Planes {
    unsafe VideoComposerTests.planes(composer.compose(at: MediaTime(nanos: 5)))
  }

  /// Whatever the size is: every edge is even, and areas that meet leave no gap and do not overlap.
  @Test func areasThatMeetLeaveNoGap() throws {
    for width in stride(from: 2, through: 1_920, by: 58) {
      for parts in 1...7 {
        var end = 0
        for part in 0..<parts where width >= 4 * parts {
          let area = LayerArea(
            x: Double(part) / Double(parts), y: 0, width: 1 / Double(parts), height: 1)
          let place = try #require(area.pixels(of: PictureSize(width: width, height: 90)))
          #expect(place.x == end && place.x % 2 == 0 && place.size.width % 2 == 0)
          #expect(place.y == 0 && place.size.height == 90)
          end = place.x + place.size.width
        }
        #expect(end == width || end == 0)
      }
    }
  }

  /// A higher layer covers a lower one, whichever was added first.
  @Test(arguments: [false, true]) func layersAreDrawnByTheirOrder(swapped: Bool) throws {
    let sources = [10, 200].map { level in
      FixedSource(
        Self.grey(level, LayerTarget(size: PictureSize(width: 64, height: 36), colour: .jpeg)))
    }
    var composition = Composition()
    let low = Self.layer("low", Self.right, z: 1)
    let high = Self.layer("high", Self.lower, z: 2)
    if swapped { composition.add(high, sources[1]) }
    composition.add(low, sources[0])
    if !swapped { composition.add(high, sources[1]) }
    #expect(composition.layers.map(\.name) == ["camera", "low", "high"])
    let composer = VideoComposer(Self.layout, composition)
    try composer.take(Self.frame(90))
    let y = Self.planes(composer).y
    #expect([y[0][0], y[0][40], y[30][0], y[30][40]] == [90, 10, 200, 200])
  }

  /// Without another layer, or with one that shows nothing, the frame of the camera itself is encoded.
  @Test func aLayerThatShowsNothingLeavesThePictureAsItIs() throws {
    let failing = PaintedSource(Grey(1, throwing: true))
    var composition = Composition()
    composition.add(Layer("failing"), failing)
    var disabled = Layer("disabled")
    disabled.isEnabled = false
    composition.add(
      disabled, FixedSource(Self.grey(3, LayerTarget(size: Self.size, colour: .jpeg))))
    var transparent = Layer("transparent")
    transparent.opacity = 0
    composition.add(
      transparent, FixedSource(Self.grey(3, LayerTarget(size: Self.size, colour: .jpeg))))
    composition.add(Layer("nothing", source: "of this name"))
    for area in [
      LayerArea(x: .nan, y: 0, width: 1, height: 1), LayerArea(x: 0, y: 0, width: 0, height: 1),
      LayerArea(x: 0, y: 0, width: .infinity, height: 1),
      LayerArea(x: 9, y: 0, width: 1, height: 1),
    ] {
      composition.add(Self.layer("\(area)", area), failing)
    }
    let composer = VideoComposer(Self.layout, composition)
    let frame = try Self.frame(90)
    let bytes = unsafe frame.bytes.baseAddress
    try composer.take(frame)
    for _ in 0..<20 {
      #expect(unsafe UnsafeRawPointer(composer.compose(at: .distantPast).y) == bytes)
      (MediaTime.now() + .milliseconds(1)).sleepUntil()
    }
  }

  /// A layer that comes or goes fades with the frames' times; the others are not touched, and nothing fades at the start.
  @Test func layersFade() throws {
    func composition(_ names: [String], opacity: Double = 1) -> Composition {
      var composition = Composition()
      for name in names {
        var layer = Self.layer(name, name == "right" ? Self.right : Self.lower)
        (layer.fadeNanos, layer.opacity) = (name == "right" ? 100 : 0, opacity)
        let target = LayerTarget(size: PictureSize(width: 64, height: 36), colour: .jpeg)
        composition.add(layer, FixedSource(Self.grey(name == "right" ? 250 : 0, target)))
      }
      return composition
    }
    let composer = VideoComposer(Self.layout, composition(["right"]))
    try composer.take(Self.frame(50))
    var time = MediaTime(nanos: 1_000)
    func levels(after nanos: Int64) -> [UInt8] {
      time = time + nanos
      let planes = unsafe VideoComposerTests.planes(composer.compose(at: time))
      return [planes.y[0][0], planes.y[0][40], planes.y[30][0]]
    }
    #expect(levels(after: 0) == [50, 250, 50])
    composer.change(composition([]))
    #expect(levels(after: 0) == [50, 250, 50])
    #expect(levels(after: 50) == [50, 150, 50])
    // It comes back from where it is, and one without a fade is there at once.
    composer.change(composition(["right", "lower"]))
    #expect(levels(after: 25) == [50, 200, 0])
    #expect(levels(after: 25) == [50, 250, 0])
    composer.change(composition(["right"], opacity: 0.5))
    #expect(levels(after: 33) == [50, 150, 50])
    composer.change(composition([]))
    #expect(levels(after: 50) == [50, 100, 50])
    #expect(levels(after: 49) == [50, 51, 50])
    #expect(levels(after: 2) == [50, 50, 50])
    // After a pause, which may last for hours, nothing of it is left.
    composer.change(composition(["right"]))
    #expect(levels(after: 1) == [50, 50, 50], "it begins when there is something to show")
    #expect(levels(after: 3_600_000_000_000) == [50, 250, 50])
  }

  /// Paints one level after another, each when it may.
  private final class Slow: LayerPainter {
    let level = Mutex(UInt8(10))
    let mayPaint = Atomic(true)

    func paint(_ target: LayerTarget) throws -> BlendPlanes {
      while !mayPaint.load(ordering: .acquiring) { (MediaTime.now() + 100_000).sleepUntil() }
      return LayerTests.grey(level.withLock { $0 }, target)
    }
  }

  /// What was painted before a pause is not seen after it, in no frame, however long the painter takes. Without a pause the
  /// old picture stays meanwhile.
  @Test(arguments: [false, true]) func nothingOldIsShownAfterAPause(isPaused: Bool) throws {
    let painter = Slow()
    let source = PaintedSource(painter)
    let target = LayerTarget(size: Self.size, colour: .jpeg)
    func level(_ time: Int64, since: Int64 = 0) -> UInt8? {
      unsafe source.picture(
        target, at: MediaTime(nanos: .milliseconds(time)),
        since: MediaTime(nanos: .milliseconds(since))
      ).map { unsafe $0.planes.y[0] }
    }
    #expect(eventually { level(0) == 10 })
    painter.mayPaint.store(false, ordering: .releasing)
    painter.level.withLock { $0 = 200 }
    source.repaint()
    let since: Int64 = isPaused ? 500 : 0
    for time in 0..<20 {
      #expect(level(510 + Int64(time) * 33, since: since) == (isPaused ? nil : 10))
    }
    painter.mayPaint.store(true, ordering: .releasing)
    #expect(eventually { level(1_200, since: since) == 200 })
    // A layer that was hidden for long, without another scene.
    painter.mayPaint.store(false, ordering: .releasing)
    source.repaint()
    for time in 0..<5 { #expect(level(9_000 + Int64(time), since: since) == nil) }
    painter.mayPaint.store(true, ordering: .releasing)
    #expect(eventually { level(9_010, since: since) == 200 })
  }

  /// While a layer is painted for another size of the programme, for another area or by another painter, what was there
  /// stays, in the size that it has to have. The painter may fail then: nothing is shown.
  @Test func whatWasPaintedStaysUntilItIsPaintedAgain() throws {
    let painter = Slow()
    let source = PaintedSource(painter)
    var time: Int64 = 0
    func shown(_ source: PaintedSource, _ target: LayerTarget) -> (PictureSize, [UInt8])? {
      time += 33
      return unsafe source.picture(
        target, at: MediaTime(nanos: .milliseconds(time)), since: MediaTime(nanos: 0)
      ).map {
        let (size, stride) = unsafe ($0.planes.size, $0.planes.yStride)
        let last = (size.height - 1) * stride + size.width - 1
        return unsafe (size, [$0.planes.y[0], $0.planes.y[last], $0.alpha?[last] ?? 0])
      }
    }
    let target = LayerTarget(size: Self.size, colour: .jpeg)
    #expect(eventually { shown(source, target) != nil })
    painter.mayPaint.store(false, ordering: .releasing)
    painter.level.withLock { $0 = 200 }
    let half = PictureSize(width: 32, height: 18)
    for (size, picture, seen) in [
      (half, half, half), (PictureSize(width: 16, height: 36), Self.size, Self.size),
      (PictureSize(width: 128, height: 72), PictureSize(width: 128, height: 72), nil),
      (half, PictureSize(width: 18, height: 32), PictureSize(width: 18, height: 10)),
    ] {
      let other = LayerTarget(size: size, picture: picture, colour: .jpeg)
      let (now, levels) = try #require(shown(source, other))
      #expect(now == seen ?? size && levels == [10, 10, 255])
    }
    // Of another painter, and another once more before the picture was asked for.
    let next = Slow()
    next.mayPaint.store(false, ordering: .releasing)
    let last = PaintedSource(next, after: PaintedSource(Slow(), after: source))
    #expect(shown(last, target)?.1 == [10, 10, 255])
    next.level.withLock { $0 = 90 }
    next.mayPaint.store(true, ordering: .releasing)
    painter.mayPaint.store(true, ordering: .releasing)
    #expect(eventually { shown(last, target)?.1 == [90, 90, 255] })
    #expect(shown(PaintedSource(Grey(1, throwing: true), after: last), target) != nil)
    let failing = PaintedSource(Grey(1, throwing: true), after: last)
    #expect(eventually { shown(failing, target) == nil })
  }

  /// A painter that has thrown is asked again when something else may have mended it, and only then.
  @Test func aPainterMayTryAgain() {
    let painter = Grey(1, throwing: true)
    let source = PaintedSource(painter)
    func count() -> Int {
      _ = unsafe source.picture(
        LayerTarget(size: Self.size, colour: .jpeg), at: MediaTime(nanos: 0), since: .distantPast)
      return painter.painted.withLock { $0.count }
    }
    #expect(eventually { count() == 1 })
    for _ in 0..<20 { #expect(count() == 1) }
    // The painting thread may not have kept that it has thrown yet.
    #expect(
      eventually {
        source.retry()
        return count() >= 2
      })
    #expect(source.stillVersion == 0)
  }

  /// What another painter has painted before a pause is not seen after it either.
  @Test func aPredecessorIsNotShownAfterAPause() throws {
    let source = PaintedSource(Slow())
    let target = LayerTarget(size: Self.size, colour: .jpeg)
    func isShown(_ source: PaintedSource, _ time: Int64, since: Int64 = 0) -> Bool {
      unsafe source.picture(
        target, at: MediaTime(nanos: .milliseconds(time)),
        since: MediaTime(nanos: .milliseconds(since))) != nil
    }
    #expect(eventually { isShown(source, 5) })
    let next = Slow()
    next.mayPaint.store(false, ordering: .releasing)
    defer { next.mayPaint.store(true, ordering: .releasing) }
    #expect(!isShown(PaintedSource(next, after: source), 40, since: 30))
    #expect(!isShown(PaintedSource(next, after: source), 2_000))
  }

  /// A layer that does not fill its area is at the side that its alignment says.
  @Test func aSmallLayerIsWhereItsAlignmentSays() throws {
    let small = LayerTarget(size: PictureSize(width: 8, height: 4), colour: .jpeg)
    for (across, left) in [(LayerAlignment.Side.start, 0), (.centre, 28), (.end, 56)] {
      for (down, top) in [(LayerAlignment.Side.start, 0), (.centre, 16), (.end, 32)] {
        var layer = Layer("small")
        layer.alignment = LayerAlignment(across, down)
        var composition = Composition()
        composition.add(layer, FixedSource(Self.grey(200, small)))
        let composer = VideoComposer(Self.layout, composition)
        try composer.take(Self.frame(50))
        let y = Self.planes(composer).y
        for (row, line) in y.enumerated() {
          for (column, luma) in line.enumerated() {
            let isIn = (left..<left + 8).contains(column) && (top..<top + 4).contains(row)
            #expect(luma == (isIn ? 200 : 50))
          }
        }
        // An area without a size of its own is tied to its point.
        let area = LayerArea(
          x: 0.5, y: 0.25, width: nil, height: 0.5, alignment: layer.alignment)
        #expect(area.x + area.width * across.anchorFraction == 0.5)
        #expect(area.y + area.height * down.anchorFraction == 0.25)
      }
    }
  }

  /// A layer is painted on another thread, once for each size and colour.
  @Test func aLayerIsPaintedOnceForASizeAndAColour() throws {
    let painter = Grey(200)
    var composition = Composition()
    composition.add(Self.layer("grey", Self.right), PaintedSource(painter))
    let composer = VideoComposer(Self.layout, composition)
    try composer.take(Self.frame(90))
    func isPainted(_ level: UInt8) -> Bool {
      eventually {
        let y = Self.planes(composer).y
        return y[0][0] == y[0][y[0].count / 2 - 1] && y[0][y[0].count / 2] == level
      }
    }
    #expect(isPainted(200))
    for _ in 0..<10 { _ = Self.planes(composer) }
    // Another place of the same size.
    composition = Composition()
    let moved = LayerArea(x: 0.25, y: 0, width: 0.5, height: 1)
    let source = PaintedSource(painter)
    composition.add(Self.layer("grey", moved), source)
    composer.change(composition)
    #expect(eventually { Self.planes(composer).y[0][16] == 200 })
    composition = Composition()
    composition.add(Self.layer("grey", Self.right), source)
    composer.change(composition)
    #expect(Self.planes(composer).y[0][63] == 200)
    composer.change(Layout(size: PictureSize(width: 32, height: 18), colour: .jpeg))
    #expect(isPainted(200))
    #expect(eventually { painter.painted.withLock { $0.count } == 3 })
    composer.change(Layout(size: PictureSize(width: 32, height: 18), colour: .bt709))
    #expect(isPainted(16 + 172))
    let half = PictureSize(width: 32, height: 36)
    #expect(
      painter.painted.withLock { $0 } == [
        LayerTarget(size: half, picture: Self.size, colour: .jpeg),
        LayerTarget(size: half, picture: Self.size, colour: .jpeg),
        LayerTarget(
          size: PictureSize(width: 16, height: 18), picture: PictureSize(width: 32, height: 18),
          colour: .jpeg),
        LayerTarget(
          size: PictureSize(width: 16, height: 18), picture: PictureSize(width: 32, height: 18),
          colour: .bt709),
      ])
  }

  /// What is cut off from a source is not shown: here its bright left half and its bright lower edge.
  @Test(arguments: [false, true]) func theCroppedFramesOfASecondSource(mirror: Bool) throws {
    let queue = FrameQueue()
    var composition = Composition(camera: nil)
    var whole = Self.layer("guest", .whole)
    whole.fit = .stretch
    let crop = Crop(left: mirror ? 0 : 0.45, top: 0, right: mirror ? 0.45 : 0, bottom: 0.25)
    composition.add(
      whole, FrameLayerSource(frames: queue, mirror: mirror, crop: crop, filters: SourceFilters()))
    let composer = VideoComposer(Self.layout, composition)
    let start = MediaTime(nanos: .seconds(50))
    let size = PictureSize(width: 80, height: 40)
    queue.put(
      try Self.frame(size, at: start) { x, y in x < 36 || y >= 30 ? 235 : 60 })
    let shown = unsafe VideoComposerTests.planes(composer.compose(at: start)).y
    #expect(shown.allSatisfy { $0.allSatisfy { $0 < 80 } })
  }

  /// A second camera in a corner: its frames come by a queue, in another size, format and colour, and are shown as those of
  /// the first are, until they are too old or from before a pause.
  @Test func theFramesOfASecondSource() throws {
    let queue = FrameQueue()
    var composition = Composition()
    var corner = Self.layer("guest", LayerArea(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
    composition.add(corner, FrameLayerSource(frames: queue, filters: SourceFilters()))
    let composer = VideoComposer(Self.layout, composition)
    let start = MediaTime(nanos: .seconds(50))
    try composer.take(Self.frame(90))
    func shown(_ x: Int, _ y: Int, at time: MediaTime = start, since: MediaTime = .distantPast)
      -> UInt8
    {
      unsafe VideoComposerTests.planes(composer.compose(at: time, since: since)).y[y][x]
    }
    #expect(shown(48, 27) == 90)
    // White of limited range in a square: 18 by 18 pixels in the middle of 32 by 18.
    queue.put(try Self.frame(16, PictureSize(width: 40, height: 40), at: start, colour: .bt709))
    queue.put(try Self.frame(235, PictureSize(width: 40, height: 40), at: start, colour: .bt709))
    #expect(shown(48, 27) >= 254 && queue.count == 0)
    #expect(shown(33, 27) == 90 && shown(62, 27) == 90 && shown(48, 17) == 90)
    #expect(shown(48, 27, at: start + .seconds(1)) >= 254)
    #expect(shown(48, 27, since: start + 1) == 90, "from before a pause")
    #expect(shown(48, 27) == 90, "it does not come back")
    queue.put(
      try Self.frame(235, PictureSize(width: 40, height: 40), at: start + 2, colour: .bt709))
    #expect(shown(48, 27, since: start + 1) >= 254)
    #expect(shown(48, 27, at: start + .seconds(3)) == 90, "too old")
    corner.fit = .fill
    composition = Composition()
    composition.add(corner, FrameLayerSource(frames: queue, filters: SourceFilters()))
    composer.change(composition)
    queue.put(
      try Self.frame(235, PictureSize(width: 40, height: 40), at: start + 3, colour: .bt709))
    #expect(shown(33, 27) >= 254 && shown(62, 19) >= 254)
    // An empty frame shows nothing, and nothing is lost.
    queue.put(
      unsafe Frame(
        format: FrameFormat(pixelFormat: .i420, size: Self.size, colour: .bt709),
        capturedAt: .distantPast, bytes: UnsafeRawBufferPointer(start: nil, count: 0),
        owner: FrameOwner(), slot: 0))
    #expect(shown(33, 27) >= 254)
  }

  /// The camera may be one pane among others, also below nothing and above something.
  @Test func theCameraAsAPane() throws {
    var camera = Self.layer(
      Composition.camera, LayerArea(x: 0.5, y: 0, width: 0.5, height: 0.5), z: 5)
    var composition = Composition(camera: camera)
    composition.add(
      Layer("ground"), FixedSource(Self.grey(40, LayerTarget(size: Self.size, colour: .jpeg))))
    let composer = VideoComposer(Self.layout, composition)
    try composer.take(Self.frame(90))
    var y = Self.planes(composer).y
    #expect([y[0][31], y[0][32], y[17][63], y[18][63]] == [40, 90, 90, 40])
    camera.isEnabled = false
    composer.change(Composition(camera: camera))
    y = Self.planes(composer).y
    #expect(y.joined().allSatisfy { $0 == 0 })
    composer.change(Composition())
    #expect(Self.planes(composer).y.joined().allSatisfy { $0 == 90 })
  }

  /// Stills have the layers that ask for it, and no camera.
  @Test func layersOnStills() throws {
    let (asked, other) = (Grey(200), Grey(50))
    var composition = Composition(camera: Layer(Composition.camera, z: 3))
    var onStills = Self.layer("asked", Self.right)
    onStills.onStills = true
    composition.add(onStills, PaintedSource(asked))
    composition.add(Self.layer("other", Self.lower), PaintedSource(other))
    var guest = Self.layer("guest", Self.lower)
    guest.onStills = true
    let queue = FrameQueue()
    queue.put(try Self.frame(7))
    composition.add(guest, FrameLayerSource(frames: queue, filters: SourceFilters()))
    var failing = Layer("failing")
    failing.onStills = true
    composition.add(failing, PaintedSource(Grey(1, throwing: true)))
    let drawn = composition.onStills.paintedForStill(size: Self.size, colour: .webcam)
    #expect(drawn.layers.map(\.name) == ["camera", "asked"] && drawn.hasLayers)
    let composer = VideoComposer(Layout(size: Self.size, colour: .webcam), drawn)
    try composer.take(Self.frame(90, colour: .webcam))
    let y = Self.planes(composer).y
    #expect([y[0][0], y[35][31], y[0][32], y[35][63]] == [90, 90, 188, 188])
    #expect(other.painted.withLock { $0 }.isEmpty)
    #expect(!Composition().onStills.paintedForStill(size: Self.size, colour: .webcam).hasLayers)
    #expect(composition.onStills == composition.onStills)
    #expect(composition.onStills != Composition().onStills)
  }
}
