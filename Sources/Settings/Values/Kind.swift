// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why the value of a setting is rejected.
enum ValueError: Error, Equatable {
  /// The value is not allowed. The form adds the allowed values to the message.
  case notAllowed
  /// A specific reason, as a continuation of "key: ", and its code. The reason must not quote the value, which may be
  /// secret.
  case because(String, Problem.Code = .other)
}

/// The type of a setting's value: how it is parsed, checked and formatted. Several settings may share a kind.
struct Kind<Value: Sendable>: Sendable {
  /// The TOML type of the value.
  let type: Declaration.ValueType
  /// The allowed values, as a continuation of "must be": "a whole number, 5 to 60".
  let allowed: String
  /// The allowed values, or prefixes of them, one of which is suggested for a misspelt value.
  var choices: [String] = []
  /// The allowed range of a number; `nil` for other types.
  var range: ClosedRange<Double>?
  /// The ways in which a value of this kind can name a file, such as "file:PATH"; empty if it cannot name one.
  var files: [FileReference] = []
  /// Parses and checks a value as it was given.
  let read: @Sendable (Raw) throws(ValueError) -> Value
  /// Formats a value as a TOML literal.
  let show: @Sendable (Value) -> String
}

extension Raw {
  /// The value as a text; `nil` if it has another type.
  var asText: String? {
    switch self {
    case .text(let text), .word(let text): text
    default: nil
    }
  }

  /// The value as a whole number; `nil` if it is not a whole number.
  var asInteger: Int? {
    switch self {
    case .integer(let number): number
    case .word(let word): Int(word)
    default: nil
    }
  }

  /// The value as a finite number, with or without a fraction; `nil` if it is not a finite number.
  var asNumber: Double? {
    let number: Double? =
      switch self {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .word(let word): Double(word)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension Kind where Value == Bool {
  /// The kind of a setting whose value is `true` or `false`.
  static var flag: Kind {
    Kind(
      type: .flag, allowed: "true or false", choices: ["true", "false"],
      read: { raw throws(ValueError) in
        switch raw {
        case .flag(let flag): return flag
        case .word("true"): return true
        case .word("false"): return false
        default: throw .notAllowed
        }
      },
      show: { "\($0)" })
  }
}

extension Kind where Value == Int {
  /// The kind of a setting whose value is a whole number in `range`.
  static func wholeNumber(_ range: ClosedRange<Int>) -> Kind {
    Kind(
      type: .wholeNumber,
      allowed: "a whole number, \(range.lowerBound) to \(range.upperBound)",
      range: Double(range.lowerBound)...Double(range.upperBound),
      read: { raw throws(ValueError) in
        guard let number = raw.asInteger, range.contains(number) else { throw .notAllowed }
        return number
      },
      show: { "\($0)" })
  }
}

extension Kind where Value == Double {
  /// The kind of a setting whose value is a number in `range`, with or without a fraction.
  static func number(_ range: ClosedRange<Double>) -> Kind {
    Kind(
      type: .number,
      allowed: "a number, \(numberText(range.lowerBound)) to \(numberText(range.upperBound))",
      range: range,
      read: { raw throws(ValueError) in
        guard let number = raw.asNumber, range.contains(number) else { throw .notAllowed }
        return number
      },
      show: { numberText($0) })
  }
}

extension Kind where Value: CaseIterable & RawRepresentable & Sendable {
  /// The kind of a setting whose value is one of the cases of an enum, written as its raw text.
  static func choice() -> Kind where Value.RawValue == String {
    let names = Value.allCases.map(\.rawValue)
    return Kind(
      type: .text, allowed: listed(names.map(quoted)), choices: names,
      read: { raw throws(ValueError) in
        guard let value = raw.asText.flatMap(Value.init(rawValue:)) else { throw .notAllowed }
        return value
      },
      show: { quoted($0.rawValue) })
  }

  /// The kind of a setting whose value is one of the cases of an enum, written as its raw integer.
  static func choice() -> Kind where Value.RawValue == Int {
    let names = Value.allCases.map { "\($0.rawValue)" }
    return Kind(
      type: .wholeNumber, allowed: listed(names), choices: names,
      read: { raw throws(ValueError) in
        guard let value = raw.asInteger.flatMap(Value.init(rawValue:)) else { throw .notAllowed }
        return value
      },
      show: { "\($0.rawValue)" })
  }
}

extension Kind {
  /// The kind of a setting whose value is written as a text in a special format. `read` parses the text, and returns
  /// `nil` if the text does not have this format. `show` formats the value as text again.
  static func text(
    _ allowed: String, choices: [String] = [], files: [FileReference] = [],
    read: @escaping @Sendable (String) throws(ValueError) -> Value?,
    show: @escaping @Sendable (Value) -> String
  ) -> Kind {
    Kind(
      type: .text, allowed: allowed, choices: choices, files: files,
      read: { raw throws(ValueError) in
        guard let text = raw.asText, let value = try read(text) else { throw .notAllowed }
        return value
      },
      show: { quoted(show($0)) })
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the path of a file or folder, or empty.
  /// - Parameter use: what the file is for.
  static func path(_ use: FileReference.Use) -> Kind {
    .text(
      "a path, or empty", files: [FileReference(use)],
      read: { text throws(ValueError) in
        guard text.isEmpty || isPath(text) else {
          throw .because(
            "the path holds a control character or is longer than 4095 bytes", .notAllowed)
        }
        return text
      },
      show: { $0 })
  }
}

/// Whether `text` can be a path: 1 to 4095 bytes without control characters. PATH_MAX in limits.h (4096) includes the
/// terminating NUL.
func isPath(_ text: String) -> Bool {
  (1...4095).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
}

/// `text` as a string literal, in the subset of escapes that TOML and JSON share.
func quoted(_ text: String) -> String {
  var out = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\":
      out += "\\\(scalar)"
    case _ where isControl(scalar):
      let hex = String(scalar.value, radix: 16)
      out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    default:
      out.unicodeScalars.append(scalar)
    }
  }
  return out + "\""
}

/// The number as text, without a fraction if it is whole: "2" for 2.0, "1.5" for 1.5.
func numberText(_ number: Double) -> String {
  Int(exactly: number).map(String.init) ?? "\(number)"
}

/// Joins names for a sentence: "a", "a or b", "a, b or c".
func listed(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.joined() }
  return names.dropLast().joined(separator: ", ") + " or " + last
}
