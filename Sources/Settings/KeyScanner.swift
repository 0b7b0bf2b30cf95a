// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds where in a TOML text each key and table stands.
///
/// TOMLKit parses and checks, but its values do not tell their place. This reads the structure of
/// TOML 1.0 (https://toml.io/en/v1.0.0): bare, quoted and dotted keys, headers, inline tables, strings
/// of all four kinds, lists, comments. What values mean, and that no name is set twice, is left to the
/// parser. And it stands guard before the parser (toml++ 3.4.0), refusing with sentences of our own:
/// - what has not the form of TOML: at some of it toml++'s assertions end the program;
/// - nesting beyond `deepest`: toml++'s tables are destroyed recursively;
/// - an escaped NUL: the C strings that TOMLKit hands out would end there.
struct KeyScanner {
  private typealias Fault = Document.Fault

  /// Levels of lists and tables in one value, and parts of one key. Settings need two.
  static let deepest = 32

  private let text: [Unicode.Scalar]
  private var index = 0
  private var line = 1
  private var column = 1
  /// The position of the first mention of each path.
  private(set) var places: [[String]: Position] = [:]
  /// Where each key and header begins, in the text's order.
  private(set) var starts: [Position] = []

  /// Scans all of `text`, which does not begin with a byte order mark.
  init(_ text: [Unicode.Scalar]) throws(Document.Fault) {
    self.text = text
    try scanDocument()
  }

  private func fault(_ sentence: String, at place: Position? = nil) -> Fault {
    Fault(position: place ?? position, sentence: "not valid TOML: \(sentence)")
  }

  private func tooDeep() -> Fault {
    Fault(position: position, sentence: "nested too deeply: settings are SECTION.NAME")
  }

  // MARK: Document

  private mutating func scanDocument() throws(Fault) {
    var table: [String] = []
    skipFiller()
    while let scalar = peek() {
      if scalar == "[" {
        table = try scanHeader()
      } else {
        try scanAssignment(under: table, depth: 0)
      }
      skipBlanks()
      guard peek() == nil || peek() == "#" || atLineEnd else {
        throw fault("one [SECTION] or one NAME = VALUE a line, and text in quotes")
      }
      skipFiller()
    }
  }

  /// `[path]` or `[[path]]`.
  private mutating func scanHeader() throws(Fault) -> [String] {
    starts.append(position)
    advance()
    let isArray = take("[")
    skipBlanks()
    let start = position
    let path = try scanKey()
    note(path, at: start)
    guard take("]"), !isArray || take("]") else {
      throw fault("a section is written [NAME]")
    }
    return path
  }

  /// `path = value`; `prefix` is nil inside a list, where no path leads to.
  private mutating func scanAssignment(
    under prefix: [String]?, depth: Int
  ) throws(Fault) {
    let start = position
    starts.append(start)
    let key = try scanKey()
    let path = prefix.map { $0 + key }
    if let path { note(path, at: start) }
    guard take("=") else { throw fault("write NAME = VALUE") }
    skipBlanks()
    try scanValue(path, depth: depth)
  }

  private mutating func note(_ path: [String], at place: Position) {
    for count in stride(from: path.count, to: 0, by: -1) {
      let part = Array(path.prefix(count))
      // What leads to a known path is known too.
      if places[part] != nil { break }
      places[part] = place
    }
  }

  // MARK: Keys

  private mutating func scanKey() throws(Fault) -> [String] {
    var parts: [String] = []
    repeat {
      guard parts.count < Self.deepest else { throw tooDeep() }
      skipBlanks()
      switch peek() {
      case "\"", "'": parts.append(try scanString())
      default: parts.append(try scanBareKey())
      }
      skipBlanks()
    } while take(".")
    return parts
  }

  private mutating func scanBareKey() throws(Fault) -> String {
    var name = ""
    while let scalar = peek(), isBare(scalar) {
      name.unicodeScalars.append(scalar)
      advance()
    }
    guard !name.isEmpty else {
      throw fault("a name is letters, digits, \"_\" and \"-\", as in video.size")
    }
    return name
  }

  private func isBare(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  // MARK: Values

  private mutating func scanValue(_ path: [String]?, depth: Int) throws(Fault) {
    switch peek() {
    case "\"", "'":
      _ = try scanString()
    case "[", "{":
      guard depth < Self.deepest else { throw tooDeep() }
      if peek() == "[" { try scanArray(depth: depth) } else { try scanTable(path, depth: depth) }
    default:
      try scanBareValue()
    }
  }

  /// A number, a date, true or false.
  private mutating func scanBareValue() throws(Fault) {
    let start = position
    var word = ""
    while let scalar = peek(), isBare(scalar) || "+:.".unicodeScalars.contains(scalar) {
      word.unicodeScalars.append(scalar)
      advance()
      // A date and a time may have a space between them.
      if word.utf8.count == 10, word.utf8.filter({ $0 == UInt8(ascii: "-") }).count == 2,
        peek() == " ", let next, ("0"..."9").contains(next)
      {
        word += " "
        advance()
      }
    }
    guard isBareValue(word) else {
      throw fault("a value is text in quotes, a number, true or false", at: start)
    }
  }

  private mutating func scanArray(depth: Int) throws(Fault) {
    advance()
    skipFiller()
    while !take("]") {
      try scanValue(nil, depth: depth + 1)
      skipFiller()
      guard take(",") || peek() == "]" else { throw fault("a list is written [A, B]") }
      skipFiller()
    }
  }

  private mutating func scanTable(_ path: [String]?, depth: Int) throws(Fault) {
    advance()
    skipBlanks()
    if take("}") { return }
    repeat {
      skipBlanks()
      try scanAssignment(under: path, depth: depth + 1)
      skipBlanks()
    } while take(",")
    guard take("}") else {
      throw fault("a table in braces is written { NAME = VALUE, NAME = VALUE }")
    }
  }

  // MARK: Strings

  /// Any of the four kinds; gives the text, which only keys need.
  private mutating func scanString() throws(Fault) -> String {
    let start = position
    let unfinished = fault("the quote that ends this text is missing", at: start)
    guard let quote = peek() else { throw unfinished }
    advance()
    var closing = 1
    if peek() == quote {
      advance()
      guard peek() == quote else { return "" }
      advance()
      closing = 3
    }
    var content = ""
    while let scalar = peek() {
      if scalar == quote, closing == 1 || follows(quote, times: 3) {
        // Up to two quotes may stand right before the closing three and belong to the text.
        var extra = 0
        while closing == 3, extra < 2, follows(quote, times: 4) {
          advance()
          extra += 1
        }
        for _ in 0..<closing { advance() }
        return content
      }
      if scalar == "\n", closing == 1 { throw unfinished }
      if scalar == "\\", quote == "\"" {
        try scanEscape(into: &content)
      } else {
        content.unicodeScalars.append(scalar)
        advance()
      }
    }
    throw unfinished
  }

  private mutating func scanEscape(into content: inout String) throws(Fault) {
    let start = position
    advance()
    let wrong = fault("in text in quotes, \\ is written \\\\", at: start)
    guard let letter = peek() else { throw wrong }
    advance()
    let simple: [Unicode.Scalar: Unicode.Scalar] = [
      "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
    ]
    if let scalar = simple[letter] {
      content.unicodeScalars.append(scalar)
    } else if letter == "u" || letter == "U" {
      var value: UInt32 = 0
      for _ in 0..<(letter == "u" ? 4 : 8) {
        guard let digit = peek().flatMap({ Character($0).hexDigitValue }) else {
          throw wrong
        }
        value = value &<< 4 | UInt32(digit)
        advance()
      }
      guard value != 0 else {
        throw Fault(position: start, sentence: "a NUL character is not allowed")
      }
      guard let scalar = Unicode.Scalar(value) else { throw wrong }
      content.unicodeScalars.append(scalar)
    }
    // Else a line's end that a multi-line string folds away, or an escape the parser refuses.
  }

  // MARK: Scalars

  private var position: Position { Position(line: line, column: column) }

  private func peek() -> Unicode.Scalar? { index < text.count ? text[index] : nil }

  private func follows(_ scalar: Unicode.Scalar, times: Int) -> Bool {
    index + times <= text.count && text[index..<index + times].allSatisfy { $0 == scalar }
  }

  private mutating func advance() {
    guard index < text.count else { return }
    if text[index] == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
    index += 1
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    advance()
    return true
  }

  private mutating func skipBlanks() {
    while let scalar = peek(), scalar == " " || scalar == "\t" { advance() }
  }

  private var atLineEnd: Bool { peek() == "\n" || peek() == "\r" && next == "\n" }

  private var next: Unicode.Scalar? { index + 1 < text.count ? text[index + 1] : nil }

  /// Blanks, line ends and comments.
  private mutating func skipFiller() {
    while let scalar = peek() {
      if scalar == "#" {
        while let next = peek(), next != "\n" { advance() }
      } else if scalar == " " || scalar == "\t" || atLineEnd {
        advance()
      } else {
        return
      }
    }
  }
}
