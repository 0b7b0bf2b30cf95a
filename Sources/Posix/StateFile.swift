// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc

/// A small file with one value, in a folder that only this user can write. It has mode 0600. After a power cut it holds
/// either the old value or the new one.
public struct StateFile<Value>: Sendable {
  public let name: String
  /// The most bytes it may have.
  private let limit: Int
  /// - Returns: `nil` for a value that the file cannot hold.
  private let encode: @Sendable (Value) -> [UInt8]?
  /// - Returns: `nil` for bytes that are no value.
  private let decode: @Sendable ([UInt8]) -> Value?

  /// A file in a format of its own.
  public init(
    _ name: String, limit: Int, encode: @escaping @Sendable (Value) -> [UInt8]?,
    decode: @escaping @Sendable ([UInt8]) -> Value?
  ) {
    (self.name, self.limit) = (name, limit)
    (self.encode, self.decode) = (encode, decode)
  }

  /// - Returns: `nil` if there is no such file.
  public func read(in directory: String) throws(PrivateFileError) -> Value? {
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      // One byte more shows that it is too long.
      bytes = try File.readPrivate(name, in: directory, limit: limit + 1)
    } catch {
      if error == .missing { return nil }
      throw error
    }
    guard bytes.count <= limit else { throw .tooLong }
    guard let value = decode(bytes) else { throw .malformed }
    return value
  }

  /// Replaces the file as a whole. A value that it cannot hold is not written: the old file stays.
  public func write(_ value: Value, in directory: String) throws(SystemError) {
    try File.replace(name, in: directory, with: try bytes(of: value))
  }

  /// Writes over a file of the same length: for when `write` fails, as on a full disk.
  public func overwrite(_ value: Value, in directory: String) throws(PrivateFileError) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try self.bytes(of: value) } catch { throw .system(error) }
    try File.overwritePrivate(name, in: directory, with: bytes)
  }

  /// Removes the file, if it is there.
  public func remove(in directory: String) throws(SystemError) {
    try File.remove(name, in: directory)
  }

  private func bytes(of value: Value) throws(SystemError) -> [UInt8] {
    guard let bytes = encode(value) else { throw SystemError(EDOM) }
    // It could not be read again.
    guard bytes.count <= limit else { throw SystemError(EFBIG) }
    return bytes
  }
}

extension StateFile where Value: Codable & SendableMetatype {
  /// A file of JSON. It cannot hold a number that is infinite or none.
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
