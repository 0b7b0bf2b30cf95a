// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Changes that add, alter or remove single entries of a list of named sections, as `/api/overlays` and `onair overlay`
// make them.

extension NamedList {
  /// New values of an entry's settings, by the names of the settings, such as "url"; `nil` unsets the setting.
  public typealias Fields = [String: SettingsPatch.Value?]

  /// The names of the settings of an entry, except "removed", in the order of their declarations.
  public var fieldNames: [String] { declarations.map(\.name).filter { $0 != Self.removed } }

  /// The name of an entry's kind with its article: "a relay", "an overlay".
  public var nameWithArticle: String { entry("").nameWithArticle }

  /// The change that sets the settings `fields` of the entry `name`, as values by key.
  public func values(of name: String, _ fields: Fields) -> [String: SettingsPatch.Value?] {
    let entry = entry(name)
    return fields.reduce(into: [:]) { $0[entry.key($1.key)] = .some($1.value) }
  }

  /// The change that removes an entry, as values by key. An entry in the settings file is marked as removed, and
  /// ignored from then on.
  public func removal(of entry: ListEntry) -> [String: SettingsPatch.Value?] {
    var patch: [String: SettingsPatch.Value?] = [:]
    for declaration in declarations { patch[entry.key(declaration.name)] = .some(nil) }
    if entry.isInFile { patch[entry.key(Self.removed)] = .flag(true) }
    return patch
  }
}

extension ListEntry {
  /// The name of the entry's kind with its article: "a relay", "an overlay".
  public var nameWithArticle: String { "\("aeiou".contains(list.prefix(1)) ? "an" : "a") \(list)" }
}

extension Configuration {
  /// The present state of an entry: a code for programs, and a sentence for people, which is `nil` if the state needs
  /// no explanation.
  public typealias EntryState = (code: String, sentence: String?)

  /// The entries of a list as JSON: an array with an object for each. The fields of an object are name, each setting
  /// that is not secret, state, and sentence (null if the state needs no explanation).
  /// - Parameter state: returns the state of an entry.
  public func json(
    of list: NamedList, state: (_ entry: ListEntry, _ isEnabled: Bool) -> EntryState
  ) -> String {
    let sections = Dictionary(grouping: values) { sectionName(of: $0.declaration.key) }
    let objects = entries(of: list).map { entry in
      let values = (sections[entry.section] ?? []).filter {
        !$0.declaration.isSecret && $0.declaration.name != NamedList.removed
      }
      let isEnabled = !values.contains { $0.declaration.name == "enabled" && $0.text == "false" }
      let (code, sentence) = state(entry, isEnabled)
      let fields =
        [("name", quoted(entry.name))] + values.map { ($0.declaration.name, $0.text) } + [
          ("state", quoted(code)), ("sentence", sentence.map(quoted) ?? "null"),
        ]
      return "  {" + fields.map { "\(quoted($0.0)): \($0.1)" }.joined(separator: ", ") + "}"
    }
    return "[\n\(objects.joined(separator: ",\n"))\n]\n"
  }

  /// The entries of a list, sorted by name.
  public func entries(of list: NamedList) -> [ListEntry] {
    entries.filter { $0.list == list.section }
  }

  /// The change that adds an entry, as values by key. If the settings file has an entry of this name that was removed
  /// at run time, the values of the removed entry must not come back. So the change also sets each setting that is not
  /// in `fields` to its default, except for settings that name files of the box, which not every client may set.
  public func addition(
    of name: String, to list: NamedList, _ fields: NamedList.Fields
  ) -> [String: SettingsPatch.Value?] {
    var fields = fields
    if isRemovedAtRunTime(list.entry(name)) {
      for declaration in list.declarations(with: fields)
      where (fields[declaration.name] ?? nil) == nil
        && !declaration.files.contains(where: { $0.use == .own })
        // Do not empty a secret if a file for it is given: the empty secret would take precedence over the file.
        && [nil, .text("")].contains(fields["\(declaration.name)_file"] ?? nil)
      {
        fields[declaration.name] = declaration.defaultValue
      }
    }
    fields[NamedList.removed] = .some(nil)
    // Set the essential setting to an empty text if `fields` does not contain it. Otherwise there might be no entry at
    // all, so that the missing setting would not be reported.
    fields[list.essential] = .some((fields[list.essential] ?? nil) ?? .text(""))
    return list.values(of: name, fields)
  }

  /// An unused name for a new entry: its kind and a number ("image-2") or, if it has no kind, the name of the list and
  /// a number ("relay-2").
  public func freeName(in list: NamedList, _ fields: NamedList.Fields) -> String {
    var kind = list.section
    if let value = fields[list.essential], case .text(let text)? = value,
      list.choices(of: list.essential).contains(text)
    {
      kind = text
    }
    let taken = Set(entries(of: list).map(\.name))
    var number = 1
    while taken.contains("\(kind)-\(number)")
      || isRemovedAtRunTime(list.entry("\(kind)-\(number)"))
    {
      number += 1
    }
    return "\(kind)-\(number)"
  }

  /// Whether an entry of the settings file is ignored because it was removed at run time.
  private func isRemovedAtRunTime(_ entry: ListEntry) -> Bool {
    runTime.keys.contains(entry.key(NamedList.removed))
  }
}

extension NamedList {
  /// The declarations of the settings of an entry that has the values `fields`. A preset in `fields` changes the
  /// defaults of the other settings.
  fileprivate func declarations(with fields: Fields) -> [Declaration] {
    var form = Form()
    for (field, value) in fields {
      guard let value else { continue }
      form.add([section, "NAME", field], value.raw, at: .change, from: .runTime)
    }
    declare(&form)
    return form.declarations
  }

  /// The allowed values of a setting of an entry; empty if they cannot be listed.
  fileprivate func choices(of field: String) -> [String] {
    declarations.first { $0.name == field }?.choices ?? []
  }
}

extension Declaration {
  /// The default of the setting as a value of a `SettingsPatch`; `nil` if `defaultText` is not valid TOML.
  fileprivate var defaultValue: SettingsPatch.Value? {
    Document(Array("default = \(defaultText)".utf8)).leaves.first?.raw.value
  }
}
