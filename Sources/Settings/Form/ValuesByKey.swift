// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The checked values of settings by their keys, secrets included: nothing prints them.
struct ValuesByKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  private var values: [String: any Equatable & Sendable] = [:]

  var keys: Set<String> { Set(values.keys) }

  subscript(_ key: String) -> (any Equatable & Sendable)? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// Forgets those of some sections.
  mutating func remove(_ sections: Set<String>) {
    guard !sections.isEmpty else { return }
    values = values.filter { !sections.contains(sectionName(of: $0.key)) }
  }

  /// The values of one type by their keys.
  /// - Parameter section: "publish" or "relay.NAME"; `nil` for all.
  func all<Value>(_: Value.Type = Value.self, in section: String? = nil) -> [String: Value] {
    values.compactMapValues { $0 as? Value }
      .filter { section == nil || sectionName(of: $0.key) == section }
  }

  /// The names of a list's entries.
  func names(in list: NamedList) -> Set<String> {
    Set(
      values.keys.compactMap { key in
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == list.section ? String(parts[1]) : nil
      })
  }

  static func == (one: Self, other: Self) -> Bool {
    one.keys == other.keys
      && one.values.allSatisfy { isSame($0.value, other.values[$0.key]) }
  }

  var description: String { "\(values.count) values" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether two values are equal, and of one type.
func isSame(_ one: (any Equatable)?, _ other: (any Equatable)?) -> Bool {
  func isEqual<Value: Equatable>(_ one: Value, _ other: any Equatable) -> Bool {
    other as? Value == one
  }
  guard let one, let other else { return one == nil && other == nil }
  return isEqual(one, other)
}

/// "publish" of "publish.url", and "relay.NAME" of "relay.NAME.url".
func sectionName(of key: String) -> String {
  String(key.prefix(upTo: key.lastIndex(of: ".") ?? key.startIndex))
}
