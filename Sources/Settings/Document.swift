// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TOMLKit

/// A value as it was written, before any setting has judged it.
enum Raw: Sendable, Equatable {
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  /// What no setting takes, named with its article: "a date".
  case other(String)
  /// The right side of `--set`, which is whatever its setting can read it as.
  case word(String)

  /// What kind of thing it is, for sentences: "text", "a whole number".
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
    /// The parts of the key from the root, unquoted: ["video", "size"].
    let path: [String]
    let raw: Raw
    let position: Position
  }

  /// Why a text is no TOML; the sentence holds nothing of the text.
  struct Fault: Error, Equatable {
    let position: Position
    let sentence: String
  }

  /// 1 MiB: far beyond any real file, small enough to hold thrice.
  static let longest = 1 << 20

  private(set) var leaves: [Leaf] = []

  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.longest else {
      throw Fault(position: .start, sentence: "the file is larger than 1 MiB")
    }
    let scalars = try Self.decode(bytes)
    let scanner = try KeyScanner(scalars)
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let complaint = Complaint(error.description)
      let end = Self.clamp(error.source.begin, to: scalars)
      // The parser points behind what it could not take; a person looks for the name before it.
      let start = scanner.starts.last { $0 <= end } ?? .start
      throw Fault(position: complaint.isOfOneCharacter ? end : start, sentence: complaint.sentence)
    } catch {
      throw Fault(position: .start, sentence: Complaint("").sentence)
    }
    collect(table, path: [], places: scanner.places)
    leaves.sort { $0.position < $1.position }
  }

  /// The scalars of valid UTF-8 without NUL; a leading byte order mark is dropped.
  private static func decode(_ bytes: [UInt8]) throws(Fault) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(bytes.count)
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var (line, column) = (1, 1)
    while true {
      let position = Position(line: line, column: column)
      switch decoder.decode(&iterator) {
      case .emptyInput:
        return scalars
      case .error:
        throw Fault(position: position, sentence: "the file is not UTF-8")
      case .scalarValue("\0"):
        throw Fault(position: position, sentence: "a NUL character is not allowed")
      case .scalarValue("\u{FEFF}") where scalars.isEmpty && position == .start:
        continue
      case .scalarValue(let scalar):
        scalars.append(scalar)
        (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
      }
    }
  }

  /// The parser may point behind the end; the end is the nearest place in the text.
  private static func clamp(
    _ source: TOMLSourcePosition, to scalars: [Unicode.Scalar]
  ) -> Position {
    let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
    let line = min(max(source.line, 1), lines.count)
    return Position(line: line, column: min(max(source.column, 1), lines[line - 1].count + 1))
  }

  private mutating func collect(
    _ table: TOMLTable, path: [String], places: [[String]: Position]
  ) {
    for key in table.keys {
      guard let value = table[key] else { continue }
      let path = path + [key]
      if let inner = value.table, !inner.isEmpty {
        collect(inner, path: path, places: places)
      } else {
        leaves.append(Leaf(path: path, raw: raw(value), position: places[path] ?? .start))
      }
    }
  }

  private func raw(_ value: any TOMLValueConvertible) -> Raw {
    switch value.type {
    case .string: value.string.map(Raw.text) ?? .other("text")
    case .int: value.int.map(Raw.integer) ?? .other("a number")
    case .double: value.double.map(Raw.number) ?? .other("a number")
    case .bool: value.bool.map(Raw.flag) ?? .other("true or false")
    case .table: .other("a table")
    case .array: .other("a list")
    case .date: .other("a date")
    case .time: .other("a time")
    case .dateTime: .other("a date")
    }
  }
}

/// What the parser complains of, in a sentence of our own.
///
/// toml++'s messages quote the text ("cannot redefine existing string 'KEY'", "'123' is not
/// representable"), and what stands there may be a secret with its quotes forgotten. So nothing of the
/// message is handed on: it only chooses among the sentences here. What `KeyScanner` has refused is
/// not among them.
private struct Complaint {
  let sentence: String
  /// Whether it is about the character at its position, not about a whole value or key.
  let isOfOneCharacter: Bool

  init(_ message: String) {
    let start = "Error while parsing "
    let reason = message.hasPrefix(start) ? message.dropFirst(start.count) : message[...]
    let scope = reason.prefix { $0 != ":" }
    isOfOneCharacter = ["string", "unicode scalar sequence", "literal string", "comment"]
      .contains(scope)
    let what =
      switch scope {
      case _ where reason.contains("cannot redefine") || reason.contains("cannot insert"):
        "this name is already set further up"
      case "string", "unicode scalar sequence":
        "in text in quotes, \\ is written \\\\, and control characters are not allowed"
      case "literal string", "comment":
        "control characters are not allowed"
      case _ where scope.contains("integer") || scope.contains("floating-point"):
        "this number cannot be read"
      case _ where scope.contains("date") || scope.contains("time"):
        "there is no such date or time"
      default:
        "a value is text in quotes, a number, true or false"
      }
    sentence = "not valid TOML: \(what)"
  }
}
