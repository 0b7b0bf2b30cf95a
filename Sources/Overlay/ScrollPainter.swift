// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization
internal import Video

/// How far a moving text has moved, as a function of the frame's time, so that a dropped frame does not hold the text
/// up. All steps have the same even number of pixels, and the same number of frames from one to the next: anything else
/// judders.
struct ScrollSteps: Equatable {
  /// The length of a step in pixels; even.
  let pixels: Int
  /// The number of frames from step to step: more than one for a slow text.
  let frames: Int64
  let framesPerSecond: Int64

  init(_ scroll: TextScroll, width: Int) {
    framesPerSecond = Int64(max(1, scroll.framesPerSecond))
    let perFrame = abs(scroll.speed) * Double(width) / Double(framesPerSecond)
    if perFrame >= 2 {
      (pixels, frames) = (Int((perFrame / 2).rounded()) * 2, 1)
    } else {
      (pixels, frames) = (2, Int64((2 / max(perFrame, 0.001)).rounded()))
    }
  }

  /// The number of pixels by which the text has moved since it began to come in.
  /// - Parameter age: in nanoseconds. The camera's timestamps tremble: what counts is the frame that they are nearest to.
  func distance(at age: Int64) -> Int {
    let frame = (age / 1_000 * framesPerSecond + 500_000) / 1_000_000
    return Int(frame / frames) * pixels
  }
}

/// A text that comes in at one side of its area and leaves at the other, again and again. Used by the thread that composes.
@safe final class ScrollingText: PaintedLayer, @unchecked Sendable {
  /// The parts of the line from left to right.
  private let tiles: [BlendPlanes]
  /// The width of all tiles together, in pixels.
  private let length: Int
  /// The part of the line that is in view, with the empty space before and behind the text.
  private let window: BlendPlanes
  private let ground: BlendPlanes
  private let steps: ScrollSteps
  private let goesLeft: Bool
  private let memory: LayerMemory
  /// Whether the text comes in anew when it is first shown.
  private let isNew: Bool
  private var begun: Int64?
  private var place: Int?

  init(
    _ tiles: [BlendPlanes], window: PictureSize, ground: BlendPlanes, _ steps: ScrollSteps,
    goesLeft: Bool, isNew: Bool, _ memory: LayerMemory
  ) {
    self.tiles = tiles
    length = tiles.reduce(0) { $0 + $1.size.width }
    self.window = BlendPlanes(transparent: window)
    self.ground = ground
    self.steps = steps
    (self.goesLeft, self.isNew, self.memory) = (goesLeft, isNew, memory)
  }

  @unsafe func picture(at age: Int64) -> LayerPicture {
    let begun = self.begun ?? (isNew ? age : 0)
    // A layer that comes into view again begins anew.
    self.begun = begun > age ? 0 : begun
    let distance = steps.distance(at: age - (self.begun ?? 0)) % (window.size.width + length)
    let left = goesLeft ? window.size.width - distance : distance - length
    if left != place {
      place = left
      window.fill(with: ground)
      var x = left
      for tile in tiles {
        window.copy(tile, x: x)
        x += tile.size.width
      }
    }
    return unsafe window.picture
  }
}

/// Paints a text that moves.
final class ScrollPainter: LayerPainter {
  /// The width of a tile in pixels. Cairo's images have at most 32,767.
  private static let tileWidth = 4_096

  private let words: Words
  private let style: TextStyle
  private let scroll: TextScroll
  private let report: @Sendable (OverlayTrouble?) -> Void
  /// The target and the width in pixels of the line that was painted last. A line of another width comes in anew, since
  /// it would jump otherwise.
  private let last = Mutex<(target: LayerTarget, width: Int)?>(nil)

  /// - Parameter report: told after each drawing what is wrong with the text; `nil` if nothing is.
  init(
    _ words: Words, _ style: TextStyle, _ scroll: TextScroll,
    report: @escaping @Sendable (OverlayTrouble?) -> Void
  ) {
    (self.words, self.scroll, self.report) = (words, scroll, report)
    var style = style
    // Its layout is that of one line.
    style.scroll = scroll
    self.style = style
  }

  func paint(_ target: LayerTarget) throws -> ScrollingText {
    let text = try words.get()
    // Of several lines one: those of a list of news are told apart.
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "  \u{2022}  ")
    do {
      let layout = try TextLayout(line, style, in: target)
      let height = min(layout.size.height, target.picture.height)
      let window = PictureSize(
        width: min(target.size.width, target.picture.width) & ~1, height: (height + 1) & ~1)
      let bytes = BlendPlanes.byteCount(
        PictureSize(width: layout.size.width + window.width, height: height))
      guard bytes <= LayerMemory.mostBytes else { throw OverlayTrouble.tooLong }
      guard let memory = LayerMemory(bytes) else { throw OverlayTrouble.noRoom(bytes) }
      var tiles: [BlendPlanes] = []
      for left in stride(from: 0, to: layout.size.width, by: Self.tileWidth) {
        let width = min(Self.tileWidth, layout.size.width - left)
        let drawing = try Drawing(PictureSize(width: width, height: height))
        drawing.draw(layout, left: left)
        // The tiles follow each other from the left.
        tiles.append(
          drawing.planes(target.colour, LayerAlignment(.start, target.alignment.down)))
      }
      let isNew = last.withLock { last in
        defer { last = (target, layout.size.width) }
        return last.map { $0.target == target && $0.width != layout.size.width } ?? false
      }
      report(layout.trouble)
      return ScrollingText(
        tiles, window: window, ground: try ground(target),
        ScrollSteps(scroll, width: target.picture.width),
        goesLeft: scroll.speed > 0, isNew: isNew, memory)
    } catch {
      report(error as? OverlayTrouble ?? .notDrawn)
      throw error
    }
  }

  /// A piece of the box behind the text, whose colour fills the whole window.
  private func ground(_ target: LayerTarget) throws -> BlendPlanes {
    let drawing = try Drawing(PictureSize(width: 2, height: 2))
    drawing.fill(style.box)
    return drawing.planes(target.colour, .centre)
  }

  func paintStill(_ target: LayerTarget) throws -> BlendPlanes { throw MovesError() }
}

/// Thrown by `paintStill`: a text that moves is not shown on stills.
private struct MovesError: Error {}
