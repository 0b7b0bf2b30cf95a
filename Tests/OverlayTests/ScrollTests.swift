// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing
import Video

@testable import Overlay

/// Lines of text that move.
@Suite struct ScrollTests {
  private static func style(_ speed: Double, box: Bool = true) -> (TextStyle, TextScroll) {
    var style = TextStyle(
      font: "DejaVu Sans", size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    if box { style.box = OverlayColour(red: 0, green: 0, blue: 0) }
    return (style, TextScroll(speed: speed, framesPerSecond: 30))
  }

  private static func painter(_ text: String, speed: Double = 0.1) -> (CurrentText, ScrollPainter) {
    let words = CurrentText()
    _ = words.set(text)
    let (style, scroll) = style(speed)
    return (words, ScrollPainter(words, style, scroll) { _ in })
  }

  /// The columns with letters, of which the window shows so many pixels in a row.
  private static func columns(_ text: ScrollingText, at nanos: Int64) -> [Int] {
    withExtendedLifetime(text) {
      let planes = unsafe text.picture(at: nanos).planes
      let (size, stride) = unsafe (planes.size, planes.yStride)
      return (0..<size.width).filter { x in
        (0..<size.height).contains { y in unsafe planes.y[y * stride + x] > 128 }
      }
    }
  }

  /// At every speed: whole even steps, the same in each frame, or in each second, third and so on; whatever the camera's
  /// timestamps tremble by, and also after frames that were dropped. Never further off the speed than a step a frame allows.
  @Test(arguments: [0.01, 0.03, 0.05, 0.1, 0.137, 0.25, 0.5, 1.0], [25, 30, 50, 60])
  func itMovesEvenly(speed: Double, rate: Int) {
    let steps = ScrollSteps(TextScroll(speed: -speed, framesPerSecond: rate), width: 1_280)
    var random = SplitMix64(seed: 3)
    var distances: [Int] = []
    for frame in 0..<Int64(rate * 20) {
      let tremor = Int64.random(in: -3_000_000...3_000_000, using: &random)
      distances.append(steps.distance(at: max(0, frame * 1_000_000_000 / Int64(rate) + tremor)))
    }
    let moves = zip(distances, distances.dropFirst()).map { $1 - $0 }
    #expect(moves.allSatisfy { $0 == 0 || $0 == steps.pixels } && steps.pixels % 2 == 0)
    let stands = moves.split { $0 != 0 }.dropFirst().dropLast().map(\.count)
    #expect(Set(stands).count <= 1, "\(Set(stands))")
    let wanted = speed * 1_280 / Double(rate)
    let real = Double(steps.pixels) / Double(steps.frames)
    #expect(abs(real - wanted) <= max(1, wanted * 0.35), "\(real) of \(wanted)")
    #expect(steps.distance(at: .seconds(86_400)) > 0)
  }

  /// It comes in at the right, leaves at the left, and comes in again; the box is as wide as the area all the time.
  @Test(arguments: [0.1, -0.1]) func itComesInAndLeaves(speed: Double) throws {
    let (_, painter) = Self.painter("III", speed: speed)
    let text = try painter.paint(PainterTests.target(200))
    // 4 pixels a frame.
    func columns(_ frame: Int64) -> [Int] {
      let found = Self.columns(text, at: frame * 1_000_000_000 / 30)
      return speed > 0 ? found : found.map { 199 - $0 }.sorted()
    }
    #expect(columns(0).isEmpty)
    let entered = try #require((1..<60).first { !columns($0).isEmpty })
    #expect((columns(entered).first ?? 0) > 190)
    let first = columns(entered + 20)
    #expect(columns(entered + 21) == first.map { $0 - 4 })
    let left = try #require((entered..<200).first { columns($0).isEmpty })
    let again = try #require((left..<300).first { !columns($0).isEmpty })
    #expect((columns(again).first ?? 0) > 190)
    let isBoxed = withExtendedLifetime(text) {
      let planes = unsafe text.picture(at: 0)
      let width = unsafe planes.planes.size.width
      return width == 200 && (0..<200).allSatisfy { unsafe planes.alpha?[$0] == 255 }
    }
    #expect(isBoxed)
  }

  /// Each letter of a long line is seen: none is lost between two tiles, and the line has no end before its last one.
  @Test func aLongLineIsSeenToItsEnd() throws {
    let text = String(repeating: "Ilm ", count: 149) + "END"
    let (_, painter) = Self.painter(text)
    let long = try painter.paint(PainterTests.target(200))
    let (style, _) = Self.style(0.1)
    var moving = style
    moving.scroll = TextScroll(speed: 0.1, framesPerSecond: 30)
    let width = try TextLayout(text, moving, in: PainterTests.target(200)).size.width
    #expect(width > 2 * 4_096)
    // A window's width after another, each beside the same part of a line that was laid out at once.
    var seen = 0
    for part in 0..<width / 200 {
      seen += Self.columns(long, at: Int64(part + 1) * 50 * 1_000_000_000 / 30).isEmpty ? 0 : 1
    }
    #expect(seen == width / 200)
    let end = Self.columns(long, at: Int64(width / 4 + 10) * 1_000_000_000 / 30)
    #expect(!end.isEmpty)
  }

  /// The tiles are the line, to the pixel.
  @Test func tilesMeet() throws {
    let (_, painter) = Self.painter(String(repeating: "MW", count: 120))
    let text = try painter.paint(PainterTests.target(1_280))
    // The seam of the first two is in the middle: 4,096 pixels of text have passed its left half.
    let frame = Int64(4_096 + 640) / 4
    let columns = Self.columns(text, at: frame * 1_000_000_000 / 30)
    let gaps = zip(columns, columns.dropFirst()).map { $1 - $0 }
    let seam = gaps.indices.filter { (600..<680).contains(columns[$0]) }.map { gaps[$0] }
    let rest = gaps.indices.filter { !(600..<680).contains(columns[$0]) }.map { gaps[$0] }
    #expect((seam.max() ?? 0) <= (rest.max() ?? 0) && (seam.max() ?? 0) > 0)
  }

  /// Lines become one, and more than fits into memory is refused.
  @Test func linesBecomeOne() throws {
    let (_, one) = Self.painter("A\nB\r\n\nC")
    let height = unsafe try one.paint(PainterTests.target(400)).picture(at: 0).planes.size.height
    let (_, other) = Self.painter("A B")
    #expect(
      unsafe try other.paint(PainterTests.target(400)).picture(at: 0).planes.size.height == height)
    let told = Mutex<[OverlayTrouble?]>([])
    let words = CurrentText()
    _ = words.set(String(repeating: "M", count: 2_000))
    var (style, scroll) = Self.style(0.1)
    style.size = 0.5
    let painter = ScrollPainter(words, style, scroll) { new in told.withLock { $0.append(new) } }
    #expect(throws: (any Error).self) { _ = try painter.paint(PainterTests.target(400)) }
    #expect(told.withLock { $0 } == [.tooLong])
    scroll.speed = 1
    #expect(throws: (any Error).self) { _ = try painter.paintStill(PainterTests.target(400)) }
  }

  /// New words of the same width go on where the old ones were; others come in anew.
  @Test func newWordsComeInAnew() throws {
    let (words, painter) = Self.painter("11:11")
    let target = PainterTests.target(200)
    _ = try painter.paint(target)
    let at: Int64 = .seconds(1)
    _ = words.set("11:12")
    #expect(!Self.columns(try painter.paint(target), at: at).isEmpty)
    _ = words.set("Another line")
    let other = try painter.paint(target)
    #expect(Self.columns(other, at: at).isEmpty)
    #expect(!Self.columns(other, at: at + .seconds(1)).isEmpty)
  }
}
