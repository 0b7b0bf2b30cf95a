// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Settings

/// Why the body of a `PATCH /api/settings` request is not a change of settings.
enum PatchError: Error {
  case notAnObject, tooManySettings

  /// The reason and the remedy, as sentences for people.
  var sentence: String {
    switch self {
    case .notAnObject:
      "The body must be a JSON object of settings and values, as in {\"video.fps\": 25, \"audio.gain_db\": null}."
    case .tooManySettings:
      "At most \(SettingsPatch.mostSettings) settings can be changed together: there are not even that many."
    }
  }
}

extension SettingsPatch {
  /// Reads the body of a `PATCH /api/settings` request.
  /// - Parameter json: a JSON object of setting names and values; `null` unsets a setting.
  init(json: [UInt8]) throws(PatchError) {
    guard let values = try? JSONDecoder().decode([String: PatchValue].self, from: Data(json)) else {
      throw .notAnObject
    }
    guard values.count <= SettingsPatch.mostSettings else { throw .tooManySettings }
    self.init(values.mapValues(\.value))
  }

  /// The most settings in one change. It bounds the work: a misspelt name is compared with the names of all settings.
  fileprivate static let mostSettings = 200

  /// The JSON body of a `PATCH /api/settings` request.
  /// - Parameter texts: the new values as text, by the name of the setting; `nil` unsets a setting.
  static func json(_ texts: [String: String?]) -> [UInt8] {
    (try? JSONEncoder().encode(texts)).map { Array($0) } ?? []
  }
}

/// A key that accepts any name: it is used to find out whether a value is a JSON object.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A value of a setting in the body of a request; `null` unsets the setting.
struct PatchValue: Decodable {
  /// The value; `nil` for `null`.
  let value: SettingsPatch.Value?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = nil
    } else if let flag = try? container.decode(Bool.self) {
      value = .flag(flag)
    } else if let integer = try? container.decode(Int.self) {
      value = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      value = .number(number)
    } else if let text = try? container.decode(String.self) {
      value = .text(text)
    } else {
      // Null, booleans, strings and numbers that fit in a Double have been tried above. What is left is a list, an
      // object, or a number that does not fit in a Double.
      let isPlain =
        (try? decoder.unkeyedContainer()) == nil
        && (try? decoder.container(keyedBy: AnyKey.self)) == nil
      value = .other(isPlain ? "a number beyond all bounds" : "a list or an object")
    }
  }
}
