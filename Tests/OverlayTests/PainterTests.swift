// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import TestSupport
import Testing
import Video

@testable import Overlay

/// Images and texts as planes.
@Suite struct PainterTests {
  static let picture = PictureSize(width: 1280, height: 720)

  static func target(
    _ width: Int, _ height: Int = 1_440, fit: Fit = .fit, colour: Colour = .jpeg
  ) -> LayerTarget {
    LayerTarget(
      size: PictureSize(width: width, height: height), fit: fit, picture: picture, colour: colour)
  }

  static func write(_ bytes: [UInt8], _ name: String = "a.png") throws -> String {
    let path = "\(stateDirectory())/\(name)"
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  private static func paint(_ bytes: [UInt8], _ target: LayerTarget) throws -> BlendPlanes {
    try ImagePainter(path: write(bytes), report: { _ in }).paint(target)
  }

  /// Luma and alpha at a place.
  private static func sample(_ planes: BlendPlanes, _ x: Int, _ y: Int) -> (UInt8, UInt8) {
    withExtendedLifetime(planes) {
      let picture = unsafe planes.picture
      let index = unsafe y * picture.planes.yStride + x
      return unsafe (picture.planes.y[index], picture.alpha?[index] ?? 255)
    }
  }

  /// An image keeps its shape, whatever is asked of its height.
  @Test(arguments: [
    (200, 1_440, Fit.fit, 200, 100), (200, 50, .fit, 100, 50), (200, 200, .stretch, 200, 200),
    (200, 200, .fill, 400, 200), (2, 1_440, .fit, 2, 2),
  ])
  func anImageKeepsItsShape(
    width: Int, height: Int, fit: Fit, across: Int, down: Int
  ) throws {
    let file = PNGFile(width: 80, height: 40).bytes(PNGFile.grey(100))
    let planes = try Self.paint(file, Self.target(width, height, fit: fit))
    #expect(planes.size == PictureSize(width: across, height: down))
    #expect(Self.sample(planes, 0, 0) == (100, 255))
  }

  /// What is hidden below transparent pixels never shows, at no size (a red edge around a green square on transparent red).
  @Test(arguments: [8, 16, 24, 30, 64, 130, 500]) func noHiddenColourShows(width: Int) throws {
    let file = PNGFile(width: 64, height: 64, colour: .rgba).bytes { x, y in
      (16..<48).contains(x) && (16..<48).contains(y) ? (0, 255, 0, 255) : (255, 0, 0, 0)
    }
    for isInterlaced in [false, true] {
      var made = PNGFile(width: 64, height: 64, colour: .rgba)
      made.isInterlaced = isInterlaced
      let bytes =
        isInterlaced
        ? made.bytes { x, y in
          (16..<48).contains(x) && (16..<48).contains(y) ? (0, 255, 0, 255) : (255, 0, 0, 0)
        } : file
      let planes = try Self.paint(bytes, Self.target(width))
      #expect(Self.sample(planes, 0, 0) == (0, 0))
      #expect(Self.sample(planes, width / 2, width / 2) == (150, 255))
      for x in 0..<planes.size.width {
        let (luma, alpha) = Self.sample(planes, x, planes.size.height / 2)
        // Green at any alpha: luma 150 of 255; red would be 76.
        #expect(abs(Double(luma) - Double(alpha) * 149.7 / 255) <= 1.5, "\(x): \(luma), \(alpha)")
      }
    }
  }

  /// EXIF tells where the corner at row 0, column 0 is in the upright image (CIPA DC-008, 4.6.4, Orientation).
  @Test(arguments: [
    (1, 0, 0), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 0, 0), (6, 1, 0), (7, 1, 1), (8, 0, 1),
  ])
  func aTurnedImageIsUpright(orientation: Int, right: Int, below: Int) throws {
    let chunks = [PNGFile.exif(UInt8(orientation))]
    let file = PNGFile(width: 40, height: 20, chunks: chunks).bytes { x, y in
      x < 20 && y < 10 ? (240, 240, 240, 255) : (10, 10, 10, 255)
    }
    let isTurned = orientation >= 5
    let planes = try Self.paint(file, Self.target(isTurned ? 20 : 40))
    #expect(planes.size == PictureSize(width: isTurned ? 20 : 40, height: isTurned ? 40 : 20))
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let luma = Self.sample(
        planes, planes.size.width * (1 + 2 * x) / 4, planes.size.height * (1 + 2 * y) / 4
      ).0
      #expect(luma == (x == right && y == below ? 240 : 10), "\(x), \(y)")
    }
  }

  @Test func aDamagedImageIsTold() throws {
    let told = Mutex<[OverlayTrouble?]>([])
    func paint(_ path: String) {
      _ = try? ImagePainter(path: path, report: { error in told.withLock { $0.append(error) } })
        .paint(Self.target(100))
    }
    paint("/nowhere/a.png")
    paint(try Self.write(Array("no image".utf8)))
    paint(try Self.write(PNGFile(width: 20, height: 20).bytes(PNGFile.grey(1)).dropLast(40)))
    paint(try Self.write(PNGFile(width: 20, height: 20).bytes(PNGFile.grey(1))))
    #expect(told.withLock { $0 } == [.image(.missing), .image(.notAnImage), .image(.broken), nil])
  }

  private static func layout(
    _ text: String, _ change: (inout TextStyle) -> Void = { _ in }, width: Int = 400
  ) throws -> PictureSize {
    var style = TextStyle(
      font: "DejaVu Sans", size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    change(&style)
    return try TextLayout(text, style, in: target(width)).size
  }

  @Test func aTextNeedsTheRoomOfItsLines() throws {
    let one = try Self.layout("Anna")
    #expect((40...140).contains(one.width) && (36...60).contains(one.height))
    let two = try Self.layout("Anna\nBernd")
    #expect(two.height > one.height * 3 / 2)
    let large = try Self.layout("Anna") { $0.size = 0.1 }
    #expect(abs(large.width - one.width * 2) < 12)
    let boxed = try Self.layout("Anna") { $0.box = OverlayColour(red: 0, green: 0, blue: 0) }
    #expect(boxed.width > one.width + 10)
    let long = String(repeating: "word ", count: 40)
    let wrapped = try Self.layout(long) { $0.wraps = true }
    #expect(wrapped.width <= 404 && wrapped.height > one.height * 5)
    #expect(try Self.layout(long).width <= Self.picture.width + 4, "never beyond the picture")
  }

  /// The second line may be smaller, and all after it.
  @Test func theSecondLineMayBeSmaller() throws {
    func height(_ text: String, _ share: Double = 0.5) throws -> Int {
      try Self.layout(text) { $0.secondSize = share }.height - 2
    }
    let one = try height("Anna")
    #expect(abs(try height("Anna\nBernd") - one * 3 / 2) <= 2)
    #expect(abs(try height("Anna\nBernd\nCarla") - one * 2) <= 3)
    #expect(abs(try height("Anna\nBernd", 1) - one * 2) <= 2)
  }

  /// The page draws a frame around lines of one height: letters that another font has make them no higher.
  @Test(arguments: ["Sans Bold", "DejaVu Serif"]) func allLinesAreAsHigh(font: String) throws {
    func height(_ text: String) throws -> Int {
      try Self.layout(text) {
        $0.font = font
        $0.secondSize = 0.5
      }.height
    }
    #expect(abs(try height("漢字") - height("Anna")) <= 1)
    #expect(abs(try height("漢字\n漢字") - height("Anna\nBernd")) <= 2)
    #expect(try height("Anna 漢字") - height("Anna") <= 4)
  }

  /// Letters of right-to-left scripts join: shaped, the word is narrower than its letters one by one.
  @Test func arabicIsShaped() throws {
    let word = try Self.layout("مرحبا").width
    let letters = try "مرحبا".map { try Self.layout("\($0)").width - 2 }.reduce(0, +)
    #expect(word < letters)
  }

  @Test func charactersWithoutAFontAreTold() throws {
    let told = Mutex<[OverlayTrouble?]>([])
    let style = TextStyle(
      font: "DejaVu Sans", size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    let words = CurrentText()
    let painter = TextPainter(words: words, style: style) { trouble in
      told.withLock { $0.append(trouble) }
    }
    for text in ["Anna", "\u{F8F0}\u{10FFFD}", "\u{12000}\u{12001} \u{13000}", " "] {
      #expect(words.set(text))
      #expect(!words.set(text))
      _ = try? painter.paint(Self.target(400))
    }
    #expect(
      told.withLock { $0 } == [
        nil, .missingCharacters(["signs"]),
        .missingCharacters(["Cuneiform", "Egyp"]),
      ], "an empty text is not drawn")
    for (character, script) in [
      ("ก", "Thai"), ("अ", "Devanagari"), ("漢", "Han"), ("한", "Hangul"), ("😀", "emoji"),
      ("★", "signs"),
    ] as [(Unicode.Scalar, String)] {
      #expect(TextLayout.script(of: character.value) == script)
    }
  }

  /// A clock does not tremble: each digit is as wide as the others.
  @Test func digitsHaveOneWidth() throws {
    let widths = try (0...9).map { try Self.layout("\($0)\($0):\($0)\($0)").width }
    #expect(Set(widths).count <= 2 && (widths.max() ?? 0) - (widths.min() ?? 0) <= 1, "\(widths)")
  }

  @Test(arguments: [
    String(repeating: "x", count: 10_000), "\u{202E}evil\u{202D}\u{2066}",
    "\u{0}\u{1}\u{7F}\u{FEFF}",
    String(repeating: "\n", count: 500), "<b>&amp;</i>",
    String(repeating: "\u{0301}", count: 2_000),
    "👩‍👩‍👧‍👦🏳️‍🌈", String(repeating: "ﷺ", count: 2_000),
  ])
  func anyTextIsDrawn(text: String) throws {
    let style = TextStyle(
      font: "no such font", size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    let words = CurrentText()
    let painter = TextPainter(words: words, style: style) { _ in }
    _ = words.set(
      TextTemplate(text).text(TextVariables(), wallClock: 0, now: MediaTime(nanos: 0)) { _ in "" })
    let planes = try? painter.paint(Self.target(400))
    if let planes { #expect(planes.size.width <= 1_280 && planes.size.height <= 720) }
  }
}
