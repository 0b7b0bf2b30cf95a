// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A D-Bus value ("D-Bus Specification", section "Type System"), of the types that NetworkManager uses.
package indirect enum BusValue: Sendable, Equatable {
  /// A D-Bus string. A D-Bus signature (the type "g") is also read as a `text`.
  case text(String)
  /// The path of an object on the bus.
  case path(String)
  /// A boolean.
  case flag(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  /// A floating-point number.
  case number(Double)
  /// An array of bytes, such as the name of a Wi-Fi.
  case bytes([UInt8])
  /// A D-Bus array: the D-Bus signature that all elements have, and the elements.
  case list(String, [BusValue])
  /// A dictionary whose keys are strings or object paths: the D-Bus signature of its values, and its entries. If the
  /// signature is "v", each value is written inside a variant. Reading removes the variants: each value is then the one
  /// inside its variant.
  case map(String, [String: BusValue])
  /// A D-Bus struct: a fixed sequence of values of any types.
  case tuple([BusValue])
  /// A D-Bus variant, for writing only. A variant that is read becomes the value inside it.
  case variant(BusValue)

  /// Makes a dictionary with the D-Bus signature a{sv}: each value is written inside a variant.
  package static func variants(_ values: [String: BusValue]) -> BusValue { .map("v", values) }

  /// The D-Bus signature with which the value is written.
  package var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .byte: "y"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .number: "d"
    case .bytes: "ay"
    case .list(let element, _): "a\(element)"
    case .map(let value, _): "a{s\(value)}"
    case .variant: "v"
    case .tuple(let values): "(\(values.map(\.signature).joined()))"
    }
  }

  /// The text of a string or a path; `nil` for anything else.
  package var text: String? {
    switch self {
    case .text(let text), .path(let text): text
    default: nil
    }
  }

  /// The value as an object path; `nil` if it is no path, or if it is the path "/", which NetworkManager uses for "no
  /// object".
  package var object: String? {
    guard case .path(let path) = self, path != "/" else { return nil }
    return path
  }

  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

  /// The number, if the value is an integer of any width; `nil` for anything else.
  package var integer: Int? {
    switch self {
    case .byte(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(clamping: value)
    default: nil
    }
  }

  package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The elements of an array or a tuple; empty for anything else.
  package var elements: [BusValue] {
    switch self {
    case .list(_, let values), .tuple(let values): values
    default: []
    }
  }

  /// The entries of a dictionary; empty for anything else.
  package var entries: [String: BusValue] {
    if case .map(_, let values) = self { values } else { [:] }
  }

  package subscript(key: String) -> BusValue? { entries[key] }
}
