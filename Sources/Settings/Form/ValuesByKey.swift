// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The checked values of settings by key. They include secrets, so `description` and `dump` do not show them.
struct ValuesByKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The values by the keys of their settings.
  private var values: [String: any Equatable & Sendable] = [:]

  var keys: Set<String> { Set(values.keys) }

  subscript(_ key: String) -> (any Equatable & Sendable)? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Removes the values of all settings in these sections.
  mutating func remove(_ sections: Set<String>) {
    guard !sections.isEmpty else { return }
    values = values.filter { !sections.contains(sectionName(of: $0.key)) }
  }

  /// The values that have the type `Value`, by key.
  /// - Parameter section: "publish" or "relay.NAME"; `nil` for all sections.
  func all<Value>(_: Value.Type = Value.self, in section: String? = nil) -> [String: Value] {
    values.compactMapValues { $0 as? Value }
      .filter { section == nil || sectionName(of: $0.key) == section }
  }

  /// The names of the entries of a list.
  func names(in list: NamedList) -> Set<String> {
    Set(
      values.keys.compactMap { key in
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == list.section ? String(parts[1]) : nil
      })
  }

  static func == (one: Self, other: Self) -> Bool {
    one.values.count == other.values.count
      && one.values.allSatisfy { isSame($0.value, other.values[$0.key]) }
  }

  /// Shows only the number of values, since values may be secret.
  var description: String { "\(values.count) values" }
  /// A mirror without children, so that `dump` shows no values.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether two values have the same type and are equal, or are both `nil`.
func isSame(_ one: (any Equatable)?, _ other: (any Equatable)?) -> Bool {
  func isEqual<Value: Equatable>(_ one: Value, _ other: any Equatable) -> Bool {
    other as? Value == one
  }
  guard let one, let other else { return one == nil && other == nil }
  return isEqual(one, other)
}

/// The section of a key: "publish" for "publish.url", "relay.NAME" for "relay.NAME.url".
func sectionName(of key: String) -> String {
  String(key.prefix(upTo: key.lastIndex(of: ".") ?? key.startIndex))
}
