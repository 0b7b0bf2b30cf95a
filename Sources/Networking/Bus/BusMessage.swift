// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSystemd

/// Appends values to a D-Bus message. The functions return a negative errno if they fail, otherwise 0 or more.
@safe struct BusWriter {
  /// The message to write to (`sd_bus_message *`).
  let message: OpaquePointer

  /// Appends a value, including the values inside a list, map, tuple or variant.
  /// - Returns: a negative errno if that fails.
  func write(_ value: BusValue) -> Int32 {
    switch value {
    case .text(let text): return unsafe sd_bus_message_append_basic(message, kind("s"), text)
    case .path(let path): return unsafe sd_bus_message_append_basic(message, kind("o"), path)
    case .flag(let flag): return basic("b", Int32(flag ? 1 : 0))
    case .byte(let value): return basic("y", value)
    case .int32(let value): return basic("i", value)
    case .uint32(let value): return basic("u", value)
    case .int64(let value): return basic("x", value)
    case .uint64(let value): return basic("t", value)
    case .number(let value): return basic("d", value)
    case .bytes(let bytes):
      return unsafe sd_bus_message_append_array(message, kind("y"), bytes, bytes.count)
    case .list(let element, let values):
      return container("a", element) { values.firstFailure(write) }
    case .map(let value, let entries):
      return container("a", "{s\(value)}") {
        entries.sorted { $0.key < $1.key }.firstFailure { entry in
          container("e", "s\(value)") {
            let status = write(.text(entry.key))
            guard status >= 0 else { return status }
            return write(value == "v" ? .variant(entry.value) : entry.value)
          }
        }
      }
    case .variant(let value):
      return container("v", value.signature) { write(value) }
    case .tuple(let values):
      return container("r", values.map(\.signature).joined()) { values.firstFailure(write) }
    }
  }

  /// Appends a value of a basic D-Bus type, such as "i" for an Int32. Returns a negative errno if that fails.
  private func basic<Value>(_ type: Character, _ value: Value) -> Int32 {
    unsafe withUnsafeBytes(of: value) {
      unsafe sd_bus_message_append_basic(message, kind(type), $0.baseAddress)
    }
  }

  /// Opens a container, lets `body` write its values, and closes it. Returns a negative errno if that fails.
  /// - Parameters:
  ///   - type: the D-Bus type of the container: "a", "e", "r" or "v".
  ///   - contents: the D-Bus signature of the values in the container.
  private func container(_ type: Character, _ contents: String, _ body: () -> Int32) -> Int32 {
    let status = unsafe sd_bus_message_open_container(message, kind(type), contents)
    guard status >= 0 else { return status }
    let inner = body()
    return inner < 0 ? inner : unsafe sd_bus_message_close_container(message)
  }
}

extension Sequence {
  /// Calls `body` with each element until it returns a negative number.
  /// - Returns: the negative number; 0 if there was none.
  fileprivate func firstFailure(_ body: (Element) -> Int32) -> Int32 {
    for element in self {
      let status = body(element)
      if status < 0 { return status }
    }
    return 0
  }
}

/// Reads the values of a D-Bus message.
@safe struct BusReader {
  /// The message to read from (`sd_bus_message *`).
  let message: OpaquePointer

  /// Reads the remaining values of the container that is open, until its end or until a value that cannot be read.
  func all() -> [BusValue] {
    var values: [BusValue] = []
    while let value = next() { values.append(value) }
    return values
  }

  /// Reads the next value of the container that is open; `nil` at its end, and if the value cannot be read.
  private func next() -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
    switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
    case "s", "g": return string(type).map(BusValue.text)
    case "o": return string(type).map(BusValue.path)
    case "b": return basic(type, Int32(0)).map { .flag($0 != 0) }
    case "y": return basic(type, UInt8(0)).map(BusValue.byte)
    case "n": return basic(type, Int16(0)).map { .int32(Int32($0)) }
    case "q": return basic(type, UInt16(0)).map { .uint32(UInt32($0)) }
    case "i": return basic(type, Int32(0)).map(BusValue.int32)
    case "u": return basic(type, UInt32(0)).map(BusValue.uint32)
    case "x": return basic(type, Int64(0)).map(BusValue.int64)
    case "t": return basic(type, UInt64(0)).map(BusValue.uint64)
    case "d": return basic(type, 0.0).map(BusValue.number)
    case "v": return inside("v", inner) { next() }
    case "r": return inside("r", inner) { .tuple(all()) }
    case "a" where inner == "y": return bytes()
    case "a" where inner.hasPrefix("{"):
      return inside("a", inner) {
        var entries: [String: BusValue] = [:]
        while let (key, value) = entry(String(inner.dropFirst().dropLast())) {
          entries[key] = value
        }
        return .map(String(inner.dropFirst(2).dropLast()), entries)
      }
    case "a": return inside("a", inner) { .list(inner, all()) }
    default:
      // Skip a value of any other type, which NetworkManager does not use, so that the next values can be read.
      return unsafe sd_bus_message_skip(message, nil) >= 0 ? .tuple([]) : nil
    }
  }

  /// Reads the next entry of a dictionary; `nil` at the end of the dictionary.
  /// - Parameter contents: the D-Bus signatures of the key and the value: "sv".
  private func entry(_ contents: String) -> (key: String, value: BusValue)? {
    guard unsafe sd_bus_message_enter_container(message, kind("e"), contents) > 0 else {
      return nil
    }
    defer { unsafe sd_bus_message_exit_container(message) }
    guard let key = next()?.text, let value = next() else { return nil }
    return (key, value)
  }

  /// Enters a container, lets `body` read its values, and leaves it. Returns the value of `body`; `nil` if that fails.
  /// - Parameters:
  ///   - type: the D-Bus type of the container: "a", "r" or "v".
  ///   - contents: the D-Bus signature of the values in the container.
  private func inside(_ type: Character, _ contents: String, _ body: () -> BusValue?) -> BusValue? {
    guard unsafe sd_bus_message_enter_container(message, kind(type), contents) > 0 else {
      return nil
    }
    let value = body()
    return unsafe sd_bus_message_exit_container(message) >= 0 ? value : nil
  }

  /// Reads a string, a path or a signature as text; `nil` if that fails.
  /// - Parameter type: the D-Bus type to read: "s", "o" or "g".
  private func string(_ type: CChar) -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, type, &text) > 0, let text = unsafe text else {
      return nil
    }
    return unsafe String(cString: text)
  }

  /// Reads a value of a basic type; `nil` if that fails.
  /// - Parameters:
  ///   - type: the D-Bus type of the value, such as "i" for an Int32.
  ///   - start: a value of the Swift type that matches `type`, such as `Int32(0)`. It only determines the type of the
  ///     result.
  private func basic<Value: BitwiseCopyable>(_ type: CChar, _ start: Value) -> Value? {
    var value = start
    return unsafe sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
  }

  /// Reads an array of bytes; `nil` if that fails.
  private func bytes() -> BusValue? {
    var start: UnsafeRawPointer?
    var count = 0
    guard unsafe sd_bus_message_read_array(message, kind("y"), &start, &count) > 0 else {
      return nil
    }
    return unsafe .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
  }
}

/// The code of a D-Bus type as the C character that sd-bus expects.
private func kind(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }
