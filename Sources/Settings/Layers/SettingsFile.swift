// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Settings as a file: of a box, for the same one later, or for another one.

extension Configuration {
  /// The settings that differ from their defaults, as TOML. Those that name a file of this box are left out, and so is an
  /// entry of a list that was removed. A comment tells what is left out, and why.
  /// - Parameter withSecrets: with stream keys, passwords, and addresses with parts that are not shown. A secret that is in a
  ///   file or a systemd credential stays there.
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
        // An address is shown without what may be a stream key.
        let isHidden = declaration.isSecret || declaration.isAddress && literal != value.text
        lines.append(
          withSecrets || !isHidden ? "\(key) = \(literal)" : "# \(key) is not here: it is secret.")
      } else {
        lines.append("# \(key) is not here: it is in a file of this box.")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The change that takes over the settings of a file. Those that were set at run time and are not in it go back to their
  /// defaults, but for servers, lists, secrets, and settings that name a file of this box: what `exported` leaves out stays.
  /// - Throws: the mistakes in the text's form.
  public func change(toImported text: String) throws(ConfigurationError) -> SettingsPatch {
    let document = Document(Array(text.utf8))
    guard document.faults.isEmpty else {
      throw .invalid(
        document.faults.map {
          Problem(place: .file("settings", $0.position), key: nil, sentence: $0.sentence)
        })
    }
    // Without sections that have no settings.
    let leaves = document.leaves.filter { leaf in
      !leaf.isName && (leaf.path.count > 1 || leaf.raw != .other("a table"))
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

  private func staysAtImport(_ key: String) -> Bool {
    if Settings.list(of: key) != nil { return true }
    guard let value = values.first(where: { $0.declaration.key == key }) else { return false }
    return value.declaration.isSecret || value.namesFile
      || value.declaration.section == "publish"
  }
}

extension SettingValue {
  /// Whether it names a file of this box, which another one does not have.
  fileprivate var namesFile: Bool {
    let plain = String(text.dropFirst().dropLast())
    return declaration.files.contains { $0.use != .camera && $0.path(in: plain) != nil }
  }
}

/// The values that were given for settings, as TOML, secrets included: nothing prints them.
struct Literals: Sendable, CustomStringConvertible, CustomReflectable {
  fileprivate let texts: [String: String]

  init(_ texts: [String: String] = [:]) { self.texts = texts }

  var description: String { "\(texts.count) values" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
