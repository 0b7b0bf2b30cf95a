// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CTOML

/// The value of a setting as it was given, before it is parsed and checked.
enum Raw: Sendable, Equatable {
  /// A TOML string.
  case text(String)
  /// A TOML integer.
  case integer(Int)
  /// A TOML float.
  case number(Double)
  /// A TOML boolean.
  case flag(Bool)
  /// A value of a type that no setting has. The text is the name of that type with its article: "a date".
  case other(String)
  /// A text without a TOML type, such as the value of a `--set` argument: the setting's `Kind` parses it.
  case word(String)

  /// The name of the value's type for error messages: "text in quotes", "a whole number".
  var typeName: String {
    switch self {
    case .text, .word: "text in quotes"
    case .integer: "a whole number"
    case .number: "a number with a fraction"
    case .flag: "true or false"
    case .other(let name): name
    }
  }
}

/// A parsed TOML file as a flat list of its values and empty tables.
struct Document {
  /// A value in the file, or an empty table.
  struct Leaf {
    /// The names in the key, without quotes: ["video", "size"] for `video.size`. In an entry of a list, the name of the
    /// entry follows the name of the list: ["relay", "a", "url"] for `url` in the `[[relay]]` with `name = "a"`.
    fileprivate(set) var path: [String]
    let raw: Raw
    /// The position of the key in the file.
    let position: Position

    /// Whether this value is the name of a list entry, as in `name = "a"`. The name is not a setting itself: it is part
    /// of the keys of the entry's settings.
    var isEntryName: Bool {
      path.count == 3 && path[2] == "name" && Settings.list(of: path[0]) != nil
    }
  }

  /// A syntax error. The sentence quotes nothing from the file, which may contain a secret.
  struct Fault: Equatable {
    let position: Position
    let sentence: String
  }

  /// Maximum size of a settings file in bytes.
  static let maxBytes = 1 << 20
  /// The error sentence for a line with curly quotes. Word processors and the keyboards of telephones insert curly
  /// quotes automatically.
  private static let curlyQuoteSentence =
    "not valid TOML: text is written in straight quotes (\"), and these are curly ones"
  /// The maximum number of syntax errors that are reported.
  private static let maxFaults = 10

  /// The values, in the order of the file.
  private(set) var leaves: [Leaf] = []
  /// Syntax errors. If there are any, `leaves` may be incomplete.
  private(set) var faults: [Fault] = []

  init(_ bytes: [UInt8]) {
    var text = DocumentText(bytes)
    if let fault = text.fault {
      faults = [fault]
      return
    }
    // Overwrite a line that has a syntax error with spaces, and parse the text again, so that one run reports all
    // errors. Do so only if the line is a complete statement: if it is the first line of a multi-line value, the other
    // lines of the value would be reported as errors, too.
    while true {
      let result = read(text)
      guard let fault = result.fault else {
        leaves = result.leaves
        break
      }
      let line = fault.position.line
      faults.append(
        text.hasCurlyQuotes(line)
          ? Fault(position: fault.position, sentence: Self.curlyQuoteSentence) : fault)
      guard faults.count < Self.maxFaults, text.isStatement(line) else {
        // Keep the values that stand before the error.
        leaves = read(text.lines(before: line)).leaves
        break
      }
      text.blank(line)
    }
    leaves.sort { $0.position < $1.position }
  }
}

/// A parsed value, and the table of the file that contains it.
private struct ParsedValue {
  /// The value, with its path of names and its position in the file.
  var leaf: Document.Leaf
  /// The index of the `[[LIST]]` table that contains the value, counted from 0 over all lists of the file; `nil` if the
  /// value is in no such table.
  let tableIndex: Int?
  /// Whether the value is part of an inline table: `{ NAME = VALUE }`.
  let isInline: Bool
}

/// Parses `text`. Returns the values and no error, or no values and the first syntax error.
private func read(_ text: DocumentText) -> (leaves: [Document.Leaf], fault: Document.Fault?) {
  var values: [ParsedValue] = []
  var errorPosition = ctoml_position()
  let status = unsafe text.bytes.withUnsafeBytes { bytes in
    unsafe withUnsafeMutablePointer(to: &values) { values in
      let source = unsafe ctoml_text(
        bytes: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count: bytes.count)
      return unsafe ctoml_read(
        source, { name in unsafe Settings.list(of: String(name)) != nil }, values,
        { values, value in
          guard let values = unsafe values, let value = unsafe value?.pointee else { return }
          let path = unsafe UnsafeBufferPointer(start: value.path, count: value.path_count)
          let leaf = unsafe Document.Leaf(
            path: path.map { unsafe String($0) }, raw: Raw(value),
            position: Position(value.position))
          unsafe values.assumingMemoryBound(to: [ParsedValue].self)
            .pointee.append(
              ParsedValue(
                leaf: leaf, tableIndex: value.table < 0 ? nil : Int(value.table),
                isInline: value.is_inline))
        }, &errorPosition)
    }
  }
  if status == CTOML_OK {
    let leaves = insertingEntryNames(values).map { found in
      // toml++ returns the position of the last name of a dotted key ("video.size"): report the start of the key.
      Document.Leaf(
        path: found.leaf.path, raw: found.leaf.raw,
        position: found.isInline
          ? found.leaf.position : text.startOfKey(found.leaf.position.line))
    }
    return (leaves, nil)
  }
  let position = text.clamped(Position(errorPosition))
  // Whether to report the position of the line's key, since the error concerns the whole setting.
  let reportsKey =
    [CTOML_DUPLICATE, CTOML_NUMBER_ERROR, CTOML_DATE_ERROR].contains(status)
  return (
    [],
    Document.Fault(
      position: reportsKey ? text.startOfKey(position.line) : position, sentence: sentence(status))
  )
}

/// Inserts the name of each list entry into the paths of its values, after the name of the list. The name of an entry
/// without a name is "".
private func insertingEntryNames(_ values: [ParsedValue]) -> [ParsedValue] {
  // The names of the list entries, by the index of their `[[LIST]]` table.
  var names: [Int: String] = [:]
  for found in values where found.leaf.path.dropFirst() == ["name"] {
    if let table = found.tableIndex { names[table] = found.leaf.raw.asText }
  }
  return values.map { found in
    guard let table = found.tableIndex else { return found }
    var found = found
    found.leaf.path.insert(names[table] ?? "", at: 1)
    return found
  }
}

/// The sentence for users about an error of the TOML parser.
private func sentence(_ status: ctoml_status) -> String {
  if status == CTOML_TOO_DEEP { return "nested too deeply: settings are SECTION.NAME" }
  if status == CTOML_NO_MEMORY { return "there is not enough memory to read the file" }
  let reason =
    switch status {
    case CTOML_DUPLICATE: "this name is already set further up"
    case CTOML_UNFINISHED_STRING: "the quote that ends this text is missing"
    case CTOML_STRING_ERROR:
      "in text in quotes, \\ is written \\\\, and control characters are not allowed"
    case CTOML_CONTROL_CHARACTER: "control characters are not allowed"
    case CTOML_KEY_ERROR:
      "write NAME = VALUE; a name is letters, digits, \"_\" and \"-\", as in video.size"
    case CTOML_HEADER_ERROR: "a section is written [NAME]"
    case CTOML_LINE_ERROR: "write one [SECTION] or one NAME = VALUE per line, and text in quotes"
    case CTOML_NUMBER_ERROR: "this number cannot be read"
    case CTOML_DATE_ERROR: "there is no such date or time"
    case CTOML_ARRAY_ERROR: "a list is written [A, B]"
    case CTOML_INLINE_TABLE_ERROR:
      "a table in braces is written { NAME = VALUE, NAME = VALUE }"
    default: "a value is text in quotes, a number, true or false"
    }
  return "not valid TOML: \(reason)"
}

extension String {
  fileprivate init(_ text: ctoml_text) {
    let bytes = unsafe UnsafeRawBufferPointer(start: text.bytes, count: text.count)
    self = unsafe String(decoding: bytes, as: UTF8.self)
  }
}

extension Position {
  fileprivate init(_ place: ctoml_position) {
    self.init(line: Int(place.line), column: Int(place.column))
  }
}

extension Raw {
  fileprivate init(_ value: ctoml_value) {
    self =
      switch unsafe value.kind {
      case CTOML_STRING: unsafe .text(String(value.string))
      case CTOML_INTEGER: unsafe .integer(Int(value.integer))
      case CTOML_FLOAT: unsafe .number(value.number)
      case CTOML_BOOLEAN: unsafe .flag(value.boolean)
      case CTOML_TIME: .other("a time")
      case CTOML_ARRAY: .other("a list")
      case CTOML_TABLE: .other("a table")
      default: .other("a date")
      }
  }
}
