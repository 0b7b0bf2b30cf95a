// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The bytes of a TOML file, with an index of its lines. Line numbers start at 1.
struct DocumentText {
  /// The text as UTF-8, without a byte order mark.
  private(set) var bytes: [UInt8]
  /// The first error in the bytes, such as invalid UTF-8 or a NUL character; `nil` if there is none.
  private(set) var fault: Document.Fault?
  /// The offset of the first byte of each line.
  private var lineOffsets = [0]

  init(_ bytes: [UInt8]) {
    let plain = PlainText(bytes)
    self.bytes = plain.bytes
    guard bytes.count <= Document.maxBytes else {
      fault = Self.tooLong
      return
    }
    if let sentence = plain.fault {
      fault = Document.Fault(position: .start, sentence: sentence)
      return
    }
    var decoder = UTF8()
    var iterator = self.bytes.makeIterator()
    var (line, column) = (1, 1)
    func faultHere(_ sentence: String) -> Document.Fault {
      Document.Fault(position: Position(line: line, column: column), sentence: sentence)
    }
    decoding: while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: break decoding
      case .error:
        fault = faultHere("the file is not UTF-8: save it again, with the encoding UTF-8")
        return
      case .scalarValue("\0"):
        fault = faultHere("a NUL character is not allowed")
        return
      case .scalarValue("\n"): (line, column) = (line + 1, 1)
      case .scalarValue: column += 1
      }
    }
    for (index, byte) in self.bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lineOffsets.append(index + 1)
    }
  }

  /// The error of a file that is larger than `Document.maxBytes`.
  static let tooLong = Document.Fault(
    position: .start, sentence: "the file is larger than 1 MiB")

  /// The byte range of a line, without its line break.
  private func range(_ line: Int) -> Range<Int> {
    lineOffsets[line - 1]..<(line < lineOffsets.count ? lineOffsets[line] - 1 : bytes.count)
  }

  /// The position in the text that is nearest to `position`. The position directly after the last character of a line
  /// is valid, too.
  func clamped(_ position: Position) -> Position {
    let line = min(max(position.line, 1), lineOffsets.count)
    // The number of Unicode scalars: in UTF-8, each byte except 10xxxxxx begins a scalar (RFC 3629, section 3).
    let length = bytes[range(line)].count { $0 & 0xC0 != 0x80 }
    let column = line < position.line ? length + 1 : min(max(position.column, 1), length + 1)
    return Position(line: line, column: column)
  }

  /// The position of the first name in a line, after white space and the opening brackets of a section header.
  func startOfKey(_ line: Int) -> Position {
    let blanks = bytes[range(line)].prefix { " \t[".utf8.contains($0) }.count
    return clamped(Position(line: line, column: blanks + 1))
  }

  /// Whether a line has the form NAME = VALUE with a value that cannot continue on the next line.
  func isStatement(_ line: Int) -> Bool {
    let text = bytes[range(line)]
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return false }
    let name = text[..<equals]
    let value = String(decoding: text[equals...], as: UTF8.self)
    return !name.isEmpty
      && name.allSatisfy {
        " \t._-".utf8.contains($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
      }
      && !value.contains(where: { "[]{}".contains($0) }) && !value.contains("\"\"\"")
      && !value.contains("'''")
  }

  /// Whether a line contains typographic quotes: ‘ ’ “ ” „ « ».
  func hasCurlyQuotes(_ line: Int) -> Bool {
    String(decoding: bytes[range(line)], as: UTF8.self).unicodeScalars.contains {
      (0x2018...0x201F).contains($0.value) || $0 == "«" || $0 == "»"
    }
  }

  /// Overwrites a line with spaces, so that all other positions stay valid.
  mutating func blank(_ line: Int) {
    for index in range(line) { bytes[index] = UInt8(ascii: " ") }
  }

  /// Replaces the quoted text that follows a key by two quotes and spaces, so that the length of the file stays the
  /// same.
  /// - Parameter position: the position of the key.
  /// - Returns: `false` if the line does not contain the whole text, or if the text is empty.
  mutating func clearQuotedText(at position: Position) -> Bool {
    let line = range(position.line)
    // The first byte of each Unicode scalar: in UTF-8, any byte except 10xxxxxx (RFC 3629, section 3).
    let scalars = line.filter { bytes[$0] & 0xC0 != 0x80 }
    let equals = UInt8(ascii: "=")
    guard position.column <= scalars.count,
      var index = bytes[scalars[position.column - 1]..<line.upperBound].firstIndex(of: equals)
    else { return false }
    repeat { index += 1 } while index < line.upperBound && " \t".utf8.contains(bytes[index])
    guard index < line.upperBound, "\"'".utf8.contains(bytes[index]) else { return false }
    let (quote, start) = (bytes[index], index)
    repeat {
      index += quote == UInt8(ascii: "\"") && bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    } while index < line.upperBound && bytes[index] != quote
    // Two quotes in a row are an empty text, or the start of the three quotes that begin a text of several lines.
    guard index < line.upperBound, index > start + 1 else { return false }
    bytes[start + 1] = quote
    for blank in start + 2..<index + 1 { bytes[blank] = UInt8(ascii: " ") }
    return true
  }

  /// The text up to the end of the line before `line`, which counts from 1.
  func lines(before line: Int) -> DocumentText {
    DocumentText(Array(bytes[..<lineOffsets[line - 1]]))
  }
}
