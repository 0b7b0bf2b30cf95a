// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Video

/// Images of all kinds that people have: the same pixels whatever their file looks like, or what kind it is.
struct StillKindsTests {
  private static func luma(_ bytes: [UInt8], _ x: Int = 0, _ y: Int = 0) throws -> Int {
    let still = try StillImage(bytes: bytes)
    let frame = still.frame(at: .distantPast)
    return Int(unsafe frame.bytes[y * frame.format.bytesPerRow + x])
  }

  private static let descriptions: [(name: String, chunks: [[UInt8]])] = [
    ("nothing", []), ("gAMA of sRGB", [PNGFile.gamma(45_455)]),
    ("gAMA of linear light", [PNGFile.gamma(100_000)]),
    ("sRGB", [PNGFile.chunk("sRGB", [0])]), ("iCCP", [PNGFile.profile]),
    ("gAMA and iCCP", [PNGFile.gamma(45_455), PNGFile.profile]),
  ]

  /// 16 bits per channel are not linear light: they are the same values in finer steps.
  @Test(arguments: PNGFile.Colour.allCases, [false, true])
  func depthDoesNotChangeAGrey(_ colour: PNGFile.Colour, isInterlaced: Bool) throws {
    for (name, chunks) in Self.descriptions {
      for value: UInt8 in [0, 17, 64, 128, 200, 255] {
        let lumas = try [8, 16].map { depth in
          try Self.luma(
            PNGFile(
              width: 6, height: 5, colour: colour, depth: depth, isInterlaced: isInterlaced,
              chunks: chunks
            ).bytes(PNGFile.grey(value)), 3, 3)
        }
        #expect(abs(lumas[0] - lumas[1]) <= 1, "\(name): \(value) is \(lumas)")
        // BT.601, limited range.
        let isLinear = name == "gAMA of linear light"
        let expected = 16 + Int((Double(value) * 219 / 255).rounded())
        if !isLinear { #expect(abs(lumas[1] - expected) <= 1, "\(name): \(value)") }
        if isLinear, value == 64 { #expect(lumas[1] > 110) }
      }
    }
  }

  @Test func anInterlacedImageIsTheSame() throws {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (3, 2), (8, 8), (13, 11)] {
      let pixel: (Int, Int) -> (UInt8, UInt8, UInt8, UInt8) = { x, y in
        (UInt8(x * 19), UInt8(y * 20), UInt8(x * y), UInt8(255 - x * 7))
      }
      var file = PNGFile(width: width, height: height, colour: .rgba)
      let plain = try StillImage(bytes: file.bytes(pixel)).frame(at: .distantPast)
      file.isInterlaced = true
      let interlaced = try StillImage(bytes: file.bytes(pixel)).frame(at: .distantPast)
      #expect(plain.format == interlaced.format)
      for index in unsafe 0..<plain.bytes.count {
        let difference = unsafe abs(Int(plain.bytes[index]) - Int(interlaced.bytes[index]))
        #expect(difference <= 2)
      }
    }
  }

  @Test(arguments: [false, true]) func aLargeInterlacedImageIsMadeSmaller(isWide: Bool) throws {
    let (width, height) = isWide ? (4_100, 9) : (9, 4_100)
    let bytes = PNGFile(
      width: width, height: height, colour: .greyAlpha, isInterlaced: true
    ).bytes { x, y in (isWide ? x : y) < 2_050 ? (255, 255, 255, 255) : (255, 255, 255, 0) }
    let still = try StillImage(bytes: bytes)
    #expect(
      still.size == PictureSize(width: isWide ? 2_050 : 5, height: isWide ? 5 : 2_050))
    #expect(try abs(Self.luma(bytes, isWide ? 1_000 : 2, isWide ? 2 : 1_000) - 235) <= 1)
    #expect(try Self.luma(bytes, isWide ? 1_030 : 2, isWide ? 2 : 1_030) == 16)
  }

  /// A pixel of the smaller image is the mean of those that it is made of, without their hidden colours.
  @Test(arguments: [false, true]) func pixelsAreAveraged(isInterlaced: Bool) throws {
    let bytes = PNGFile(
      width: 7_681, height: 3, colour: .greyAlpha, isInterlaced: isInterlaced
    ).bytes { x, y in (255, 0, 0, (x + y) % 2 == 0 ? 255 : 0) }
    let still = try StillImage(bytes: bytes)
    #expect(still.size == PictureSize(width: 1_921, height: 2))
    #expect(try abs(Self.luma(bytes, 900, 0) - 126) <= 2)
    #expect(try abs(Self.luma(bytes, 900, 1) - 126) <= 2, "one pixel high: doubled")
  }

  @Test(arguments: [(1, 1), (1, 7), (7, 1), (2, 1), (1, 2)])
  func aDotIsShown(width: Int, height: Int) throws {
    let bytes = PNGFile(width: width, height: height).bytes(PNGFile.grey(64))
    let still = try StillImage(bytes: bytes)
    let size = PictureSize(width: max(2, width), height: max(2, height))
    #expect(still.size == size)
    for y in 0..<size.height {
      for x in 0..<size.width { #expect(try abs(Self.luma(bytes, x, y) - 71) <= 1) }
    }
    let composer = VideoComposer(Layout(size: PictureSize(width: 32, height: 18)))
    try composer.take(still.frame(at: .distantPast))
  }

  @Test(arguments: 1...8 as ClosedRange<UInt8>, [false, true])
  func aPNGIsTurnedAsItsChunkSays(_ orientation: UInt8, isBehind: Bool) throws {
    // As `aPhotographIsShownUpright` has them.
    let turns: [(Rotation, Bool)] = [
      (.none, false), (.none, true), (.half, false), (.half, true), (.quarter, true),
      (.quarter, false), (.threeQuarters, true), (.threeQuarters, false),
    ]
    var file = PNGFile(width: 4, height: 2)
    if isBehind {
      file.laterChunks = [PNGFile.exif(orientation)]
    } else {
      file.chunks = [PNGFile.exif(orientation)]
    }
    let still = try StillImage(bytes: file.bytes(PNGFile.grey(9)))
    #expect((still.rotation, still.mirror) == turns[Int(orientation) - 1])
  }

  @Test func aChunkThatIsNoOrientationTurnsNothing() throws {
    let bodies: [[UInt8]] = [
      [], [0x49], Array(PNGFile.exif(9).dropFirst(8).dropLast(4)),
      [UInt8](repeating: 255, count: 40),
    ]
    for body in bodies {
      var file = PNGFile(width: 4, height: 2)
      file.chunks = [PNGFile.chunk("eXIf", body)]
      let still = try StillImage(bytes: file.bytes(PNGFile.grey(9)))
      #expect((still.rotation, still.mirror) == (.none, false))
    }
  }

  /// Print designers have four inks: Adobe's programs store their inverse.
  @Test func fourInksAreShown() throws {
    // Cyan, magenta, yellow, black; and how much red, green and blue that reflects.
    for (inks, light) in [
      ((0, 0, 0, 0), (255, 255, 255)), ((0, 255, 255, 0), (255, 0, 0)),
      ((255, 0, 255, 0), (0, 255, 0)), ((0, 0, 0, 255), (0, 0, 0)),
      ((0, 0, 0, 128), (127, 127, 127)), ((64, 64, 64, 64), (143, 143, 143)),
    ] as [((Int, Int, Int, Int), (Int, Int, Int))] {
      // The encoder takes what it stores.
      let bytes = JPEGFile.inks(255 - inks.0, 255 - inks.1, 255 - inks.2, 255 - inks.3)
      let (red, green, blue) = light
      let expected = 16 + (66 * red + 129 * green + 25 * blue + 128) / 256
      #expect(try abs(Self.luma(bytes, 8, 8) - expected) <= 4, "\(inks)")
    }
    // Without Adobe's marker they are stored as they are, and not as Y, Cb, Cr and black: 255, 128, 128 and 0.
    let plain = JPEGFile.withoutAdobe(JPEGFile.inks(0, 0, 0, 0))
    #expect(try abs(Self.luma(plain, 8, 8) - (16 + (129 * 127 + 25 * 127 + 128) / 256)) <= 4)
  }

  @Test func aWholeImageOfAnotherKindIsNotCalledDamaged() throws {
    let plain = JPEGFile.colour(16, 16)
    func patched(_ offset: Int, _ value: UInt8) -> [UInt8] {
      var bytes = plain
      let frame = bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 } ?? 0
      bytes[frame + offset] = value
      return bytes
    }
    for (bytes, kind) in [
      (patched(4, 12), .deepJPEG(bits: 12)), (patched(4, 16), .deepJPEG(bits: 16)),
      (patched(1, 0xC3), .losslessJPEG), (patched(1, 0xCB), .losslessJPEG),
      (patched(1, 0xF7), .losslessJPEG), (patched(1, 0xC5), .otherJPEG),
      (JPEGFile.twoChannels, .otherJPEG),
    ] as [([UInt8], UnfitKind)] {
      #expect(throws: StillError.unsupported(kind)) { try StillImage(bytes: bytes) }
      let sentence = StillError.unsupported(kind).sentence
      #expect(sentence.contains("save it as") && !sentence.contains("damaged"))
    }
    var apple = PNGFile(width: 4, height: 4)
    apple.chunks = [PNGFile.chunk("CgBI", [0x50, 0, 0x20, 6])]
    #expect(throws: StillError.unsupported(.otherPNG(chunk: "CgBI"))) {
      try StillImage(bytes: apple.bytes(PNGFile.grey(1)))
    }
    // What is not needed is left out.
    var odd = PNGFile(width: 4, height: 4)
    odd.chunks = [PNGFile.chunk("tEXt", [1]), PNGFile.chunk("xyZq", [1, 2, 3])]
    #expect(try Self.luma(odd.bytes(PNGFile.grey(255))) == 235)
  }

  @Test func arithmeticAndProgressiveImagesAreShown() throws {
    #expect(try abs(Self.luma(JPEGFile.arithmetic, 2, 4) - 188) <= 4)
    #expect(try abs(Self.luma(JPEGFile.arithmetic, 13, 4) - 67) <= 4)
    let progressive = JPEGFile.colour(40, 24, isProgressive: true)
    #expect(
      try abs(Self.luma(progressive, 20, 12) - Self.luma(JPEGFile.colour(40, 24), 20, 12)) <= 2)
    // A progressive image whose last scans are missing is whole in size, but not in detail.
    for image in [progressive, JPEGFile.arithmetic] {
      for count in stride(from: 30, to: image.count - 2, by: 3) {
        #expect(throws: (any Error).self) { try StillImage(bytes: Array(image.prefix(count))) }
      }
    }
  }

  /// Only what it is about is missing: an image without its end marker is whole.
  @Test func aMissingEndMarkerIsHarmless() throws {
    let whole = JPEGFile.colour(40, 24)
    #expect(try Self.luma(whole.dropLast(2), 20, 20) == Self.luma(whole, 20, 20))
    #expect(throws: StillError.broken) { try StillImage(bytes: whole.dropLast(6)) }
  }

  /// What states many pixels in few bytes takes little memory: see the test of the whole program's.
  @Test func anImageIsMadeSmallerUntilItFits() {
    func shrink(_ width: Int, _ height: Int, most: Int = .max) -> Int {
      RowShrinker.shrink(PictureSize(width: width, height: height), longest: 1_920, most: most)
    }
    #expect(shrink(1_920, 1_080) == 1)
    #expect(shrink(3_839, 3_839) == 1)
    #expect(shrink(3_840, 100) == 2)
    #expect(shrink(6_000, 4_000) == 2)
    #expect(shrink(32_768, 732) == 16)
    #expect(shrink(2_000, 2_000, most: 3_000_000) == 2)
  }

  /// A progressive image is kept as a whole while it is decoded.
  @Test func aProgressiveImageThatNeedsTooMuchMemoryIsRefused() throws {
    let large = JPEGFile.colour(6_000, 4_000, isProgressive: true)
    #expect(throws: StillError.tooManyPixels(PictureSize(width: 6_000, height: 4_000))) {
      try StillImage(bytes: large)
    }
    #expect(try StillImage(bytes: JPEGFile.colour(6_000, 4_000)).size.width == 3_000)
  }
}
