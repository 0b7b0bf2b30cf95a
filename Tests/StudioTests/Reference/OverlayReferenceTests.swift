// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Overlay
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Studio
@testable import Video

/// The picture that goes to the encoder, beside one that ffmpeg composes of the same parts: each edge within one pixel, each
/// sample and the alpha within two levels, in each rotation, range and matrix. A rounded sample tells alpha only within more
/// than a level: alpha is measured as the mean of sixteen pixels.
@Suite(.serialized) struct OverlayReferenceTests {
  struct Case: CustomTestStringConvertible {
    var size: PictureSize
    var rotation: Rotation
    var colour: Colour

    var testDescription: String {
      "\(size), \(rotation), matrix \(colour.matrix), \(colour.fullRange ? "full" : "limited")"
    }
    /// The luma of black, and of white.
    var black: Double { colour.fullRange ? 0 : 16 }
    var white: Double { colour.fullRange ? 255 : 235 }
    /// As ffmpeg names them.
    var matrix: String { colour.matrix == 1 ? "bt709" : "bt601" }
    var range: String { colour.fullRange ? "pc" : "tv" }
    var turn: String {
      switch rotation {
      case .none: "null"
      case .quarter: "transpose=clock"
      case .half: "hflip,vflip"
      case .threeQuarters: "transpose=cclock"
      }
    }
    var cameraSize: PictureSize {
      rotation.swapsSides ? PictureSize(width: size.height, height: size.width) : size
    }

    /// How many levels of alpha two pictures differ by where white lies on the dark picture, in the mean of some pixels. The
    /// dark picture has a luma of at most 46 there.
    func alpha(of differences: [Double]) -> Double {
      abs(differences.reduce(0, +)) / Double(max(1, differences.count)) * 255 / (white - 46)
    }

    /// Turns the camera's picture and lays on it what a filter gives in RGBA. That lies on a transparent picture of the
    /// whole size, so that each position is possible.
    func filter(_ top: String, x: Int, y: Int) -> String {
      """
      [0]\(turn)[base];\
      \(top),pad=\(size.width):\(size.height):\(x):\(y):white@0,\
      scale=out_color_matrix=\(matrix):out_range=\(range)\
      :flags=accurate_rnd+full_chroma_int+full_chroma_inp,format=yuva420p10le[top];\
      [base][top]overlay=format=yuv420p10
      """
    }
  }

  static let colours: [Colour] = [
    .bt709, .webcam, .jpeg, Colour(fullRange: true, primaries: 1, transfer: 1, matrix: 1),
  ]
  /// All rotations and colours at the smallest size; of the larger sizes one of each, unless the counts are full.
  static let cases: [Case] = {
    let rotations: [Rotation] = [.none, .quarter, .half, .threeQuarters]
    let small = PictureSize(width: 640, height: 360)
    var all = rotations.flatMap { rotation in
      colours.map { Case(size: small, rotation: rotation, colour: $0) }
    }
    for (place, size) in [(854, 480), (960, 540), (1280, 720), (1920, 1080)].enumerated() {
      for index in 0..<4 where countsAreFull || index == place {
        all.append(
          Case(
            size: PictureSize(width: size.0, height: size.1), rotation: rotations[index],
            colour: colours[(index + size.0 / 64) % 4]))
      }
    }
    return all
  }()

  private static let bases = Mutex<[PictureSize: [UInt8]]>([:])

  /// A dark picture without edges, of which no part is like another.
  private static func base(_ size: PictureSize) -> [UInt8] {
    bases.withLock { bases in
      let base = bases[size] ?? made(size)
      bases[size] = base
      return base
    }
  }

  private static func made(_ size: PictureSize) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.width * size.height * 3 / 2)
    for y in 0..<size.height {
      for x in 0..<size.width {
        bytes.append(UInt8(20 + x * 20 / size.width + y * 10 / size.height))
      }
    }
    let (width, height) = (size.width / 2, size.height / 2)
    for y in 0..<height {
      for x in 0..<width { bytes.append(UInt8(110 + x * 20 / width + y * 10 / height)) }
    }
    for y in 0..<height {
      for x in 0..<width { bytes.append(UInt8(150 - x * 10 / width - y * 20 / height)) }
    }
    return bytes
  }

  /// What OnAir composes, once its painters have drawn everything.
  private func composed(
    _ one: Case, _ overrides: [String], _ shown: ShownLayers = ShownLayers()
  ) throws -> ReferencePicture {
    let settings = try Configuration.load(
      file: nil,
      overrides: ["video.source=pattern", "video.size=\(one.size)"] + overrides, environment: [:]
    ).settings
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let composer = VideoComposer(
      Layout(size: one.size, VideoLook(rotation: one.rotation), colour: one.colour),
      CompositionMaker(
        overlays: keeper, host: FilterHost { _, _ in }, guests: GuestLayers(GuestLines())
      ).composition(settings, shown))
    let bytes = Self.base(one.cameraSize)
    guard let blank = FramePool(count: 1, capacity: bytes.count).borrow() else {
      throw PictureError.malformed
    }
    unsafe blank.bytes.copyBytes(from: bytes)
    try composer.take(
      blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: one.cameraSize, colour: one.colour),
        capturedAt: MediaTime(nanos: 1)))
    let bare = unsafe ReferencePicture(composer.compose(at: MediaTime(nanos: 1)))
    var picture = bare
    #expect(
      eventually {
        picture = unsafe ReferencePicture(composer.compose(at: MediaTime(nanos: 2)))
        return picture.quarters != bare.quarters
      })
    return picture
  }

  // MARK: An image

  /// White around, and within that white and orange that are half transparent, more so at the upper left. It is twice as wide as
  /// high.
  private static func image(width: Int) -> [UInt8] {
    let (height, border) = (width / 2, width / 16)
    return PNGFile(width: width, height: height, colour: .rgba).bytes { x, y in
      let isBorder = x < border || y < border || x >= width - border || y >= height - border
      let alpha = isBorder ? 255 : 64 + (x + y) * 128 / (width + height)
      return isBorder || x < width / 2
        ? (255, 255, 255, UInt8(alpha)) : (255, 96, 0, UInt8(alpha))
    }
  }

  /// Also an image of another shape fills the picture.
  @Test func anImageIsBehindThePanes() throws {
    let white = PNGFile(width: 90, height: 90, colour: .rgba).bytes { _, _ in (255, 255, 255, 255) }
    // Its folder goes with it.
    let ffmpeg = try FFmpeg()
    defer { withExtendedLifetime(ffmpeg) {} }
    let path = try ffmpeg.write("back.png", white)
    var shown = ShownLayers()
    shown.guests.panes = [
      GuestScene.Pane(.host, LayerArea(x: 0.5, y: 0.25, width: 0.5, height: 0.5))
    ]
    let one = Self.cases[0]
    let picture = try composed(one, ["guests.background_image=\(path)"], shown)
    let (width, height) = (one.size.width, one.size.height)
    for (x, y) in [(0, 0), (width - 1, 0), (0, height - 1), (width / 4, height / 2)] {
      #expect(picture.luma(x, y) > 230, "\(x) \(y)")
    }
    #expect(picture.luma(width * 3 / 4, height / 2) < 100)
  }

  /// Without an image of the settings, or with one that cannot be read, it is the one that is built in.
  @Test(arguments: ["", "/nowhere/lost.png", "white"])
  func theStillOfALostCameraIsInItsPane(_ name: String) throws {
    let white = PNGFile(width: 160, height: 90, colour: .rgba).bytes { _, _ in (255, 255, 255, 255)
    }
    let ffmpeg = try FFmpeg()
    defer { withExtendedLifetime(ffmpeg) {} }
    let path = try name == "white" ? ffmpeg.write("lost.png", white) : name
    var shown = ShownLayers()
    shown.guests.lacksCamera = true
    shown.guests.panes = [
      GuestScene.Pane(.host, LayerArea(x: 0.5, y: 0.25, width: 0.5, height: 0.5))
    ]
    let one = Self.cases[0]
    let picture = try composed(one, ["slate.camera_image=\(path)"], shown)
    let (width, height) = (one.size.width, one.size.height)
    // Black is the background. The built-in image has a dark ground, which is not black, and no part of the camera.
    #expect(picture.luma(width / 4, height / 2) < 20)
    let ground = picture.luma(width * 9 / 16, height * 5 / 16)
    #expect(name == "white" ? ground > 230 : (21...80).contains(ground), "\(ground)")
  }

  @Test(arguments: cases) func anImageIsWhereAndAsFFmpegDrawsIt(one: Case) throws {
    let ffmpeg = try FFmpeg()
    // Small pictures get a larger image: both programs shrink it, each by a way of its own, which large pictures show.
    let shown = Int((0.3 * Double(one.size.width)).rounded())
    let path = try ffmpeg.write("logo.png", Self.image(width: one.size.width == 640 ? 640 : shown))
    let ours = try composed(
      one,
      [
        "overlay.logo.kind=image", "overlay.logo.file=\(path)", "overlay.logo.fade_ms=0",
        "overlay.logo.x=0.55", "overlay.logo.y=0.2", "overlay.logo.width=0.3",
      ])
    let (left, top) = (0.55 * Double(one.size.width), 0.2 * Double(one.size.height))
    let width = 0.3 * Double(one.size.width)
    let (right, bottom) = (left + width, top + width / 2)
    func whole(_ value: Double) -> Int { Int(value.rounded()) }
    let theirs = try ffmpeg.picture(
      of: Self.base(one.cameraSize), one.cameraSize, image: path,
      one.filter(
        "[1]format=rgba,scale=\(whole(width)):\(whole(width / 2)):flags=area",
        x: whole(left), y: whole(top)), is: one.size)

    // Its edges: half way between the picture and white.
    for picture in [ours, theirs] {
      let (middle, centre) = (whole((left + right) / 2), whole((top + bottom) / 2))
      let across = try #require(
        ReferencePicture.ends(0..<one.size.width) { picture.luma($0, centre) > 128 })
      let down = try #require(
        ReferencePicture.ends(0..<one.size.height) { picture.luma(middle, $0) > 128 })
      #expect(abs(Double(across.first) - left) <= 1 && abs(Double(across.last + 1) - right) <= 1)
      #expect(abs(Double(down.first) - top) <= 1 && abs(Double(down.last + 1) - bottom) <= 1)
    }

    // Pixels that are not next to an edge.
    let border = width / 16
    let verticals = [left, left + border, (left + right) / 2, right - border, right]
    let horizontals = [top, top + border, bottom - border, bottom]
    func isNear(_ value: Int, _ lines: [Double], _ distance: Double) -> Bool {
      lines.contains { abs(Double(value) + 0.5 - $0) <= distance }
    }
    let columns = (0..<one.size.width).filter { !isNear($0, verticals, 4) }
    var (worstColour, worstBase) = (0.0, 0.0)
    // Of large pictures each third pixel is enough, and each fourth where nothing is drawn.
    let step = one.size.width > 640 ? 3 : 1
    for y in 0..<one.size.height where !isNear(y, horizontals, 4) {
      let isInside = Double(y) > top && Double(y) < bottom
      if y % (isInside ? step : 4) != 0 { continue }
      for x in columns {
        let isOn = isInside && Double(x) > left && Double(x) < right
        if x % (isOn ? step : 4) != 0 { continue }
        let difference = abs(ours.luma(x, y) - theirs.luma(x, y))
        if !isOn {
          worstBase = max(worstBase, difference)
        } else {
          worstColour = max(worstColour, difference)
        }
        guard x % 2 == 0, y % 2 == 0 else { continue }
        for plane in [ReferencePicture.Plane.cb, .cr] {
          let difference = abs(
            ours.sample(plane, x / 2, y / 2) - theirs.sample(plane, x / 2, y / 2))
          if isOn {
            worstColour = max(worstColour, difference)
          } else {
            worstBase = max(worstBase, difference)
          }
        }
      }
    }
    #expect(worstBase == 0, "where nothing is drawn, the picture is the camera's")
    #expect(worstColour <= 2, "levels of luma and chroma")

    // Where both halves are white, a level of alpha is nearly one of luma.
    var worstAlpha = 0.0
    let whites = columns.filter { Double($0) > left && Double($0) < (left + right) / 2 - 8 }
    for y in stride(from: whole(top + border) + 4, to: whole(bottom - border) - 8, by: 4) {
      for x in whites where x % 4 == 0 && x + 4 < Int(left + right) / 2 - 8 {
        let differences = (0..<16).map {
          ours.luma(x + $0 % 4, y + $0 / 4) - theirs.luma(x + $0 % 4, y + $0 / 4)
        }
        worstAlpha = max(worstAlpha, one.alpha(of: differences))
      }
    }
    #expect(worstAlpha <= 2, "levels of alpha")
  }

  // MARK: A text in its box

  /// A box of each width, odd ones too, ends where the settings say, though that is at no whole pixel.
  @Test func aTextBoxTouchesTheEdgeToWhichItIsAligned() throws {
    let one = Case(size: PictureSize(width: 854, height: 480), rotation: .none, colour: .bt709)
    for text in ["H", "HI", "HII", "HIII", "HH", "HHI", "HHII", "HHH"] {
      for size in ["0.1", "0.0875"] {
        let picture = try composed(
          one,
          [
            "overlay.name.kind=text", "overlay.name.text=\(text)", "overlay.name.fade_ms=0",
            "overlay.name.anchor=bottom-right", "overlay.name.x=0.9", "overlay.name.y=0.8",
            "overlay.name.width=0", "overlay.name.size=\(size)", "overlay.name.colour=#ffffff",
            "overlay.name.font=DejaVu Sans", "overlay.name.box=#ffffff",
          ])
        let (right, bottom) = (0.9 * 854, 0.8 * 480)
        let across = try #require(
          ReferencePicture.ends(0..<854) { picture.luma($0, Int(bottom) - 8) > 128 })
        let down = try #require(
          ReferencePicture.ends(0..<480) { picture.luma(Int(right) - 8, $0) > 128 })
        #expect(abs(Double(across.last + 1) - right) <= 1, "\(text) \(size)")
        #expect(abs(Double(down.last + 1) - bottom) <= 1, "\(text) \(size)")
      }
    }
  }

  @Test(arguments: cases) func aTextBoxIsWhereAndAsFFmpegDrawsIt(one: Case) throws {
    let ffmpeg = try FFmpeg()
    let height = 0.1
    let ours = try composed(
      one,
      [
        "overlay.name.kind=text", "overlay.name.text=HHHH", "overlay.name.fade_ms=0",
        "overlay.name.anchor=bottom-right", "overlay.name.x=0.9", "overlay.name.y=0.8",
        "overlay.name.width=0", "overlay.name.size=\(height)", "overlay.name.colour=#000000",
        "overlay.name.font=DejaVu Sans", "overlay.name.box=#ffffffa0",
      ])
    let (right, bottom) = (0.9 * Double(one.size.width), 0.8 * Double(one.size.height))
    // Through the box's own border, beside the letters, which are a third of their size away from it.
    let inset = Int(height * Double(one.size.height) / 6)
    let (row, column) = (Int(bottom) - inset, Int(right) - inset)
    let bright = one.black + 80
    let across = try #require(
      ReferencePicture.ends(0..<one.size.width) { ours.luma($0, row) > bright })
    let down = try #require(
      ReferencePicture.ends(0..<one.size.height) { ours.luma(column, $0) > bright })
    #expect(abs(Double(across.last + 1) - right) <= 1 && abs(Double(down.last + 1) - bottom) <= 1)

    // ffmpeg draws a box of that size at the place of the settings, and the letters alone in black on white.
    let box = PictureSize(
      width: across.last + 1 - across.first, height: down.last + 1 - down.first)
    let (x, y) = (across.last + 1 - box.width, down.last + 1 - box.height)
    let theirs = try ffmpeg.picture(
      of: Self.base(one.cameraSize), one.cameraSize,
      one.filter(
        "color=white:s=\(box),format=rgba,colorchannelmixer=aa=\(Double(0xA0) / 255)", x: x, y: y),
      is: one.size)
    var worst = 0.0
    var differences: [Double] = []
    for place in (x + inset)..<(x + box.width - inset) {
      for line in [y + inset / 2, y + inset, row] {
        differences.append(ours.luma(place, line) - theirs.luma(place, line))
        worst = max(worst, abs(differences.last ?? 0))
      }
    }
    #expect(one.alpha(of: differences) <= 2, "levels of alpha")
    #expect(worst <= 2, "levels of luma")

    let letters = try ffmpeg.picture(
      of: Self.base(one.size), one.size,
      """
      drawbox=color=white:t=fill,drawtext=font=DejaVu Sans:text=HHHH\
      :fontsize=\(Int((height * Double(one.size.height)).rounded())):fontcolor=black:x=20:y=20
      """, is: one.size)
    func extent(
      _ picture: ReferencePicture, _ columns: Range<Int>, _ rows: Range<Int>, below limit: Double
    ) throws -> PictureSize {
      let across = try #require(
        ReferencePicture.ends(columns) { x in rows.contains { picture.luma(x, $0) < limit } })
      let down = try #require(
        ReferencePicture.ends(rows) { y in columns.contains { picture.luma($0, y) < limit } })
      return PictureSize(
        width: across.last + 1 - across.first, height: down.last + 1 - down.first)
    }
    let own = try extent(
      ours, (x + inset)..<(x + box.width - inset), (y + inset)..<(y + box.height - inset),
      below: bright)
    let other = try extent(letters, 0..<one.size.width, 0..<one.size.height, below: 125)
    #expect(abs(own.height - other.height) <= 1, "\(own), \(other)")
    // ffmpeg puts each letter at a whole pixel.
    #expect(abs(own.width - other.width) <= 4, "\(own), \(other)")
  }
}
