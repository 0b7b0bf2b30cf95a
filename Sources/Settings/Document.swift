// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CTOML

/// A value as it was written, before any setting has judged it.
enum Raw: Sendable, Equatable {
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  /// A value that no setting accepts, with its article: "a date".
  case other(String)
  /// The right side of `--set`, which has no type of its own: each kind of setting reads it in its way.
  case word(String)

  /// The type, for sentences: "text in quotes", "a whole number".
  var kindName: String {
    switch self {
    case .text, .word: "text in quotes"
    case .integer: "a whole number"
    case .number: "a number with a fraction"
    case .flag: "true or false"
    case .other(let name): name
    }
  }
}

/// A TOML text as a flat list: each value, and each table that holds nothing.
struct Document {
  struct Leaf {
    /// The names of the key from the root, unquoted: ["video", "size"].
    let path: [String]
    let raw: Raw
    /// Where its key begins.
    let position: Position
  }

  /// A place where the text is not TOML. The sentence quotes nothing of the text.
  struct Fault: Equatable {
    let position: Position
    let sentence: String
  }

  /// Bytes of the largest settings file.
  static let longest = 1 << 20
  /// Faults after which reading ends.
  private static let mostFaults = 10

  /// In the text's order.
  private(set) var leaves: [Leaf] = []
  /// If there are any, `leaves` may lack values.
  private(set) var faults: [Fault] = []

  init(_ bytes: [UInt8]) {
    var text = DocumentText(bytes)
    if let fault = text.fault {
      faults = [fault]
      return
    }
    // A line that is wrong is blanked and the text is read again, so that one run names all the wrong lines. That is
    // only done where the line is a statement of its own, or else each line after it would seem wrong too.
    while true {
      let result = read(text)
      guard let fault = result.fault else {
        leaves = result.leaves
        break
      }
      faults.append(fault)
      let line = fault.position.line
      guard faults.count < Self.mostFaults, text.isStatement(line) else {
        // What stands before the fault is judged all the same.
        leaves = read(text.lines(before: line)).leaves
        break
      }
      text.blank(line)
    }
    leaves.sort { $0.position < $1.position }
  }
}

private struct Found {
  let leaf: Document.Leaf
  /// Whether it stands in an inline table: { NAME = VALUE }.
  let isInline: Bool
}

/// Reads the values of `text`, or finds its first fault.
private func read(_ text: DocumentText) -> (leaves: [Document.Leaf], fault: Document.Fault?) {
  var values: [Found] = []
  var place = ctoml_position()
  let status = unsafe text.bytes.withUnsafeBytes { bytes in
    unsafe withUnsafeMutablePointer(to: &values) { values in
      let source = unsafe ctoml_text(
        bytes: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count: bytes.count)
      return unsafe ctoml_read(
        source, values,
        { values, value in
          guard let values = unsafe values, let value = unsafe value?.pointee else { return }
          let path = unsafe UnsafeBufferPointer(start: value.path, count: value.path_count)
          let leaf = unsafe Document.Leaf(
            path: path.map { unsafe String($0) }, raw: Raw(value),
            position: Position(value.position))
          unsafe values.assumingMemoryBound(to: [Found].self)
            .pointee.append(Found(leaf: leaf, isInline: value.is_inline))
        }, &place)
    }
  }
  if status == CTOML_OK {
    let leaves = values.map { found in
      // toml++ gives the place of the last name; "video.size = 1" is reported at its start.
      Document.Leaf(
        path: found.leaf.path, raw: found.leaf.raw,
        position: found.isInline
          ? found.leaf.position : text.startOfKey(found.leaf.position.line))
    }
    return (leaves, nil)
  }
  let position = text.clamped(Position(place))
  let isAtStart =
    [CTOML_DUPLICATE, CTOML_NUMBER_ERROR, CTOML_DATE_ERROR].contains(status)
  return (
    [],
    Document.Fault(
      position: isAtStart ? text.startOfKey(position.line) : position, sentence: sentence(status))
  )
}

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
    case CTOML_LINE_ERROR: "one [SECTION] or one NAME = VALUE a line, and text in quotes"
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
