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

/// Sources that stay, and what makes them be painted again.
@Suite struct OverlayKeeperTests {
  private static let style = TextStyle(
    font: "DejaVu Sans", size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))

  /// The size of what a source shows once it is painted.
  private func size(_ source: any LayerSource, isNot old: PictureSize? = nil) -> PictureSize? {
    var size: PictureSize?
    let isPainted = eventually {
      unsafe size =
        source.picture(
          PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast)?.planes.size
      return size != nil && size != old
    }
    return isPainted ? size : nil
  }

  @Test func anOverlayKeepsItsSourceWhileItsContentStays() throws {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let one = OverlayContent.text("one", Self.style)
    let first = try #require(keeper.sources(["a": one])["a"])
    let second = keeper.sources(["a": one, "b": one])
    #expect(second["a"] === first && second["b"] !== first)
    #expect(keeper.sources(["a": .text("two", Self.style)])["a"] !== first)
    #expect(keeper.sources([:]).isEmpty)
  }

  /// The old text stays until the new one is painted.
  @Test func aTextFollowsItsVariables() throws {
    let keeper = OverlayKeeper()
    keeper.update { $0.name = "A" }
    let source = try #require(keeper.sources(["a": .text("{name}", Self.style)])["a"])
    let short = try #require(size(source))
    keeper.update { $0.name = "A much longer name" }
    let long = try #require(size(source, isNot: short))
    #expect(long.width > short.width)
  }

  /// What is emptied, removed or no text is not shown any more.
  @Test func aTextFollowsItsFile() throws {
    let path = try PainterTests.write(Array("Bach\n".utf8), "song.txt")
    let keeper = OverlayKeeper(folder: URL(filePath: path).deletingLastPathComponent().path)
    defer { keeper.stop() }
    let source = try #require(keeper.sources(["a": .text("{file:song.txt}", Self.style)])["a"])
    let short = try #require(size(source))
    for bytes: [UInt8]? in [[], [0xFF, 0xFE], [UInt8](repeating: 65, count: 9_000), nil] {
      if let bytes {
        try Data(bytes).write(to: URL(filePath: path))
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      #expect(isGone(source))
      try Data("Bach".utf8).write(to: URL(filePath: path), options: .atomic)
      #expect(size(source) == short)
    }
    try Data("Bach, Johann Sebastian".utf8).write(to: URL(filePath: path), options: .atomic)
    #expect((size(source, isNot: short)?.width ?? 0) > short.width)
  }

  /// A file that a text names and that cannot be shown is told, and its end.
  @Test func aFileThatATextNamesIsTold() throws {
    let told = Mutex<[String]>([])
    let path = try PainterTests.write([0xFF], "song.txt")
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let keeper = OverlayKeeper(folder: folder) { name, trouble, isOver in
      told.withLock { $0.append("\(name).\(trouble.field) \(isOver ? "over" : trouble.sentence)") }
    }
    defer { keeper.stop() }
    func isTold(_ texts: String...) -> Bool {
      eventually { told.withLock { told in texts.allSatisfy { told.contains($0) } } }
    }
    let text = OverlayContent.text("{file:song.txt}{file:score.txt}", Self.style)
    _ = keeper.sources(["a": text, "b": .text("{file:score.txt}", Self.style)])
    let missing =
      "names the text file \"score.txt\", which is not there: upload it, or write another name"
    #expect(
      isTold(
        "a.text names the text file \"song.txt\", which is not text in UTF-8: save it so",
        "b.text \(missing)"))
    try Data([UInt8](repeating: 65, count: 9_000)).write(to: URL(filePath: path))
    #expect(
      isTold("a.text names the text file \"song.txt\", which has more than 8000 bytes: shorten it"))
    try Data("Bach".utf8).write(to: URL(filePath: path))
    #expect(isTold("a.text \(missing)"))
    try Data("1:0".utf8).write(to: URL(filePath: "\(folder)/score.txt"))
    #expect(isTold("a.text over", "b.text over"))
  }

  /// An overlay whose settings change does not blink.
  @Test func whatWasShownStaysUntilTheNewIsPainted() throws {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let path = try PainterTests.write(PNGFile(width: 40, height: 20).bytes(PNGFile.grey(9)))
    var large = Self.style
    large.size = 0.2
    large.scroll = TextScroll(speed: 0.1, framesPerSecond: 30)
    var before: PictureSize?
    for content: OverlayContent in [
      .text("one", Self.style), .text("three", Self.style), .text("three", large),
      .image(path: path), .text("{time:%H:%M:%S}", Self.style), .text("{time}", Self.style),
    ] {
      let source = try #require(keeper.sources(["a": content])["a"])
      var now: PictureSize?
      var blinks = false
      #expect(
        eventually {
          let picture = unsafe source.picture(
            PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast)
          now = unsafe picture?.planes.size
          blinks = blinks || before != nil && now == nil
          return now != nil && now != before
        })
      #expect(!blinks, "\(content)")
      before = now
    }
  }

  private func isGone(_ source: any LayerSource) -> Bool {
    eventually {
      unsafe source.picture(
        PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast) == nil
    }
  }

  /// A text with variables would be old on a still.
  @Test func onlyWhatStaysTheSameIsOnStills() throws {
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let sources = keeper.sources([
      "fixed": .text("Anna", Self.style), "clock": .text("{time}", Self.style),
      "file": .text("{file:a}", Self.style),
    ])
    // At once: a still is prepared when the overlay comes.
    #expect(sources["fixed"]?.still(PainterTests.target(400)) != nil)
    #expect(sources["clock"]?.still(PainterTests.target(400)) == nil)
    #expect(sources["file"]?.still(PainterTests.target(400)) == nil)
  }

  @Test func anImageThatIsReplacedIsPaintedAgain() throws {
    let path = try PainterTests.write(PNGFile(width: 40, height: 20).bytes(PNGFile.grey(9)))
    let keeper = OverlayKeeper()
    let source = try #require(keeper.sources(["a": .image(path: path)])["a"])
    let wide = try #require(size(source))
    #expect(wide == PictureSize(width: 400, height: 200))
    let square = Data(PNGFile(width: 40, height: 40).bytes(PNGFile.grey(9)))
    try square.write(to: URL(filePath: path), options: .atomic)
    #expect(size(source, isNot: wide) == PictureSize(width: 400, height: 400))
  }

  /// A file that comes later than the overlay is shown.
  @Test func anImageThatComesLaterIsShown() throws {
    let path = try PainterTests.write([]) + ".later.png"
    let keeper = OverlayKeeper()
    defer { keeper.stop() }
    let source = try #require(keeper.sources(["a": .image(path: path)])["a"])
    (MediaTime.now() + .milliseconds(100)).sleepUntil()
    let bytes = PNGFile(width: 40, height: 20).bytes(PNGFile.grey(9))
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    #expect(size(source) == PictureSize(width: 400, height: 200))
  }

  /// A file may be read by the painter before the keeper has looked at it for the first time.
  @Test func anImageThatIsReplacedBeforeTheFirstCheckIsShown() throws {
    let path = try PainterTests.write([1, 2, 3])
    let hasFailed = Mutex(false)
    let keeper = OverlayKeeper { _, _, _ in hasFailed.withLock { $0 = true } }
    // Its thread ends at once, and the test checks in its place.
    keeper.stop()
    let source = try #require(keeper.sources(["a": .image(path: path)])["a"])
    #expect(
      eventually {
        unsafe _ = source.picture(
          PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast)
        return hasFailed.withLock { $0 }
      })
    let bytes = PNGFile(width: 40, height: 20).bytes(PNGFile.grey(9))
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    keeper.checkFiles()
    #expect(size(source) == PictureSize(width: 400, height: 200))
  }

  /// Each trouble is told once, and once that it is over: by a mended file, or because the overlay is gone.
  @Test func aTroubleIsToldOnceAndItsEnd() throws {
    let told = Mutex<[String]>([])
    let keeper = OverlayKeeper { name, trouble, isOver in
      told.withLock { $0.append("\(name).\(trouble.field) \(isOver ? "over" : trouble.sentence)") }
    }
    let path = try PainterTests.write([1, 2, 3])
    let contents: [String: OverlayContent] = [
      "a": .image(path: path), "b": .text("\u{10FFFD}", Self.style),
    ]
    let sources = keeper.sources(contents)
    func isTold(_ text: String) -> Bool {
      eventually {
        for source in sources.values {
          unsafe _ = source.picture(
            PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast)
        }
        return told.withLock { $0.contains { $0.hasPrefix(text) } }
      }
    }
    #expect(
      isTold("a.file is neither PNG nor JPEG")
        && isTold("b.text has characters that no font here has (signs)"))
    try Data(PNGFile(width: 4, height: 4).bytes(PNGFile.grey(9))).write(
      to: URL(filePath: path), options: .atomic)
    #expect(isTold("a.file over"))
    _ = keeper.sources(["a": .image(path: path)])
    #expect(isTold("b.text over"))
    #expect(told.withLock { $0.count } == 4)
  }
}
