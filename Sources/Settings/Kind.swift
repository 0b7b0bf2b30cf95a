// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a value is refused.
enum Refusal: Error, Equatable {
  /// It is not what the kind allows; the form says what that is.
  case notAllowed
  /// A closer reason, to be read after "key: ". Never a piece of the value.
  case because(String)
}

/// What a setting's values look like: how one is read from what was written, what is allowed, how
/// one is shown. A kind may serve many settings.
struct Kind<Value: Sendable>: Sendable {
  /// What TOML calls it.
  let type: Declaration.ValueType
  /// What is allowed, to be read after "must be": "a whole number, 5 to 60".
  let allowed: String
  /// The values, or beginnings of values, that a misspelling may have meant.
  var choices: [String] = []
  /// The least and the greatest, for numbers.
  var range: ClosedRange<Double>?
  /// Reads and checks.
  let read: @Sendable (Raw) throws(Refusal) -> Value
  /// The value as TOML writes it.
  let show: @Sendable (Value) -> String
}

extension Raw {
  /// The text, if it is text.
  var asText: String? {
    switch self {
    case .text(let text), .word(let text): text
    default: nil
    }
  }

  /// The whole number, if it is one.
  var asInteger: Int? {
    switch self {
    case .integer(let number): number
    case .word(let word): Int(word)
    default: nil
    }
  }

  /// The number, whole or not, if it is one and finite.
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
  /// true or false.
  static var flag: Kind {
    Kind(
      type: .flag, allowed: "true or false", choices: ["true", "false"],
      read: { raw throws(Refusal) in
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
  /// A whole number in `range`.
  static func wholeNumber(_ range: ClosedRange<Int>) -> Kind {
    Kind(
      type: .wholeNumber,
      allowed: "a whole number, \(range.lowerBound) to \(range.upperBound)",
      range: Double(range.lowerBound)...Double(range.upperBound),
      read: { raw throws(Refusal) in
        guard let number = raw.asInteger, range.contains(number) else { throw .notAllowed }
        return number
      },
      show: { "\($0)" })
  }
}

extension Kind where Value == Double {
  /// A number in `range`, with or without a fraction.
  static func number(_ range: ClosedRange<Double>) -> Kind {
    Kind(
      type: .number,
      allowed: "a number, \(shortest(range.lowerBound)) to \(shortest(range.upperBound))",
      range: range,
      read: { raw throws(Refusal) in
        guard let number = raw.asNumber, range.contains(number) else { throw .notAllowed }
        return number
      },
      show: { shortest($0) })
  }
}

extension Kind where Value: CaseIterable & RawRepresentable & Sendable {
  /// One of the names of an enum of text.
  static func choice() -> Kind where Value.RawValue == String {
    let names = Value.allCases.map(\.rawValue)
    return Kind(
      type: .text, allowed: listed(names.map(quoted)), choices: names,
      read: { raw throws(Refusal) in
        guard let value = raw.asText.flatMap(Value.init(rawValue:)) else { throw .notAllowed }
        return value
      },
      show: { quoted($0.rawValue) })
  }

  /// One of the numbers of an enum of whole numbers.
  static func choice() -> Kind where Value.RawValue == Int {
    let names = Value.allCases.map { "\($0.rawValue)" }
    return Kind(
      type: .wholeNumber, allowed: listed(names), choices: names,
      read: { raw throws(Refusal) in
        guard let value = raw.asInteger.flatMap(Value.init(rawValue:)) else { throw .notAllowed }
        return value
      },
      show: { "\($0.rawValue)" })
  }
}

extension Kind {
  /// Text in a form of its own; `read` gives nil for what is not in that form.
  static func text(
    _ allowed: String, choices: [String] = [],
    read: @escaping @Sendable (String) throws(Refusal) -> Value?,
    show: @escaping @Sendable (Value) -> String
  ) -> Kind {
    Kind(
      type: .text, allowed: allowed, choices: choices,
      read: { raw throws(Refusal) in
        guard let text = raw.asText, let value = try read(text) else { throw .notAllowed }
        return value
      },
      show: { quoted(show($0)) })
  }
}

extension Kind where Value == String {
  /// The path of a file or folder; empty is none.
  static var path: Kind {
    .text(
      "a path, or empty",
      read: { text throws(Refusal) in
        guard text.isEmpty || isPath(text) else {
          throw .because("the path holds a control character or is longer than 4095 bytes")
        }
        return text
      },
      show: { $0 })
  }
}

/// Whether `text` can be a path: PATH_MAX in limits.h counts the closing NUL.
func isPath(_ text: String) -> Bool {
  (1...4095).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
}

/// `text` in quotes, as both TOML and JSON write it.
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

/// "2" for 2.0, "1.5" for 1.5.
private func shortest(_ number: Double) -> String {
  Int(exactly: number).map(String.init) ?? "\(number)"
}

/// "a", "a or b", "a, b or c".
func listed(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.joined() }
  return names.dropLast().joined(separator: ", ") + " or " + last
}
