// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc

/// A small file that stores one value, with mode 0600, in a folder in which only this user can write. After a power
/// cut, it contains either the old value or the new one.
public struct StateFile<Value>: Sendable {
  /// The name of the file in its folder.
  public let name: String
  /// The maximum size of the file in bytes.
  private let limit: Int
  /// Encodes a value; returns `nil` if the format cannot represent the value.
  private let encode: @Sendable (Value) -> [UInt8]?
  /// Decodes a value; returns `nil` if the bytes are not an encoded value.
  private let decode: @Sendable ([UInt8]) -> Value?

  /// Creates a state file with a custom format.
  /// - Parameters:
  ///   - limit: the maximum size of the file in bytes.
  ///   - encode: returns the bytes of a value, or `nil` if the format cannot represent it.
  ///   - decode: returns the value that the bytes encode, or `nil` if they do not encode a value.
  public init(
    _ name: String, limit: Int, encode: @escaping @Sendable (Value) -> [UInt8]?,
    decode: @escaping @Sendable ([UInt8]) -> Value?
  ) {
    (self.name, self.limit) = (name, limit)
    (self.encode, self.decode) = (encode, decode)
  }

  /// Reads the value.
  /// - Returns: `nil` if there is no such file.
  public func read(in directory: String) throws(PrivateFileError) -> Value? {
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      // Read one byte more than the limit, to notice a file that is too long.
      bytes = try File.readPrivate(name, in: directory, limit: limit + 1)
    } catch {
      if error == .missing { return nil }
      throw error
    }
    guard bytes.count <= limit else { throw .tooLong }
    guard let value = decode(bytes) else { throw .malformed }
    return value
  }

  /// Replaces the file atomically. A value that cannot be encoded, or takes more bytes than the limit, is not written:
  /// an error is thrown, and the old file stays.
  public func write(_ value: Value, in directory: String) throws(SystemError) {
    try File.replace(name, in: directory, with: try bytes(of: value))
  }

  /// Overwrites the existing file in place, for use when `write` fails, for example on a full disk. The new value must
  /// take as many bytes as the old one.
  public func overwrite(_ value: Value, in directory: String) throws(PrivateFileError) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try self.bytes(of: value) } catch { throw .system(error) }
    try File.overwritePrivate(name, in: directory, with: bytes)
  }

  /// Removes the file if it exists.
  public func remove(in directory: String) throws(SystemError) {
    try File.remove(name, in: directory)
  }

  /// Encodes a value. Throws EDOM if the format cannot represent the value, and EFBIG if it takes too many bytes.
  private func bytes(of value: Value) throws(SystemError) -> [UInt8] {
    guard let bytes = encode(value) else { throw SystemError(EDOM) }
    // Refuse to write a file that is too long: `read` could not read it again.
    guard bytes.count <= limit else { throw SystemError(EFBIG) }
    return bytes
  }
}

extension StateFile where Value: Codable & SendableMetatype {
  /// Creates a state file that stores its value as JSON. JSON cannot represent infinity or NaN.
  /// - Parameter limit: the maximum size of the file in bytes.
  public init(_ name: String, limit: Int) {
    self.init(
      name, limit: limit,
      encode: { value in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init)
      }, decode: { try? JSONDecoder().decode(Value.self, from: Data($0)) })
  }
}
