// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization
internal import Video

/// A colour as red, green, blue and alpha of 0 to 255, not premultiplied.
public struct OverlayColour: Hashable, Sendable {
  public var red, green, blue, alpha: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  public static let none = OverlayColour(red: 0, green: 0, blue: 0, alpha: 0)
}

/// How a text moves through its area, in one line.
public struct TextScroll: Hashable, Sendable {
  /// In widths of the picture per second: to the left, or to the right if the speed is negative.
  public var speed: Double
  /// The frame rate of the broadcast: the text moves by whole steps from frame to frame.
  public var framesPerSecond: Int

  public init(speed: Double, framesPerSecond: Int) {
    (self.speed, self.framesPerSecond) = (speed, framesPerSecond)
  }
}

/// How a text looks.
public struct TextStyle: Hashable, Sendable {
  public enum Alignment: Int32, Hashable, Sendable { case left, centre, right }

  /// The name of the font's family, followed by weight and slant if wanted: "DejaVu Sans Bold".
  public var font: String
  /// The font's height (em) as a fraction of the picture's height.
  public var size: Double
  public var colour: OverlayColour
  public var outline = OverlayColour.none
  public var box = OverlayColour.none
  public var alignment = Alignment.left
  /// The size of the letters after the first line, as a fraction of `size`.
  public var secondSize = 1.0
  /// Whether lines are broken at the width of the layer.
  public var wraps = false
  /// How the text moves; `nil` if it stands still.
  public var scroll: TextScroll?

  public init(font: String, size: Double, colour: OverlayColour) {
    (self.font, self.size, self.colour) = (font, size, colour)
  }
}

/// The words of a text, which may change.
final class Words: Sendable {
  private let text = Mutex("")

  /// - Returns: whether the new text differs from the one before.
  func set(_ new: String) -> Bool {
    text.withLock { text in
      defer { text = new }
      return text != new
    }
  }

  /// - Throws: `EmptyTextError` if there is nothing to draw. An empty text has no box either.
  func get() throws -> String {
    let text = text.withLock { $0 }
    guard !text.allSatisfy(\.isWhitespace) else { throw EmptyTextError() }
    return text
  }
}

/// There is nothing to draw.
private struct EmptyTextError: Error {}

/// Paints a text that stands still.
struct TextPainter: LayerPainter {
  let words: Words
  let style: TextStyle
  /// Told after each drawing what is wrong with the text; `nil` if nothing is.
  let report: @Sendable (OverlayTrouble?) -> Void

  func paint(_ target: LayerTarget) throws -> BlendPlanes {
    let text = try words.get()
    do throws(DrawingError) {
      let layout = try TextLayout(text, style, in: target)
      // What is larger than the picture would cost memory and never be seen.
      let drawing = try Drawing(
        PictureSize(
          width: min(layout.size.width, target.picture.width),
          height: min(layout.size.height, target.picture.height)))
      drawing.draw(layout)
      report(layout.trouble)
      return drawing.planes(target.colour, target.alignment)
    } catch {
      report(.notDrawn)
      throw error
    }
  }
}
