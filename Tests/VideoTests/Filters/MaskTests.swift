// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Video

/// The privacy mask, compared byte by byte: two frames that differ behind the mask alone must look the same in any case.
@Suite struct MaskTests {
  private static let mask = PrivacyMask.Region(
    x: 0.3, y: 0.2, width: 0.31, height: 0.42, .solid(red: 200, green: 30, blue: 90))

  /// Numbers that look random, and are the same in each run.
  private struct Noise: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
    }
  }

  /// A picture of noise. What is behind the mask is made of other noise than the rest.
  private static func bytes(
    _ format: PixelFormat, _ size: PictureSize, _ region: PrivacyMask.Region, rest: UInt64,
    hidden: UInt64
  ) -> [UInt8] {
    var (outside, inside) = (Noise(state: rest), Noise(state: hidden))
    func isHidden(_ x: Double, _ y: Double) -> Bool {
      x + 1 > region.x * Double(size.width) && x < (region.x + region.width) * Double(size.width)
        && y + 1 > region.y * Double(size.height)
        && y < (region.y + region.height) * Double(size.height)
    }
    func luma(_ x: Int, _ y: Int) -> UInt8 {
      let (other, own) = (UInt8(outside.next() >> 56), UInt8(inside.next() >> 56))
      return isHidden(Double(x), Double(y)) ? own : other
    }
    /// A sample of chroma counts as hidden if one of its pixels is.
    func chroma(_ x: Int, _ y: Int) -> UInt8 {
      let (other, own) = (UInt8(outside.next() >> 56), UInt8(inside.next() >> 56))
      let hides = [(0, 0), (0, 1), (1, 0), (1, 1)].contains { dx, dy in
        isHidden(Double(x * 2 + dx), Double(y * 2 + dy))
      }
      return hides ? own : other
    }
    let (w, h) = (size.width, size.height)
    let (cw, ch) = ((w + 1) / 2, (h + 1) / 2)
    var bytes: [UInt8] = []
    for y in 0..<h { bytes += (0..<w).map { luma($0, y) } }
    if format == .nv12 {
      for y in 0..<ch { bytes += (0..<cw).flatMap { [chroma($0, y), chroma($0, y)] } }
    } else {
      for _ in 0..<2 { for y in 0..<ch { bytes += (0..<cw).map { chroma($0, y) } } }
    }
    return bytes
  }

  private static func frame(
    _ format: PixelFormat, _ size: PictureSize, _ region: PrivacyMask.Region, rest: UInt64,
    hidden: UInt64, colour: Colour = .bt709
  ) throws -> Frame {
    try VideoComposerTests.frame(
      bytes(format, size, region, rest: rest, hidden: hidden), format, size: size, colour: colour)
  }

  private static func copy(_ picture: PlanarPicture) -> [[UInt8]] {
    let planes = unsafe VideoComposerTests.planes(picture)
    return planes.y + planes.cb + planes.cr
  }

  private static func composition(_ regions: [PrivacyMask.Region]) -> Composition {
    var composition = Composition()
    composition.filters.mask = PrivacyMask(regions)
    return composition
  }

  /// Each rotation, mirroring, fit, format, size and range: nothing behind the mask changes anything that is seen.
  @Test(arguments: [Rotation.none, .quarter, .half, .threeQuarters], [false, true])
  func nothingOfWhatIsBehindIsSeen(rotation: Rotation, mirror: Bool) throws {
    for (format, size) in [
      (PixelFormat.i420, PictureSize(width: 64, height: 36)), (.nv12, .init(width: 64, height: 36)),
      (.i420, .init(width: 65, height: 37)), (.i420, .init(width: 33, height: 71)),
      (.i420, .init(width: 130, height: 74)),
    ] {
      for (fit, colours) in [
        (Fit.fit, [Colour.bt709, .bt709]), (.fill, [.jpeg, .jpeg]), (.stretch, [.jpeg, .bt709]),
        (.fill, [.webcam, .bt709]),
      ] {
        let layout = Layout(
          size: PictureSize(width: 64, height: 36),
          VideoLook(rotation: rotation, mirror: mirror, fit: fit), colour: colours[1])
        let composer = VideoComposer(layout, Self.composition([Self.mask]))
        var pictures: [[[UInt8]]] = []
        for hidden: UInt64 in [1, 2] {
          try composer.take(
            Self.frame(format, size, Self.mask, rest: 7, hidden: hidden, colour: colours[0]))
          pictures.append(unsafe Self.copy(composer.compose(at: .distantPast)))
        }
        #expect(pictures[0] == pictures[1], "\(format) \(size) \(fit) \(colours[0])")
        // The frames do differ.
        let open = VideoComposer(layout)
        try open.take(Self.frame(format, size, Self.mask, rest: 7, hidden: 1, colour: colours[0]))
        let first = unsafe Self.copy(open.compose(at: .distantPast))
        try open.take(Self.frame(format, size, Self.mask, rest: 7, hidden: 2, colour: colours[0]))
        #expect(unsafe first != Self.copy(open.compose(at: .distantPast)))
      }
    }
  }

  /// A frame that is not scaled changes in the region alone, which has exactly the colour that was set.
  @Test(arguments: [Colour.bt709, .jpeg, .webcam]) func onlyTheRegionIsCovered(colour: Colour)
    throws
  {
    let size = PictureSize(width: 64, height: 36)
    let layout = Layout(size: size, colour: colour)
    func planes(_ regions: [PrivacyMask.Region]) throws -> (
      y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]]
    ) {
      let composer = VideoComposer(layout, Self.composition(regions))
      return try VideoComposerTests.planes(
        of: Self.frame(.i420, size, Self.mask, rest: 1, hidden: 2, colour: colour),
        through: composer)
    }
    let (open, covered) = (try planes([]), try planes([Self.mask]))
    // 0.3 * 64 = 19.2 to 0.61 * 64 = 39.04; 0.2 * 36 = 7.2 to 0.62 * 36 = 22.32.
    let (columns, rows) = (18..<40, 6..<24)
    let expected: SIMD3<UInt8> =
      switch colour {
      case .bt709: [77, 137, 200]
      case .jpeg: [88, 129, 208]
      default: [91, 129, 198]
      }
    for y in 0..<36 {
      for x in 0..<64 {
        let isCovered = columns.contains(x) && rows.contains(y)
        #expect(covered.y[y][x] == (isCovered ? expected.x : open.y[y][x]))
        #expect(covered.cb[y / 2][x / 2] == (isCovered ? expected.y : open.cb[y / 2][x / 2]))
        #expect(covered.cr[y / 2][x / 2] == (isCovered ? expected.z : open.cr[y / 2][x / 2]))
      }
    }
  }

  /// Blocks show the mean of at least a twelfth of the region's longer side each, and nothing else of what is in them.
  @Test func blocksShowMeansAlone() throws {
    let size = PictureSize(width: 256, height: 144)
    let region = PrivacyMask.Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5, .blocks)
    let area = region.area(in: size)
    #expect((area.x, area.y) == (64, 36) && area.size == PictureSize(width: 128, height: 72))
    let side = PrivacyMask.Region.blockSide(area.size, in: size)
    #expect(side == 12)
    func covered(_ turned: Bool) throws -> [[UInt8]] {
      let buffer = PlaneBuffer(size: size)
      buffer.blacken(fullRange: true)
      let planes = unsafe buffer.planes()
      for y in 36..<108 {
        for x in 64..<192 {
          // Within a block the samples are in another order.
          let (dx, dy) = ((x - 64) % side, (y - 36) % side)
          let last = (x - 64) / side >= 9 || (y - 36) / side >= 5
          let value = turned && !last ? (side - 1 - dx) * 9 + dy * 11 : dx * 9 + dy * 11
          unsafe planes.y[y * Int(planes.yStride) + x] = UInt8(min(255, value + y / 36))
        }
      }
      MaskPainter(PrivacyMask([region])).cover(buffer, colour: .jpeg)
      return unsafe Self.copy(buffer.picture)
    }
    let (one, other) = (try covered(false), try covered(true))
    #expect(one == other)
    for (y, x) in [(36, 64), (47, 75), (60, 100), (107, 191)] {
      #expect(Set([one[y][x], one[min(107, y)][x & ~1]]).count == 1)
    }
    #expect(Set(one[36][64..<76]).count == 1 && Set(one[36][180..<192]).count == 1)
    #expect(one[36][63] == 0 && one[35][64] == 0 && one[108][64] == 0 && one[36][192] == 0)
  }

  /// A small region has few blocks.
  @Test func noBlockIsFine() {
    let picture = PictureSize(width: 1280, height: 720)
    #expect(PrivacyMask.Region.blockSide(.init(width: 400, height: 300), in: picture) == 34)
    #expect(PrivacyMask.Region.blockSide(.init(width: 40, height: 20), in: picture) == 16)
    #expect(PrivacyMask.Region.blockSide(picture, in: picture) == 108)
  }

  /// A region that cannot be placed hides everything.
  @Test(arguments: [
    (Double.nan, 0.0, 0.5, 0.5), (0, .infinity, 0.5, 0.5), (0, 0, 0, 0.5), (0, 0, 0.5, -1),
    (1, 0, 0.5, 0.5), (0, 0, 5, 0.5), (-0.9, 0, 0.5, 0.5),
  ])
  func aRegionThatCannotBePlacedHidesAll(x: Double, y: Double, width: Double, height: Double) throws
  {
    let region = PrivacyMask.Region(x: x, y: y, width: width, height: height, .blocks)
    let size = PictureSize(width: 64, height: 36)
    let composer = VideoComposer(Layout(size: size), Self.composition([region]))
    let planes = try VideoComposerTests.planes(
      of: Self.frame(.i420, size, Self.mask, rest: 1, hidden: 2), through: composer)
    #expect(Set(planes.y.joined()) == [16] && Set((planes.cb + planes.cr).joined()) == [128])
  }

  /// A mask that is set while a frame is frozen covers that frame, and what was covered stays so without it.
  @Test(arguments: [PixelFormat.i420, .nv12]) func aFrozenFrameIsCovered(format: PixelFormat) throws
  {
    let size = PictureSize(width: 64, height: 36)
    let composer = VideoComposer(Layout(size: size))
    try composer.take(Self.frame(format, size, Self.mask, rest: 1, hidden: 2))
    let open = unsafe Self.copy(composer.compose(at: .distantPast))
    composer.change(Self.composition([Self.mask]))
    let covered = unsafe Self.copy(composer.compose(at: .distantPast))
    #expect(covered != open && covered[0] == open[0])
    #expect(Set(covered[10][20..<38]).count == 1)
    composer.change(Composition())
    #expect(unsafe Self.copy(composer.compose(at: .distantPast)) == covered)
    try composer.take(Self.frame(format, size, Self.mask, rest: 1, hidden: 2))
    #expect(unsafe Self.copy(composer.compose(at: .distantPast)) == open)
  }

  /// Without a mask and filters a frame is passed on in its own memory.
  @Test func withoutFiltersNothingIsCopied() throws {
    let size = PictureSize(width: 64, height: 36)
    let frame = try Self.frame(.i420, size, Self.mask, rest: 1, hidden: 2)
    let memory = unsafe frame.bytes.baseAddress
    let composer = VideoComposer(Layout(size: size))
    try composer.take(frame)
    #expect(unsafe UnsafeRawPointer(composer.compose(at: .distantPast).y) == memory)
  }

  /// The frames of a camera whose picture behind the mask is one of two.
  private struct Camera {
    private struct Key: Hashable {
      var format: PixelFormat
      var size: PictureSize
      var x: Double
      var hidden: Int
    }

    private var made: [Key: [UInt8]] = [:]

    mutating func frame(
      _ format: PixelFormat, _ size: PictureSize, _ region: PrivacyMask.Region, hidden: Int,
      _ colour: Colour
    ) throws -> Frame {
      let key = Key(format: format, size: size, x: region.x, hidden: hidden)
      let bytes =
        made[key]
        ?? MaskTests.bytes(format, size, region, rest: 3, hidden: UInt64(hidden) + 50)
      made[key] = bytes
      return try VideoComposerTests.frame(bytes, format, size: size, colour: colour)
    }
  }

  /// Thousands of frames, between which source, size, rotation, layout, layers and masks change, frames are damaged, and
  /// the picture is forgotten: at no time anything behind the mask is seen.
  @Test(arguments: 0..<4 as Range<UInt64>) func inEachOfThousandsOfFrames(seed: UInt64) throws {
    var noise = Noise(state: seed &* 977 &+ 5)
    func pick<Element>(_ choices: [Element]) -> Element {
      choices[Int(noise.next() >> 33) % choices.count]
    }
    let sizes = [(64, 36), (65, 37), (36, 64), (32, 18), (96, 54)].map {
      PictureSize(width: $0.0, height: $0.1)
    }
    let colours = [Colour.bt709, .jpeg, .webcam]
    let size0 = sizes[0]
    var (region, layout, camera) = (Self.mask, Layout(size: size0), Camera())
    // Both get the same frames but for what is behind the mask.
    let composers = (0..<2).map { _ in VideoComposer(layout, Self.composition([region])) }
    var (size, colour, format) = (size0, colours[0], PixelFormat.i420)
    var (differing, pictures) = (0, Set<[[UInt8]]>())
    for step in 0..<1_500 {
      switch noise.next() >> 60 {
      case 0: size = pick(sizes)
      case 1: layout.size = pick([size0, sizes[3], sizes[4], PictureSize(width: 36, height: 64)])
      case 2: layout.look.rotation = pick([.none, .quarter, .half, .threeQuarters])
      case 3: layout.look.mirror.toggle()
      case 4: layout.look.fit = pick([.fit, .fill, .stretch])
      case 5: (colour, layout.colour) = (pick(colours), pick(colours))
      case 6: format = pick([.i420, .nv12])
      case 7: for composer in composers { composer.forget() }
      case 8: for composer in composers { composer.releaseFrame() }
      case 9, 10:
        region.x = pick([0, 0.1, 0.3, 0.5])
        region.cover = pick([.black, .solid(red: 1, green: 99, blue: 200)])
        var layer = Layer(Composition.camera, z: 0)
        layer.area.width = pick([0.5, 1])
        var other = Composition(camera: layer)
        other.filters.mask = PrivacyMask([region])
        if pick([true, false]) {
          other.filters.steps = [PictureFilterStep("s", SharpenFilterPlan(sharpness: 50))]
        }
        for composer in composers { composer.change(other) }
      default: break
      }
      let isBroken = noise.next() >> 60 == 0
      let possible = size.width % 2 == 0 ? format : .i420
      var both: [[[UInt8]]] = []
      for (index, composer) in composers.enumerated() {
        composer.change(layout)
        if isBroken {
          do {
            try composer.take(
              VideoComposerTests.frame(
                [UInt8](repeating: UInt8(index), count: 9), .mjpeg, size: size))
            Issue.record("a damaged frame was taken")
          } catch {}
        } else {
          try composer.take(camera.frame(possible, size, region, hidden: index, colour))
        }
        both.append(unsafe Self.copy(composer.compose(at: MediaTime(nanos: Int64(step)))))
      }
      if both[0] != both[1] { differing += 1 }
      pictures.insert(both[0])
    }
    #expect(differing == 0)
    #expect(pictures.count > 100, "the pictures are not all the same for another reason")
  }
}
