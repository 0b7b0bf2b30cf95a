// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Video

/// The filters on a source's picture, and their chain.
@Suite struct FilterTests {
  private static let size = PictureSize(width: 64, height: 36)

  /// A picture whose samples come from a function of plane, column and row.
  private static func picture(
    _ size: PictureSize = size, _ sample: (_ plane: Int, _ x: Int, _ y: Int) -> Int
  ) -> PlaneBuffer {
    let buffer = PlaneBuffer(size: size)
    let out = unsafe buffer.planes()
    for y in 0..<size.height {
      for x in 0..<size.width {
        unsafe out.y[y * Int(out.yStride) + x] = UInt8(sample(0, x, y))
        let chroma = unsafe y / 2 * Int(out.chromaStride) + x / 2
        unsafe out.cb[chroma] = UInt8(sample(1, x / 2, y / 2))
        unsafe out.cr[chroma] = UInt8(sample(2, x / 2, y / 2))
      }
    }
    return buffer
  }

  /// All values of samples, and all neighbours.
  private static func varied(_ size: PictureSize = size) -> PlaneBuffer {
    picture(size) { plane, x, y in (x * 37 + y * 101 + plane * 59 + x * y * 7) % 256 }
  }

  private typealias Planes = (y: [[UInt8]], cb: [[UInt8]], cr: [[UInt8]])

  private static func apply(
    _ filter: any PictureFilter, to buffer: PlaneBuffer, colour: Colour = .bt709
  ) -> Planes {
    unsafe filter.apply(
      to: FilterFrame(
        planes: buffer.planes(), size: buffer.size, colour: colour,
        capturedAt: MediaTime(nanos: 1)))
    return unsafe VideoComposerTests.planes(buffer.picture)
  }

  private static func planes(_ buffer: PlaneBuffer) -> Planes {
    let planes = unsafe VideoComposerTests.planes(buffer.picture)
    withExtendedLifetime(buffer) {}
    return planes
  }

  private static func colour(_ set: (inout ColourFilterPlan) -> Void) -> ColourFilterPlan {
    var plan = ColourFilterPlan()
    set(&plan)
    return plan
  }

  // MARK: Neutral values

  @Test(arguments: [
    ColourFilterPlan() as any PictureFilterPlan, SharpenFilterPlan(sharpness: 0),
    SkinFilterPlan(white: 0, buffing: 0, ruddy: 0),
  ])
  func neutralValuesChangeNotOneByte(plan: any PictureFilterPlan) {
    let planes = Self.apply(plan.makeFilter(), to: Self.varied())
    #expect(planes == Self.planes(Self.varied()))
  }

  /// Each parameter leaves alone what it does not name.
  @Test func aParameterChangesItsPlanesAlone() {
    let before = Self.planes(Self.varied())
    let bright = Self.apply(Self.colour { $0.brightness = 10 }.makeFilter(), to: Self.varied())
    #expect(bright.cb == before.cb && bright.cr == before.cr && bright.y != before.y)
    let pale = Self.apply(Self.colour { $0.saturation = -50 }.makeFilter(), to: Self.varied())
    #expect(pale.y == before.y && pale.cb != before.cb && pale.cr != before.cr)
    let sharp = Self.apply(SharpenFilterPlan(sharpness: 50).makeFilter(), to: Self.varied())
    #expect(sharp.cb == before.cb && sharp.cr == before.cr && sharp.y != before.y)
  }

  // MARK: Colour

  @Test(arguments: [Colour.bt709, .jpeg]) func knownValues(colour: Colour) {
    func one(_ y: Int, _ cb: Int, _ cr: Int, _ set: (inout ColourFilterPlan) -> Void) -> [UInt8] {
      let buffer = Self.picture { plane, _, _ in [y, cb, cr][plane] }
      let planes = Self.apply(Self.colour(set).makeFilter(), to: buffer, colour: colour)
      #expect(Set(planes.y.joined()).count == 1)
      return [planes.y[35][63], planes.cb[17][31], planes.cr[17][31]]
    }
    let span = colour.fullRange ? 255.0 : 219
    let middle = colour.fullRange ? 128 : 126
    #expect(
      one(100, 90, 150) { $0.brightness = 20 } == [UInt8((100 + span / 10).rounded()), 90, 150])
    #expect(one(100, 90, 150) { $0.saturation = -100 } == [100, 128, 128])
    #expect(one(100, 90, 150) { $0.saturation = 50 } == [100, 71, 161])
    #expect(one(40, 90, 150) { $0.contrast = -100 }[0] == UInt8(middle))
    #expect(one(250, 128, 128) { $0.brightness = 100 }[0] == 255)
    // White balance keeps the luma of grey, and moves it towards red and away from blue.
    let warm = one(126, 128, 128) { $0.temperature = 50 }
    #expect(abs(Int(warm[0]) - 126) <= 1 && warm[1] < 122 && warm[2] > 130, "\(warm)")
    let green = one(126, 128, 128) { $0.tint = -50 }
    #expect(abs(Int(green[0]) - 126) <= 1 && green[1] < 126 && green[2] < 126, "\(green)")
    // Black has nothing that could be tinted.
    let black = colour.fullRange ? 0 : 16
    let dark = one(black, 128, 128) { $0.temperature = 100 }
    #expect(dark[0] == UInt8(black) && abs(Int(dark[1]) - 128) <= (colour.fullRange ? 0 : 3))
  }

  // MARK: Sharpen

  @Test(arguments: [PictureSize(width: 64, height: 36), PictureSize(width: 6, height: 2)])
  func sharpenFollowsItsFormula(size: PictureSize) {
    let source = Self.planes(Self.varied(size)).y
    let amount = 50 * 127 / 100
    let got = Self.apply(SharpenFilterPlan(sharpness: 50).makeFilter(), to: Self.varied(size)).y
    func at(_ x: Int, _ y: Int) -> Int {
      Int(source[max(0, min(size.height - 1, y))][max(0, min(size.width - 1, x))])
    }
    for y in 0..<size.height {
      for x in 0..<size.width {
        var sum = 0
        for (dy, weight) in [(-1, 1), (0, 2), (1, 1)] {
          sum += weight * (at(x - 1, y + dy) + 2 * at(x, y + dy) + at(x + 1, y + dy))
        }
        let detail = ((at(x, y) - (sum + 8) >> 4) * amount + 32) >> 6
        let expected = max(0, min(255, at(x, y) + detail))
        #expect(Int(got[y][x]) == expected, "\(x) \(y)")
      }
    }
  }

  @Test func aFlatPictureStaysFlat() {
    let flat = Self.picture { _, _, _ in 77 }
    #expect(
      Self.apply(SharpenFilterPlan(sharpness: 100).makeFilter(), to: flat)
        == Self.planes(flat))
  }

  // MARK: Skin

  /// Y', Cb and Cr in BT.709 of limited range.
  private static func ycc(_ red: Double, _ green: Double, _ blue: Double) -> [Int] {
    let pixel = SIMD4(blue, green, red, 255)
    let scale = YCbCrScale(.bt709)
    let (cb, cr) = scale.chroma(pixel)
    return [scale.luma(pixel), cb, cr].map { Int($0.rounded()) }
  }

  /// Grain on a colour; the left half is something else than skin.
  private static func grainy(_ skin: [Int], beside other: [Int], _ size: PictureSize) -> PlaneBuffer
  {
    picture(size) { plane, x, y in
      let width = plane == 0 ? size.width : size.width / 2
      let colour = x < width / 2 ? other : skin
      return colour[plane] + (plane == 0 ? (x * 7 + y * 13 + x * y) % 9 - 4 : 0)
    }
  }

  private static func grain(_ rows: [ArraySlice<UInt8>]) -> Double {
    let all = rows.joined().map(Double.init)
    let mean = all.reduce(0, +) / Double(all.count)
    return (all.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(all.count)).squareRoot()
  }

  /// Skin of several tones becomes softer, and grass, sky, blond hair and a grey wall keep each byte.
  @Test(arguments: [
    (243.0, 208.0, 180.0), (224, 172, 137), (198, 134, 96), (160, 100, 68), (110, 66, 44),
  ])
  func skinOfAllTonesBecomesSofter(red: Double, green: Double, blue: Double) {
    let size = PictureSize(width: 160, height: 96)
    for other in [Self.ycc(70, 140, 50), Self.ycc(110, 160, 220), Self.ycc(128, 128, 128)] {
      let skin = Self.ycc(red, green, blue)
      let before = Self.planes(Self.grainy(skin, beside: other, size))
      let after = Self.apply(
        SkinFilterPlan(white: 0, buffing: 60, ruddy: 40).makeFilter(),
        to: Self.grainy(skin, beside: other, size)
      )
      for y in 0..<96 { #expect(after.y[y][..<56] == before.y[y][..<56]) }
      for y in 0..<48 { #expect(after.cr[y][..<28] == before.cr[y][..<28]) }
      let (rough, smooth) = (
        Self.grain(before.y.map { $0[104...] }), Self.grain(after.y.map { $0[104...] })
      )
      #expect(smooth < rough * 0.6, "\(skin): \(rough) to \(smooth)")
      #expect(after.cr[24][70] > before.cr[24][70])
      #expect(after.cb[24][70] <= before.cb[24][70])
    }
  }

  @Test func whiteLiftsSkinAlone() {
    let size = PictureSize(width: 160, height: 96)
    let (skin, wall) = (Self.ycc(198, 134, 96), Self.ycc(128, 128, 128))
    let before = Self.planes(Self.grainy(skin, beside: wall, size))
    let after = Self.apply(
      SkinFilterPlan(white: 100, buffing: 0, ruddy: 0).makeFilter(),
      to: Self.grainy(skin, beside: wall, size)
    )
    #expect(after.y[40][120] > before.y[40][120] + 10 && after.y[40][120] < 235)
    #expect(after.y[40][..<56] == before.y[40][..<56])
    #expect(after.cb == before.cb && after.cr == before.cr)
  }

  /// Edges within skin stay: the step of luma between a lip and a cheek.
  @Test func edgesStay() {
    let size = PictureSize(width: 160, height: 96)
    let skin = Self.ycc(198, 134, 96)
    let edge = Self.picture(size) { plane, x, _ in
      plane == 0 ? (x < 80 ? skin[0] : skin[0] - 60) : skin[plane]
    }
    let after = Self.apply(
      SkinFilterPlan(white: 0, buffing: 100, ruddy: 0).makeFilter(), to: edge
    )
    #expect(Int(after.y[48][76]) - Int(after.y[48][84]) > 40)
  }

  /// Odd quarters and all sizes of dynamic resolution work; a size that changes in between, too.
  @Test func anySizeWorks() {
    let filter = SkinFilterPlan(white: 70, buffing: 40, ruddy: 40).makeFilter()
    for size in [(2, 2), (6, 4), (426, 240), (854, 480), (18, 2), (1280, 720), (64, 36)] {
      let size = PictureSize(width: size.0, height: size.1)
      let skin = Self.ycc(198, 134, 96)
      let planes = Self.apply(filter, to: Self.picture(size) { plane, _, _ in skin[plane] })
      let middle = Int(planes.y[size.height / 2][size.width / 2])
      #expect(middle > skin[0] && middle < 235, "\(size)")
    }
  }

  /// The mask follows slowly, so that it does not flicker, but not after a cut that `reset` tells of.
  @Test func theMaskFollowsSlowly() {
    let size = PictureSize(width: 64, height: 64)
    let (skin, wall) = (Self.ycc(198, 134, 96), Self.ycc(70, 140, 50))
    func red(_ filter: any PictureFilter, _ colour: [Int]) -> Int {
      let planes = Self.apply(filter, to: Self.picture(size) { plane, _, _ in colour[plane] })
      return Int(planes.cr[16][16]) - colour[2]
    }
    let filter = SkinFilterPlan(white: 0, buffing: 0, ruddy: 100).makeFilter()
    #expect(red(filter, wall) == 0)
    let rise = (0..<20).map { _ in red(filter, skin) }
    #expect(rise[0] > 0 && rise[0] <= 3 && rise == rise.sorted() && rise[19] >= 9, "\(rise)")
    filter.reset()
    #expect(red(filter, wall) == 0)
    filter.reset()
    #expect(red(filter, skin) >= 9)
  }

  // MARK: The chain

  /// Writes what it does into a list, and adds to luma.
  private final class Adder: PictureFilter {
    let name: String
    var plan: AdderPlan
    var resets = 0
    init(_ plan: AdderPlan) { (name, self.plan) = (plan.name, plan) }

    @unsafe func apply(to frame: FilterFrame) {
      unsafe frame.planes.y[0] = unsafe frame.planes.y[0] &* plan.factor &+ plan.addend
      plan.log.names.append(name)
      plan.log.sizes.append(unsafe frame.size)
    }

    func change(_ plan: any PictureFilterPlan) -> Bool {
      guard let plan = plan as? AdderPlan, plan.factor == self.plan.factor else { return false }
      self.plan = plan
      return true
    }

    func reset() { plan.log.names.append("reset \(name)") }
  }

  private final class Log: @unchecked Sendable {
    var names: [String] = []
    var sizes: [PictureSize] = []
    var made = 0
  }

  private struct AdderPlan: PictureFilterPlan {
    var name: String
    var factor: UInt8 = 1
    var addend: UInt8 = 0
    var log: Log

    func makeFilter() -> any PictureFilter {
      log.made += 1
      return Adder(self)
    }

    static func == (one: AdderPlan, other: AdderPlan) -> Bool {
      (one.name, one.factor, one.addend) == (other.name, other.factor, other.addend)
    }
  }

  private static func frame(_ format: PixelFormat = .i420) throws -> Frame {
    try VideoComposerTests.frame(VideoComposerTests.bytes(format), format)
  }

  private static func composition(_ plans: [AdderPlan]) -> Composition {
    var composition = Composition()
    composition.filters.steps = plans.map { PictureFilterStep($0.name, $0) }
    return composition
  }

  /// Filters work in the order of the list, live, and on a frozen frame without adding up.
  @Test(arguments: [PixelFormat.i420, .nv12]) func stepsFollowOneAnother(format: PixelFormat) throws
  {
    let log = Log()
    let (double, add) = (
      AdderPlan(name: "double", factor: 2, log: log), AdderPlan(name: "add", addend: 5, log: log)
    )
    let layout = Layout(size: VideoComposerTests.size)
    let composer = VideoComposer(layout, Self.composition([double, add]))
    func first() -> UInt8 { unsafe composer.compose(at: .distantPast).y[0] }
    try composer.take(Self.frame(format))
    #expect(first() == 5 && log.names == ["double", "add"])
    composer.change(Self.composition([add, double]))
    #expect(first() == 10)
    #expect(log.made == 2, "a filter that stays goes on")
    composer.change(Self.composition([AdderPlan(name: "add", addend: 7, log: log), double]))
    #expect(first() == 14 && log.made == 2)
    composer.change(Self.composition([AdderPlan(name: "add", factor: 3, log: log)]))
    #expect(first() == 0 && log.made == 3)
    composer.change(Composition())
    #expect(first() == 0)
    log.names = []
    composer.change(Self.composition([add]))
    composer.forget()
    #expect(log.names == ["add", "reset add"])
  }

  /// Filters get the placed picture without its bars, and bars stay black.
  @Test func barsAreNotFiltered() throws {
    let log = Log()
    let layout = Layout(size: PictureSize(width: 32, height: 8), VideoLook(fit: .fit))
    let composer = VideoComposer(
      layout, Self.composition([AdderPlan(name: "a", addend: 200, log: log)]))
    try composer.take(Self.frame())
    let planes = unsafe VideoComposerTests.planes(composer.compose(at: .distantPast))
    #expect(log.sizes == [PictureSize(width: 16, height: 8)])
    #expect(planes.y[0][..<8] == [UInt8](repeating: 16, count: 8)[...])
    #expect(planes.y[0][8] == 200)
    // Turned, but not scaled.
    composer.change(Layout(size: .init(width: 8, height: 16), VideoLook(rotation: .quarter)))
    #expect(log.sizes.last == PictureSize(width: 8, height: 16))
  }

  /// A new mask makes filters forget what they hold.
  @Test func aNewMaskResetsFilters() throws {
    let log = Log()
    let plan = AdderPlan(name: "a", log: log)
    let composer = VideoComposer(
      Layout(size: VideoComposerTests.size), Self.composition([plan]))
    try composer.take(Self.frame())
    log.names = []
    var masked = Self.composition([plan])
    masked.filters.mask = .everything
    composer.change(masked)
    #expect(log.names == ["reset a", "a"])
    #expect(unsafe composer.compose(at: .distantPast).y[1] == 16)
  }
}
