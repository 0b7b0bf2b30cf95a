// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CDrawing
internal import Video

/// A text that Pango has laid out, ready to be drawn.
@safe struct TextLayout: ~Copyable {
  /// The laid-out text, in the form that the functions of CDrawing take.
  let layout: OpaquePointer

  init(_ text: String, _ style: TextStyle, in target: LayerTarget) throws(DrawingError) {
    // The width in pixels at which lines are broken: at most that of the picture; 0 for a scrolling text, whose line is
    // not broken.
    let width =
      style.scroll != nil
      ? 0 : style.wraps ? min(target.size.width, target.picture.width) : target.picture.width
    // A text with emoji gets no outline: emoji are images, around which an outline is slow to draw and looks bad.
    let outline =
      text.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
      ? OverlayColour.none : style.outline
    // Directional isolates are removed, because they can crash FriBidi 1.0.8. A text can set its direction with
    // embeddings instead (Unicode Standard Annex 9, 2.1).
    let safe = text.unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }
    let bytes = Array(String(String.UnicodeScalarView(safe)).utf8)
    let layout = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe style.font.withCString { font in
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
          var text = unsafe onair_text()
          unsafe text.text = characters.baseAddress
          unsafe text.bytes = characters.count
          unsafe text.font = font
          unsafe text.size = max(4, style.size * Double(target.picture.height))
          unsafe text.second_size = style.secondSize == 1 ? 0 : max(4, text.size * style.secondSize)
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

  /// The size of the drawing that the text needs, in pixels.
  var size: PictureSize {
    var (width, height): (Int32, Int32) = (0, 0)
    unsafe onair_layout_size(layout, &width, &height)
    return PictureSize(width: max(1, Int(width)), height: max(1, Int(height)))
  }

  /// `.missingCharacters` if no font has some characters of the text; otherwise `nil`.
  var trouble: OverlayTrouble? {
    var characters = [UInt32](repeating: 0, count: 100)
    let count = unsafe Int(
      onair_layout_unknown(layout, &characters, Int32(characters.count)))
    guard count > 0 else { return nil }
    let scripts = Set(characters[..<count].map(TextLayout.script))
    return .missingCharacters(scripts.sorted())
  }

  /// The name, for people, of the script that a character belongs to, such as "Thai" or "emoji"; "signs" for a
  /// character of no script.
  static func script(of character: UInt32) -> String {
    if Unicode.Scalar(character)?.properties.isEmoji ?? false { return "emoji" }
    var name = [CChar](repeating: 0, count: 64)
    unsafe onair_script_name(character, &name, name.count)
    let text = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let first = text.first, !["common", "inherited", "unknown"].contains(text) else {
      return "signs"
    }
    return first.uppercased() + text.dropFirst().map { $0 == "-" ? " " : $0 }
  }
}

extension onair_colour {
  fileprivate init(_ colour: OverlayColour) {
    self.init(
      red: Double(colour.red) / 255, green: Double(colour.green) / 255,
      blue: Double(colour.blue) / 255, alpha: Double(colour.alpha) / 255)
  }
}
