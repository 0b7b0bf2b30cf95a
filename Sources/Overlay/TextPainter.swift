// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization
internal import Video

/// A colour as red, green, blue and alpha of 0 to 255, not premultiplied.
public struct OverlayColour: Hashable, Sendable {
  /// The components, 0 to 255; red, green and blue are not multiplied by alpha.
  public var red, green, blue, alpha: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  /// A transparent colour, for a part of the text that is not drawn.
  public static let none = OverlayColour(red: 0, green: 0, blue: 0, alpha: 0)
}

/// How a text moves through its area, in one line.
public struct TextScroll: Hashable, Sendable {
  /// The speed in widths of the picture per second; positive to the left, negative to the right.
  public var speed: Double
  /// The frame rate of the broadcast, from which the steps of the movement are computed.
  public var framesPerSecond: Int

  public init(speed: Double, framesPerSecond: Int) {
    (self.speed, self.framesPerSecond) = (speed, framesPerSecond)
  }
}

/// How a text looks.
public struct TextStyle: Hashable, Sendable {
  /// The horizontal position of shorter lines in a text of several lines.
  public enum Alignment: Int32, Hashable, Sendable { case left, centre, right }

  /// The name of the font's family, optionally followed by weight and slant: "DejaVu Sans Bold".
  public var font: String
  /// The font's height (em) as a fraction of the picture's height.
  public var size: Double
  /// The colour of the letters.
  public var colour: OverlayColour
  /// The colour of the outline around the letters; `none` for no outline.
  public var outline = OverlayColour.none
  /// The colour of the box behind the text; `none` for no box.
  public var box = OverlayColour.none
  /// The horizontal position of shorter lines in a text of several lines.
  public var alignment = Alignment.left
  /// The font's height in all lines after the first one, as a fraction of `size`.
  public var secondSize = 1.0
  /// Whether lines are broken at the width of the layer.
  public var wraps = false
  /// How the text moves; `nil` if it stands still.
  public var scroll: TextScroll?

  public init(font: String, size: Double, colour: OverlayColour) {
    (self.font, self.size, self.colour) = (font, size, colour)
  }
}

/// The current content of a text overlay. May be read and set on any thread.
final class CurrentText: Sendable {
  /// The text, with its variables filled in.
  private let text = Mutex("")

  /// Replaces the text.
  /// - Returns: whether the new text differs from the one before.
  func set(_ new: String) -> Bool {
    text.withLock { text in
      defer { text = new }
      return text != new
    }
  }

  /// The current text.
  /// - Throws: `EmptyTextError` if the text is empty or has only white space: neither text nor box is drawn.
  func get() throws -> String {
    let text = text.withLock { $0 }
    guard !text.allSatisfy(\.isWhitespace) else { throw EmptyTextError() }
    return text
  }
}

/// Thrown for a text that is empty or consists of white space.
private struct EmptyTextError: Error {}

/// Paints a text that does not scroll.
struct TextPainter: LayerPainter {
  /// The text to paint.
  let words: CurrentText
  /// How the text looks.
  let style: TextStyle
  /// Called after each painting with the trouble of the text; with `nil` for none.
  let report: @Sendable (OverlayTrouble?) -> Void

  /// Paints the text on its box. Throws if the text is empty or has only white space.
  func paint(_ target: LayerTarget) throws -> BlendPlanes {
    let text = try words.get()
    do throws(DrawingError) {
      let layout = try TextLayout(text, style, in: target)
      // Pixels beyond the picture's size would cost memory and never be seen.
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
