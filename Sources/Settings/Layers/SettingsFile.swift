// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Exports the settings of a box to a file, and imports such a file on the same box or on another one.

extension Configuration {
  /// The settings that differ from their defaults, as the text of a TOML file. Removed list entries are left out. A
  /// setting that names a file of this box is left out, too, and a comment in the text says so.
  /// - Parameters:
  ///   - withSecrets: whether to include stream keys, passwords, and addresses with a secret part. A secret from a key
  ///     file or a systemd credential is never included.
  ///   - title: the comment in the first line.
  public func exported(withSecrets: Bool, title: String) -> String {
    var lines = ["# \(title)"]
    let removed = values.filter { $0.declaration.name == NamedList.removed && $0.text == "true" }
      .map { "\(sectionName(of: $0.declaration.key))." }
    for value in values where value.text != value.declaration.defaultText {
      let (key, declaration) = (value.declaration.key, value.declaration)
      if removed.contains(where: { key.hasPrefix($0) }) { continue }
      if value.namesFile {
        lines.append("# \(key) is not here: it names a file of this box.")
      } else if let literal = literals.texts[key] {
        // The listed text of an address masks what may be a stream key: if the text differs from the literal, the
        // address contains a secret.
        let isHidden = declaration.isSecret || declaration.isAddress && literal != value.text
        lines.append(
          withSecrets || !isHidden ? "\(key) = \(literal)" : "# \(key) is not here: it is secret.")
      } else {
        lines.append("# \(key) is not here: it is in a file of this box.")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The change that imports the text of a file which `exported` has written. Settings that are set at run time and
  /// missing in the text are unset, except those that `exported` may leave out: servers, list entries, secrets, and
  /// settings that name a file of this box.
  /// - Throws: the syntax errors of the text, or a problem if it contains no settings.
  public func change(toImported text: String) throws(ConfigurationError) -> SettingsPatch {
    let document = Document(Array(text.utf8))
    guard document.faults.isEmpty else {
      throw .invalid(
        document.faults.map {
          Problem(place: .file("settings", $0.position), key: nil, sentence: $0.sentence)
        })
    }
    // Leave out the names of list entries, which are part of the keys, and empty sections.
    let leaves = document.leaves.filter { leaf in
      !leaf.isEntryName && (leaf.path.count > 1 || leaf.raw != .other("a table"))
    }
    guard !leaves.isEmpty else {
      throw .invalid([
        Problem(
          place: .wholeFile("settings"), key: nil, sentence: "holds no settings: take another file")
      ])
    }
    var change: [String: SettingsPatch.Value?] = [:]
    for leaf in leaves { change[leaf.path.joined(separator: ".")] = leaf.raw.value }
    for key in runTime.keys where change[key] == nil && !staysAtImport(key) {
      change[key] = .some(nil)
    }
    return SettingsPatch(change)
  }

  /// Whether a setting that was set at run time stays as it is when an imported file does not contain it.
  private func staysAtImport(_ key: String) -> Bool {
    if Settings.list(of: key) != nil { return true }
    guard let value = values.first(where: { $0.declaration.key == key }) else { return false }
    return value.declaration.isSecret || value.namesFile
      || value.declaration.section == "publish"
  }
}

extension SettingValue {
  /// Whether the value names a file that exists only on this box. The device of a camera does not count.
  fileprivate var namesFile: Bool {
    let plain = String(text.dropFirst().dropLast())
    return declaration.files.contains { $0.use != .camera && $0.path(in: plain) != nil }
  }
}

/// The values that were given for settings, as TOML literals by key. They include secrets, so `description` and `dump`
/// do not show them.
struct Literals: Sendable, CustomStringConvertible, CustomReflectable {
  /// The TOML literals by the keys of their settings.
  fileprivate let texts: [String: String]

  init(_ texts: [String: String] = [:]) { self.texts = texts }

  /// Shows only the number of values, since values may be secret.
  var description: String { "\(texts.count) values" }
  /// A mirror without children, so that `dump` shows no values.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
