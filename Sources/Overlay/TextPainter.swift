// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CDrawing
internal import Synchronization
internal import Video

/// Red, green, blue and alpha of 0 to 255, not premultiplied.
public struct OverlayColour: Hashable, Sendable {
  public var red, green, blue, alpha: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  public static let none = OverlayColour(red: 0, green: 0, blue: 0, alpha: 0)
}

/// How a text looks.
public struct TextStyle: Hashable, Sendable {
  public enum Alignment: Int32, Hashable, Sendable { case left, centre, right }

  /// A family, and weight and slant if wanted: "DejaVu Sans Bold".
  public var font: String
  /// The font's height (em) as a fraction of the picture's height.
  public var size: Double
  public var colour: OverlayColour
  public var outline = OverlayColour.none
  public var box = OverlayColour.none
  public var alignment = Alignment.left
  /// Whether lines are broken at the width of the layer.
  public var wraps = false

  public init(font: String, size: Double, colour: OverlayColour) {
    (self.font, self.size, self.colour) = (font, size, colour)
  }
}

/// A text that has been laid out.
@safe struct TextLayout: ~Copyable {
  let layout: OpaquePointer

  init(_ text: String, _ style: TextStyle, in target: LayerTarget) throws(DrawingError) {
    // Lines end at the picture's border in any case.
    let width =
      style.wraps ? min(target.size.width, target.picture.width) : target.picture.width
    // Around emoji, which are images, an outline takes long and looks bad.
    let outline =
      text.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
      ? OverlayColour.none : style.outline
    let bytes = Array(text.utf8)
    let layout = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe style.font.withCString { font in
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
          var text = unsafe onair_text()
          unsafe text.text = characters.baseAddress
          unsafe text.bytes = characters.count
          unsafe text.font = font
          unsafe text.size = max(4, style.size * Double(target.picture.height))
          unsafe text.colour = onair_colour(style.colour)
          unsafe text.outline = onair_colour(outline)
          unsafe text.box = onair_colour(style.box)
          unsafe text.width = Int32(width)
          unsafe text.alignment = style.alignment.rawValue
          return unsafe onair_layout_new(&text)
        }
      }
    }
    guard let layout = unsafe layout else { throw DrawingError() }
    unsafe self.layout = layout
  }

  deinit { unsafe onair_layout_free(layout) }

  /// Of the drawing that it needs, in pixels.
  var size: PictureSize {
    var (width, height): (Int32, Int32) = (0, 0)
    unsafe onair_layout_size(layout, &width, &height)
    return PictureSize(width: max(1, Int(width)), height: max(1, Int(height)))
  }

  /// Whether each character is in some font.
  var isComplete: Bool { unsafe onair_layout_unknown(layout) == 0 }
}

extension onair_colour {
  fileprivate init(_ colour: OverlayColour) {
    self.init(
      red: Double(colour.red) / 255, green: Double(colour.green) / 255,
      blue: Double(colour.blue) / 255, alpha: Double(colour.alpha) / 255)
  }
}

/// Paints a text that may change.
final class TextPainter: LayerPainter {
  private let style: TextStyle
  private let text = Mutex("")
  /// Told after each drawing: what is wrong with it, or `nil`.
  private let report: @Sendable (OverlayTrouble?) -> Void

  init(_ style: TextStyle, report: @escaping @Sendable (OverlayTrouble?) -> Void) {
    (self.style, self.report) = (style, report)
  }

  /// - Returns: whether that is another text.
  func set(_ new: String) -> Bool {
    text.withLock { text in
      defer { text = new }
      return text != new
    }
  }

  func paint(_ target: LayerTarget) throws -> BlendPlanes {
    let text = text.withLock { $0 }
    // An empty text has no box either.
    guard !text.allSatisfy(\.isWhitespace) else { throw EmptyTextError() }
    do throws(DrawingError) {
      let layout = try TextLayout(text, style, in: target)
      // What is larger than the picture would cost memory and never be seen.
      let drawing = try Drawing(
        PictureSize(
          width: min(layout.size.width, target.picture.width),
          height: min(layout.size.height, target.picture.height)))
      drawing.draw(layout)
      report(layout.isComplete ? nil : .missingCharacters)
      return drawing.planes(target.colour)
    } catch {
      report(.notDrawn)
      throw error
    }
  }
}

/// There is nothing to draw.
private struct EmptyTextError: Error {}
