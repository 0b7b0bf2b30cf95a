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

/// What users of other programs complained of about pictures and texts on top, each as a test that is named after it. Those
/// that other suites have, or scripts:
///
/// - a watermark with dark or coloured edges: `PainterTests.noHiddenColourShows`
/// - colours of a PNG that are wrong, by matrix or range: `BlendTests.aDrawingHasTheColourOfThePicture` and
///   `OverlayReferenceTests.anImageIsWhereAndAsFFmpegDrawsIt`
/// - Arabic letters that are not joined: `PainterTests.arabicIsShaped`
/// - a text that flickers while its file is written: `OverlayKeeperTests.aTextFollowsItsFile`
/// - a clock that takes the processor: `LayerTests.aLayerIsPaintedOnceForASizeAndAColour` and `board/bench overlays`
/// - a palette PNG that ends the program: `StillImageTests.aPaletteIsApplied`
@Suite struct ComplaintTests {
  private static let white = OverlayColour(red: 255, green: 255, blue: 255)
  private static let small = PictureSize(width: 320, height: 180)

  private static func style(font: String = "DejaVu Sans", size: Double = 0.1) -> TextStyle {
    TextStyle(font: font, size: size, colour: white)
  }

  /// A text or an image, drawn at once as for a still.
  private static func drawn(
    _ content: OverlayContent, width: Int = 1_280, picture: PictureSize = PainterTests.picture,
    colour: Colour = .jpeg
  ) throws -> BlendPlanes {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let target = LayerTarget(
      size: PictureSize(width: width, height: picture.height), fit: .fit, picture: picture,
      colour: colour)
    return try #require(keeper.sources(["a": content])["a"]?.still(target))
  }

  /// The alpha of a drawing, row by row.
  private static func alpha(_ planes: BlendPlanes) -> [[UInt8]] {
    withExtendedLifetime(planes) {
      let picture = unsafe planes.picture
      guard let alpha = unsafe picture.alpha else { return [] }
      return (0..<planes.size.height).map { y in
        (0..<planes.size.width).map { unsafe alpha[y * picture.planes.yStride + $0] }
      }
    }
  }

  private static func ink(_ rows: [[UInt8]], _ columns: Range<Int>) -> Int {
    rows.reduce(0) { $0 + $1[columns].reduce(0) { $0 + Int($1) } }
  }

  // MARK: Sizes and rotations

  /// The luma of a picture without padding.
  private static func luma(_ picture: PlanarPicture) -> [UInt8] {
    let size = unsafe picture.size
    return (0..<size.height).flatMap { y in
      unsafe Array(
        UnsafeBufferPointer(start: picture.y + y * picture.yStride, count: size.width))
    }
  }

  /// Whether white is where a text and an image belong.
  private static func isDrawn(_ luma: [UInt8], _ size: PictureSize) -> Bool {
    let (width, height) = (size.width, size.height)
    let hasText = (height / 10..<height / 2).contains { y in
      luma[(y * width + width / 10)..<(y * width + width / 2)].contains { $0 > 150 }
    }
    return hasText && luma[height * 65 / 100 * width + width * 65 / 100] > 150
  }

  /// A text and an image on a dark picture, as a composer shows them that is told of layouts one after another.
  /// - Parameter wanted: what has to be seen at the end; `nil` for any drawing of both.
  private static func composed(
    _ layouts: [Layout], image: String, wanted: [UInt8]? = nil
  ) throws -> [UInt8] {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let sources = keeper.sources([
      "text": .text("Anna", style()), "image": .image(path: image),
    ])
    var composition = Composition()
    for (name, area) in [
      ("text", LayerArea(x: 0.1, y: 0.1, width: 0.4, height: 0.4)),
      ("image", LayerArea(x: 0.6, y: 0.6, width: 0.3, height: 0.3)),
    ] {
      var layer = Layer(name)
      (layer.area, layer.alignment) = (area, LayerAlignment(.start, .start))
      composition.add(layer, sources[name])
    }
    let composer = VideoComposer(try #require(layouts.first), composition)
    var time = MediaTime(nanos: 1)
    var bytes: [UInt8] = []
    for (index, layout) in layouts.enumerated() {
      composer.change(layout)
      let count = small.width * small.height * 3 / 2
      guard let blank = FramePool(count: 1, capacity: count).borrow() else { return [] }
      unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: 60)
      try composer.take(
        blank.finish(
          format: FrameFormat(pixelFormat: .i420, size: small, colour: layout.colour),
          capturedAt: time))
      let isLast = index == layouts.count - 1
      #expect(
        eventually {
          time = time + .milliseconds(33)
          bytes = unsafe luma(composer.compose(at: time))
          return isLast && wanted != nil ? bytes == wanted : isDrawn(bytes, layout.size)
        })
    }
    return bytes
  }

  private static func layouts() -> [Layout] {
    let wide = PictureSize(width: 1_280, height: 720)
    return [
      Layout(size: small, colour: .jpeg), Layout(size: wide, colour: .jpeg),
      Layout(size: PictureSize(width: 720, height: 1_280), colour: .jpeg),
      Layout(size: wide, VideoLook(rotation: .quarter), colour: .jpeg),
      Layout(size: wide, VideoLook(rotation: .half), colour: .jpeg),
      Layout(size: PictureSize(width: 854, height: 480), colour: .jpeg),
    ]
  }

  /// Complaints 1 and 2: after a change of the size or the rotation, an overlay is drawn anew for it, and not stretched or
  /// left where it was. Each picture is the same as that of a composer which had this layout from the beginning.
  @Test(arguments: 1..<6)
  func anOverlayIsSharpAndInItsPlaceAfterASizeChangeAndAfterARotation(index: Int) throws {
    let image = try PainterTests.write(
      PNGFile(width: 400, height: 200).bytes { x, y in
        x / 8 % 2 == y / 8 % 2 ? (255, 255, 255, 255) : (200, 200, 200, 255)
      })
    let (first, wanted) = (Self.layouts()[0], Self.layouts()[index])
    let fresh = try Self.composed([wanted], image: image)
    #expect(try Self.composed([first, wanted], image: image, wanted: fresh) == fresh)
  }

  // MARK: Colours

  /// Complaint 4: white at half alpha is half way to white, on any ground, and white on white.
  @Test(arguments: [UInt8(0), 60, 128, 255]) func whiteAtHalfAlphaIsNotGrey(ground: UInt8) throws {
    let path = try PainterTests.write(
      PNGFile(width: 8, height: 8, colour: .rgba).bytes { _, _ in (255, 255, 255, 128) })
    let planes = try Self.drawn(.image(path: path), width: 8)
    let expected = (Int(ground) * 127 + 255 * 128 + 127) / 255
    try withExtendedLifetime(planes) {
      let picture = unsafe planes.picture
      let alpha = unsafe Int(try #require(picture.alpha)[0])
      let shown = unsafe Int(picture.planes.y[0]) + (Int(ground) * (255 - alpha) + 127) / 255
      #expect(abs(shown - expected) <= 1 && alpha == 128)
    }
  }

  // MARK: Letters

  /// Complaint 6: the first letter of a right-to-left word is at the right. Shin has much more ink than yod.
  @Test func hebrewIsNotReversed() throws {
    func isHeavierAtTheLeft(_ word: String) throws -> Bool {
      let rows = Self.alpha(try Self.drawn(.text(word, Self.style())))
      let width = rows[0].count
      return Self.ink(rows, 0..<width / 2) > Self.ink(rows, width / 2..<width)
    }
    #expect(try isHeavierAtTheLeft("ייש"))
    #expect(try !isHeavierAtTheLeft("שיי"))
    // Numbers and Latin words within it keep their direction, so that it is as wide as its parts.
    let mixed = try Self.drawn(.text("שלום 12 abc", Self.style())).size.width
    let parts = try ["שלום ", "12 ", "abc"].map {
      try Self.drawn(.text($0, Self.style())).size.width
    }
    #expect(mixed <= parts.reduce(0, +))
  }

  /// Complaint 7: an emoji is drawn, or it is said that no font has it. It is never a silent box.
  @Test(arguments: ["☺", "😀", "👍🏽", "🏳️‍🌈"]) func anEmojiIsNoSilentBox(emoji: String) throws {
    let told = Told()
    let keeper = OverlayKeeper { name, trouble, isOver in
      if !isOver, trouble.field == "text" { told.note(name) }
    }
    defer { keeper.stop() }
    let target = PainterTests.target(1_280)
    let sources = keeper.sources([
      "emoji": .text(emoji, Self.style()), "none": .text("\u{10FFFD}", Self.style()),
    ])
    #expect(sources["none"]?.still(target) != nil)
    #expect(eventually { told.names.contains("none") })
    let planes = try #require(sources["emoji"]?.still(target))
    let hasInk = Self.alpha(planes).contains { $0.contains { $0 > 100 } }
    #expect(hasInk)
    // Where no font has it, as fontconfig says, the box that stands for it is told.
    #expect(try Self.hasFont(emoji) || eventually { told.names.contains("emoji") })
  }

  /// Whether each character is in some font.
  private static func hasFont(_ text: String) throws -> Bool {
    try text.unicodeScalars.allSatisfy { scalar in
      // Joiners and selectors have no glyph of their own.
      if scalar.properties.isDefaultIgnorableCodePoint { return true }
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["fc-list", ":charset=\(String(scalar.value, radix: 16))", "family"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let found = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return !found.isEmpty
    }
  }

  private final class Told: Sendable {
    private let list = Mutex<Set<String>>([])
    func note(_ name: String) { list.withLock { _ = $0.insert(name) } }
    var names: Set<String> { list.withLock { $0 } }
  }

  /// Complaints 8 and 13: after hundreds of other texts the first one still has all its letters, and none of the others is
  /// kept. `Tests/EndToEnd/27-overlays-live.sh` looks at the memory of the program.
  @Test func lettersAndMemoryStayAfterHundredsOfTexts() throws {
    let text = "Ångström ÄÖÜ ſß 0123456789"
    let first = Self.alpha(try Self.drawn(.text(text, Self.style())))
    let letters = Array("abcdefghijklmnopqrstuvwxyzäöüABCDEFGHIJKLMNOPQRSTUVWXYZжщюяαβγδ")
    var dice = SplitMix64(seed: 3)
    var kept: [Weak] = []
    for _ in 0..<300 {
      let other = String((0..<12).map { _ in letters.randomElement(using: &dice) ?? "x" })
      let size = Double.random(in: 0.01...0.04, using: &dice)
      kept.append(Weak(planes: try Self.drawn(.text(other, Self.style(size: size)))))
    }
    #expect(eventually { kept.allSatisfy { $0.planes == nil } })
    let again = Self.alpha(try Self.drawn(.text(text, Self.style())))
    #expect(first == again)
  }

  private struct Weak {
    weak var planes: BlendPlanes?
  }

  /// Complaint 9: in the place of a font that is not here one other is taken for all letters, not for some of them.
  @Test func aFontThatIsNotHereIsReplacedAsAWhole() throws {
    for text in ["Anna", "Анна", "Άννα", "0123", "Anna Анна Άννα"] {
      let missing = try Self.drawn(.text(text, Self.style(font: "No Such Font")))
      let fallback = try Self.drawn(.text(text, Self.style(font: "Sans")))
      #expect(Self.alpha(missing) == Self.alpha(fallback), "\(text)")
    }
  }

  /// Complaint 15: sixteen texts at once, and none too many.
  @Test func sixteenTextsAreDrawnAtOnce() throws {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let contents = (0..<16).reduce(into: [String: OverlayContent]()) {
      $0["text\($1)"] = .text("number \($1) {name}", Self.style())
    }
    keeper.update { $0.name = "box" }
    let sources = keeper.sources(contents)
    #expect(sources.count == 16)
    let target = PainterTests.target(1_280)
    #expect(
      eventually {
        sources.values.allSatisfy {
          unsafe $0.picture(target, at: MediaTime(nanos: 0), since: .distantPast) != nil
        }
      })
  }
}
