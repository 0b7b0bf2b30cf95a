// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A value of D-Bus ("D-Bus Specification", section "Type System"), as far as NetworkManager uses them.
package indirect enum BusValue: Sendable, Equatable {
  case text(String)
  case path(String)
  case flag(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case number(Double)
  /// An array of bytes: a Wi-Fi's name.
  case bytes([UInt8])
  /// An array, with the signature of its elements.
  case list(String, [BusValue])
  /// A dictionary with names or paths as keys, and the signature of its values. Those of "v" are written as variants;
  /// a variant that is read is its content.
  case map(String, [String: BusValue])
  case tuple([BusValue])
  /// Is only written: a value with its type.
  case variant(BusValue)

  package static func variants(_ values: [String: BusValue]) -> BusValue { .map("v", values) }

  /// The signature with which it is written.
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

  package var text: String? {
    switch self {
    case .text(let text), .path(let text): text
    default: nil
    }
  }

  /// The path of an object; `nil` for "/", which stands for none.
  package var object: String? {
    guard case .path(let path) = self, path != "/" else { return nil }
    return path
  }

  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

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
