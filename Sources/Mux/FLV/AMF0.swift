// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A value of Action Message Format 0 (Adobe's "amf0-file-format-specification", 2.1): the kinds that RTMP
/// commands use.
package enum AMF0: Equatable {
  /// A value with a name, as objects and ECMA arrays contain it.
  package struct Property: Equatable {
    package var name: String
    package var value: AMF0
    package init(_ name: String, _ value: AMF0) {
      self.name = name
      self.value = value
    }
  }

  case number(Double)
  case boolean(Bool)
  case string(String)
  /// Values with names.
  case object([Property])
  case null
  case undefined
  /// Values with names, preceded by their number.
  case ecmaArray([Property])
  /// Values without names.
  case strictArray([AMF0])
  /// Milliseconds since 1970, in UTC.
  case date(Double)

  package subscript(name: String) -> AMF0? {
    switch self {
    case .object(let properties), .ecmaArray(let properties):
      properties.first { $0.name == name }?.value
    default: nil
    }
  }

  /// The value of a number; `nil` for another kind.
  package var number: Double? { if case .number(let value) = self { value } else { nil } }
  /// The value of a string; `nil` for another kind.
  package var string: String? { if case .string(let value) = self { value } else { nil } }
}

// Encoding values as bytes.
extension AMF0 {
  /// Encodes values one after another in AMF0.
  package static func encode(_ values: [AMF0]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { value.append(to: &bytes) }
    return bytes
  }

  /// Appends this value: the marker of its kind, and the content.
  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .number(let value):
      bytes.append(0x00)
      AMF0.append(value, to: &bytes)
    case .boolean(let value):
      bytes += [0x01, value ? 1 : 0]
    case .string(let text):
      let length = text.utf8.count
      if length <= 0xFFFF {
        bytes.append(0x02)
        AMF0.append(name: text, to: &bytes)
      } else {
        bytes.append(0x0C)
        AMF0.append(UInt32(length), to: &bytes)
        bytes += text.utf8
      }
    case .object(let properties):
      bytes.append(0x03)
      AMF0.append(properties, to: &bytes)
    case .null: bytes.append(0x05)
    case .undefined: bytes.append(0x06)
    case .ecmaArray(let properties):
      bytes.append(0x08)
      AMF0.append(UInt32(properties.count), to: &bytes)
      AMF0.append(properties, to: &bytes)
    case .strictArray(let values):
      bytes.append(0x0A)
      AMF0.append(UInt32(values.count), to: &bytes)
      for value in values { value.append(to: &bytes) }
    case .date(let milliseconds):
      bytes.append(0x0B)
      AMF0.append(milliseconds, to: &bytes)
      bytes += [0, 0]
    }
  }

  /// Appends the properties of an object or ECMA array, and the marker of their end.
  private static func append(_ properties: [Property], to bytes: inout [UInt8]) {
    for property in properties {
      append(name: property.name, to: &bytes)
      property.value.append(to: &bytes)
    }
    bytes += [0, 0, 0x09]
  }

  /// Appends the 8 bytes of a number, the most significant first.
  private static func append(_ number: Double, to bytes: inout [UInt8]) {
    let pattern = number.bitPattern
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: pattern >> UInt64(shift)))
    }
  }

  /// Appends the 4 bytes of a count or length, the most significant first.
  private static func append(_ count: UInt32, to bytes: inout [UInt8]) {
    bytes += bigEndian(count)
  }

  /// The 4 bytes of a number, the most significant first.
  package static func bigEndian(_ value: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }

  /// Appends a text of up to 65,535 bytes, preceded by its length in 2 bytes. Cuts off a longer text.
  private static func append(name: String, to bytes: inout [UInt8]) {
    let utf8 = Array(name.utf8.prefix(0xFFFF))
    bytes += [UInt8(utf8.count >> 8), UInt8(utf8.count & 0xFF)]
    bytes += utf8
  }
}

/// Reads AMF0 that may be malformed, hostile or truncated.
package struct AMF0Reader {
  /// How deeply nested objects may be; deeper ones cannot be read. Servers nest objects three deep at most.
  static let maxDepth = 8

  /// The bytes that are read.
  private let bytes: ArraySlice<UInt8>
  /// The index in `bytes` of the next byte to read.
  private var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Reads all values up to the end of the bytes, or up to the first value that cannot be read.
  package static func values(_ bytes: ArraySlice<UInt8>) -> [AMF0] {
    var reader = AMF0Reader(bytes)
    var values: [AMF0] = []
    while let value = reader.value(depth: 0) { values.append(value) }
    return values
  }

  /// Reads a value; `nil` if it cannot be read.
  /// - Parameter depth: the number of objects and arrays that contain the value.
  private mutating func value(depth: Int) -> AMF0? {
    guard depth <= AMF0Reader.maxDepth, let marker = integer(1) else { return nil }
    switch marker {
    case 0x00: return double().map { .number($0) }
    case 0x01: return integer(1).map { .boolean($0 != 0) }
    case 0x02: return text(lengthBytes: 2).map { .string($0) }
    case 0x03: return properties(depth: depth).map { .object($0) }
    case 0x05: return .null
    case 0x06, 0x0D: return .undefined
    case 0x08:
      guard integer(4) != nil else { return nil }
      return properties(depth: depth).map { .ecmaArray($0) }
    case 0x0A:
      guard let count = integer(4), count <= bytes.endIndex - position else { return nil }
      var values: [AMF0] = []
      for _ in 0..<count {
        guard let value = value(depth: depth + 1) else { return nil }
        values.append(value)
      }
      return .strictArray(values)
    case 0x0B:
      guard let milliseconds = double(), integer(2) != nil else { return nil }
      return .date(milliseconds)
    case 0x0C, 0x0F: return text(lengthBytes: 4).map { .string($0) }
    default: return nil
    }
  }

  /// Reads the properties of an object or ECMA array up to the marker of their end; `nil` if they cannot be read.
  private mutating func properties(depth: Int) -> [AMF0.Property]? {
    var properties: [AMF0.Property] = []
    while true {
      guard let name = text(lengthBytes: 2) else { return nil }
      if name.isEmpty, position < bytes.endIndex, bytes[position] == 0x09 {
        position += 1
        return properties
      }
      guard let value = value(depth: depth + 1) else { return nil }
      properties.append(AMF0.Property(name, value))
    }
  }

  /// Reads an unsigned number of `width` bytes, the most significant first; `nil` if fewer bytes are left.
  private mutating func integer(_ width: Int) -> Int? {
    guard bytes.endIndex - position >= width else { return nil }
    var result = 0
    for _ in 0..<width {
      result = result << 8 | Int(bytes[position])
      position += 1
    }
    return result
  }

  /// Reads a number of 8 bytes; `nil` if fewer bytes are left.
  private mutating func double() -> Double? {
    guard let high = integer(4), let low = integer(4) else { return nil }
    return Double(bitPattern: UInt64(high) << 32 | UInt64(low))
  }

  /// Reads a UTF-8 text that is preceded by its length in `lengthBytes` bytes; `nil` if fewer bytes are left.
  private mutating func text(lengthBytes: Int) -> String? {
    guard let length = integer(lengthBytes), length <= bytes.endIndex - position else { return nil }
    defer { position += length }
    return String(decoding: bytes[position..<position + length], as: UTF8.self)
  }
}
