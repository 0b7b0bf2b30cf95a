// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The text of a file as editors and shells write it: UTF-8 with or without a byte order mark, or UTF-16, which Notepad
/// calls "Unicode" and which PowerShell's ">" writes.
struct PlainText {
  /// An encoding of a text file.
  private enum Encoding {
    /// UTF-8. `mark` is the number of bytes of the byte order mark: 3, or 0 if there is none.
    case utf8(mark: Int)
    /// UTF-16. `mark` is the number of code units of the byte order mark: 1, or 0 if there is none.
    case utf16(isBigEndian: Bool, mark: Int)
  }

  /// The text as UTF-8, without a byte order mark. It may be invalid if the file is neither UTF-8 nor UTF-16.
  let bytes: [UInt8]
  /// Why the file is not plain text, and what to do, as a sentence; `nil` if it is plain text.
  let fault: String?
  /// The encoding of the file that was read.
  private let encoding: Encoding

  init(_ file: [UInt8]) {
    encoding = Self.encoding(of: file)
    switch encoding {
    case .utf8(let mark):
      let text = Array(file.dropFirst(mark))
      bytes = text
      fault = Self.otherFormats.first(where: { text.starts(with: $0.start.utf8) }).map {
        "the file is \($0.name), not plain text: save it again as plain text"
      }
    case .utf16(_, let mark):
      let text = file.count.isMultiple(of: 2) ? Self.text(Self.units(file, encoding), mark) : nil
      bytes = Array((text ?? "").utf8)
      fault =
        text == nil
        ? "the file is damaged: save it again as plain text, with the encoding UTF-8" : nil
    }
  }

  /// Formats that word processors and browsers write instead of plain text: the first characters of such a file, and
  /// the name of the format.
  private static let otherFormats: [(start: String, name: String)] = [
    (start: "{\\rtf", name: "RTF (formatted text)"),
    ("PK\u{3}\u{4}", "a document of a word processor"),
    ("%PDF", "PDF"), ("<!DOCTYPE", "a web page"), ("<!doctype", "a web page"),
    ("<html", "a web page"),
  ]

  /// The encoding of a file, judged by its byte order mark or its NUL bytes.
  private static func encoding(of file: [UInt8]) -> Encoding {
    if file.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8(mark: 3) }
    if file.starts(with: [0xFF, 0xFE]) { return .utf16(isBigEndian: false, mark: 1) }
    if file.starts(with: [0xFE, 0xFF]) { return .utf16(isBigEndian: true, mark: 1) }
    // Without a byte order mark, NUL bytes show UTF-16: a text begins with ASCII characters, and in UTF-16 every second
    // byte of those is NUL.
    switch file.prefix(4).map({ $0 == 0 }) {
    case [false, true, false, true]: return .utf16(isBigEndian: false, mark: 0)
    case [true, false, true, false]: return .utf16(isBigEndian: true, mark: 0)
    default: return .utf8(mark: 0)
    }
  }

  /// The code units of a file: the bytes of UTF-8, or the 16-bit words of UTF-16.
  private static func units(_ file: [UInt8], _ encoding: Encoding) -> [UInt16] {
    guard case .utf16(let isBigEndian, _) = encoding else { return file.map(UInt16.init) }
    return stride(from: 0, to: file.count - 1, by: 2).map {
      let (first, second) = (UInt16(file[$0]), UInt16(file[$0 + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
  }

  /// Decodes UTF-16 code units after the byte order mark.
  /// - Returns: `nil` if the units are not valid UTF-16.
  private static func text(_ units: [UInt16], _ mark: Int) -> String? {
    var text = String.UnicodeScalarView()
    var decoder = UTF16()
    var iterator = units.dropFirst(mark).makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): text.append(scalar)
      case .emptyInput: return String(text)
      case .error: return nil
      }
    }
  }

  /// The first line, without its line end and without white space around it.
  var firstLine: String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let rest = String(decoding: line, as: UTF8.self).drop(while: \.isWhitespace)
    return String(rest.prefix(rest.count - rest.reversed().prefix(while: \.isWhitespace).count))
  }

  /// Encodes a changed text in the encoding of the file. The result has as many bytes as the file.
  /// - Parameter changed: a copy of `bytes` in which some characters were replaced. The replacement for a character of
  ///   N bytes is an ASCII character and N - 1 spaces.
  func encoded(_ changed: [UInt8]) -> [UInt8] {
    switch encoding {
    case .utf8(let mark): return [0xEF, 0xBB, 0xBF].prefix(mark) + changed
    case .utf16(let isBigEndian, let mark):
      var units = [UInt16](repeating: 0xFEFF, count: mark)
      var start = 0
      for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
        let end = start + UTF8.width(scalar)
        if changed[start..<end].elementsEqual(bytes[start..<end]) {
          units += String(scalar).utf16
        } else {
          let blanks = repeatElement(UInt16(UInt8(ascii: " ")), count: UTF16.width(scalar) - 1)
          units += [UInt16(changed[start])] + blanks
        }
        start = end
      }
      return units.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
        return isBigEndian ? [high, low] : [low, high]
      }
    }
  }

  /// The code units of another file, read in the encoding of this file.
  func units(of file: [UInt8]) -> [UInt16] { Self.units(file, encoding) }
}
