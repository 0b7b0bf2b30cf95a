// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization
internal import Video

/// Computes how far a scrolling text has moved. It uses the frame's time alone, so that a dropped frame does not delay
/// the text. To avoid judder, the text moves in equal steps of an even number of pixels, always after the same number
/// of frames.
struct ScrollSteps: Equatable {
  /// The length of a step in pixels; even.
  let pixels: Int
  /// The number of frames from one step to the next: more than one for a slow text.
  let frames: Int64
  /// The frame rate of the broadcast.
  let framesPerSecond: Int64

  /// - Parameter width: the width of the whole picture in pixels.
  init(_ scroll: TextScroll, width: Int) {
    framesPerSecond = Int64(max(1, scroll.framesPerSecond))
    let perFrame = abs(scroll.speed) * Double(width) / Double(framesPerSecond)
    if perFrame >= 2 {
      (pixels, frames) = (Int((perFrame / 2).rounded()) * 2, 1)
    } else {
      (pixels, frames) = (2, Int64((2 / max(perFrame, 0.001)).rounded()))
    }
  }

  /// The number of pixels by which the text has moved since it began to scroll.
  /// - Parameter age: the time since the text began to scroll, in nanoseconds; rounded to whole frames, because the
  ///   camera's timestamps jitter.
  func distance(at age: Int64) -> Int {
    let frame = (age / 1_000 * framesPerSecond + 500_000) / 1_000_000
    return Int(frame / frames) * pixels
  }
}

/// A text that scrolls through its area from one side to the other, again and again. Used by the thread that composes
/// frames.
@safe final class ScrollingText: PaintedLayer, @unchecked Sendable {
  /// The painted line of text, cut into tiles from left to right.
  private let tiles: [BlendPlanes]
  /// The width of all tiles together, in pixels.
  private let length: Int
  /// The picture of the layer's area: the background, and on it the visible part of the line.
  private let window: BlendPlanes
  /// Two by two pixels in the colour of the text's box, with which `window` is filled.
  private let background: BlendPlanes
  /// Computes how far the text has moved.
  private let steps: ScrollSteps
  /// Whether the text moves from right to left.
  private let goesLeft: Bool
  /// The reservation of memory for the tiles, which ends with this object.
  private let memory: LayerMemory
  /// Whether the text begins to scroll with its first frame; `false` if it begins when the layer comes into view.
  private let startsAtFirstFrame: Bool
  /// The age of the layer at which the text began to scroll, in nanoseconds; `nil` before the first frame.
  private var startAge: Int64?
  /// Where the left edge of the line is in `window`, in pixels; `nil` before the first frame.
  private var lineLeft: Int?

  init(
    _ tiles: [BlendPlanes], window: PictureSize, background: BlendPlanes, _ steps: ScrollSteps,
    goesLeft: Bool, startsAtFirstFrame: Bool, _ memory: LayerMemory
  ) {
    self.tiles = tiles
    length = tiles.reduce(0) { $0 + $1.size.width }
    self.window = BlendPlanes(transparent: window)
    self.background = background
    self.steps = steps
    (self.goesLeft, self.startsAtFirstFrame, self.memory) = (goesLeft, startsAtFirstFrame, memory)
  }

  /// The visible part of the text.
  /// - Parameter age: nanoseconds since the layer came into view.
  @unsafe func picture(at age: Int64) -> LayerPicture {
    let startAge = self.startAge ?? (startsAtFirstFrame ? age : 0)
    // If the age is lower than the start age, the layer has come into view again: start the text again.
    self.startAge = startAge > age ? 0 : startAge
    let distance = steps.distance(at: age - (self.startAge ?? 0)) % (window.size.width + length)
    let left = goesLeft ? window.size.width - distance : distance - length
    if left != lineLeft {
      lineLeft = left
      window.fill(with: background)
      var x = left
      for tile in tiles {
        window.copy(tile, x: x)
        x += tile.size.width
      }
    }
    return unsafe window.picture
  }
}

/// Paints a text that scrolls.
final class ScrollPainter: LayerPainter {
  /// The width of a tile in pixels. Cairo's images have at most 32,767.
  private static let tileWidth = 4_096

  /// The text to paint.
  private let words: CurrentText
  /// How the text looks.
  private let style: TextStyle
  /// How the text moves.
  private let scroll: TextScroll
  /// Called after each painting with the trouble of the text; with `nil` for none.
  private let report: @Sendable (OverlayTrouble?) -> Void
  /// The target and the width in pixels of the line that was painted last; `nil` before the first line. A line of
  /// another width begins to scroll anew, because it would jump otherwise.
  private let lastPainted = Mutex<(target: LayerTarget, width: Int)?>(nil)

  /// - Parameter report: called after each painting with the trouble of the text; with `nil` for none.
  init(
    _ words: CurrentText, _ style: TextStyle, _ scroll: TextScroll,
    report: @escaping @Sendable (OverlayTrouble?) -> Void
  ) {
    (self.words, self.scroll, self.report) = (words, scroll, report)
    var style = style
    // `TextLayout` lays out a text in a single line if its style has `scroll`.
    style.scroll = scroll
    self.style = style
  }

  /// Paints the text as one line. Throws if the line needs too much memory.
  func paint(_ target: LayerTarget) throws -> ScrollingText {
    let text = try words.get()
    // Several lines become one, with bullets between them.
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "  \u{2022}  ")
    do {
      let layout = try TextLayout(line, style, in: target)
      let height = min(layout.size.height, target.picture.height)
      let window = PictureSize(
        width: min(target.size.width, target.picture.width) & ~1, height: (height + 1) & ~1)
      let bytes = BlendPlanes.byteCount(
        PictureSize(width: layout.size.width + window.width, height: height))
      guard bytes <= LayerMemory.maxBytes else { throw OverlayTrouble.tooLong }
      guard let memory = LayerMemory(bytes) else { throw OverlayTrouble.noRoom(bytes) }
      var tiles: [BlendPlanes] = []
      for left in stride(from: 0, to: layout.size.width, by: Self.tileWidth) {
        let width = min(Self.tileWidth, layout.size.width - left)
        let drawing = try Drawing(PictureSize(width: width, height: height))
        drawing.draw(layout, left: left)
        // Each tile begins at the left edge of its planes, so that it joins the tile before it.
        tiles.append(
          drawing.planes(target.colour, LayerAlignment(.start, target.alignment.down)))
      }
      let startsAtFirstFrame = lastPainted.withLock { last in
        defer { last = (target, layout.size.width) }
        return last.map { $0.target == target && $0.width != layout.size.width } ?? false
      }
      report(layout.trouble)
      return ScrollingText(
        tiles, window: window, background: try background(target),
        ScrollSteps(scroll, width: target.picture.width),
        goesLeft: scroll.speed > 0, startsAtFirstFrame: startsAtFirstFrame, memory)
    } catch {
      report(error as? OverlayTrouble ?? .notDrawn)
      throw error
    }
  }

  /// Paints two by two pixels in the colour of the text's box, which fills the whole window.
  private func background(_ target: LayerTarget) throws -> BlendPlanes {
    let drawing = try Drawing(PictureSize(width: 2, height: 2))
    drawing.fill(style.box)
    return drawing.planes(target.colour, .centre)
  }

  /// Always throws: a scrolling text is not shown on stills.
  func paintStill(_ target: LayerTarget) throws -> BlendPlanes { throw NotOnStillsError() }
}

/// Thrown by `paintStill`: a scrolling text is not shown on stills.
private struct NotOnStillsError: Error {}
