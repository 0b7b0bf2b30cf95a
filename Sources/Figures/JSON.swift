// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// Encodes and decodes JSON for other programs, with the field names in snake_case. The JSON is one line, unless it is
/// meant for people.
public enum JSON {
  /// Encodes a value as JSON.
  /// - Parameter forPeople: whether to indent the JSON over several lines.
  public static func encode(_ value: some Encodable, forPeople: Bool = false) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if forPeople { encoder.outputFormatting.insert(.prettyPrinted) }
    // Encoding does not fail: no value of OnAir contains an infinity, a NaN or a dictionary with duplicate keys.
    return (try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8)
  }

  /// Decodes JSON whose field names are in snake_case.
  package static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value
  {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(bytes))
  }
}
