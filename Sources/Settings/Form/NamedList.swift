// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A section of which there may be several, each with a name: `[[relay]]` and `name = "second"` in a file, and
/// "relay.second.url" elsewhere.
///
/// To add such a list, write its section with its declarations, a property of `Settings`, and `form.list()` for it in
/// the `init` there. All else follows: keys, layers, checks, differences, removal, listings, files.
protocol NamedSection: Sendable, Equatable {
  static var list: NamedList { get }

  /// Declares the settings of an entry, and takes their values.
  init(_ form: inout Form, _ entry: ListEntry)
}

/// One of a list's sections.
public struct ListEntry: Sendable, Equatable {
  /// "relay".
  public let list: String
  public let name: String
  /// Whether the settings file has it.
  public internal(set) var isInFile = false

  init(list: String, name: String) { (self.list, self.name) = (list, name) }

  /// "relay.second".
  public var section: String { "\(list).\(name)" }

  /// "relay.second.url".
  public func key(_ field: String) -> String { "\(section).\(field)" }
}

/// What a list of sections is called, what is in it, and how mistakes in it are told.
public struct NamedList: Sendable {
  /// The codes of the mistakes; see `Words` for their sentences.
  struct Codes: Sendable {
    var name = Problem.Code.notAllowed
    var nameTaken = Problem.Code.conflict
    var missing = Problem.Code.other
    var excess = Problem.Code.other
  }

  struct Words: Sendable {
    /// A value of the essential setting, as TOML writes it.
    let example: String
    /// What to do where the essential setting is missing.
    let missing: String
    /// What there are too many of, and what to do: "servers: remove one".
    let excess: String
  }

  /// Leaves out an entry that the settings file has.
  static let removed = "removed"

  /// "relay".
  public let section: String
  /// Entries at most.
  public let most: Int
  /// Names that no entry has.
  public let reserved: [String]
  /// The setting that each entry has: "url".
  let essential: String
  let words: Words
  let codes: Codes
  /// The declarations of an entry's settings, with "NAME" for its name.
  public let declarations: [Declaration]
  /// The values of an entry called "NAME" for which nothing is given.
  let defaults: ValuesByKey

  init<Section: NamedSection>(
    _ section: String, of _: Section.Type, most: Int, reserved: [String] = [], essential: String,
    words: Words, codes: Codes = Codes()
  ) {
    (self.section, self.most, self.reserved) = (section, most, reserved)
    (self.essential, self.words, self.codes) = (essential, words, codes)
    var form = Form()
    _ = form.section(Section.self, ListEntry(list: section, name: "NAME"))
    (declarations, defaults) = (form.declarations, form.values)
  }

  func entry(_ name: String) -> ListEntry { ListEntry(list: section, name: name) }

  public func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && !reserved.contains(text)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The rule of the names, as a continuation of "must be".
  public var nameRule: String {
    "1 to 32 letters, digits, \"-\" and \"_\""
      + (reserved.isEmpty ? "" : ", and none of \(reserved.joined(separator: ", "))")
  }

  /// How it is written.
  var form: String {
    "is a list: write [[\(section)]], then name = \"NAME\" and \(essential) = \(words.example) below it; "
      + "elsewhere \(section).NAME.\(essential)"
  }

  /// The change that gives an entry some values. A field without one stays as it is.
  public func values(
    of name: String, _ fields: [String: SettingsPatch.Value?]
  ) -> [String: SettingsPatch.Value?] {
    let entry = entry(name)
    return fields.reduce(into: [:]) { values, field in
      if let value = field.value { values[entry.key(field.key)] = value }
    }
  }

  /// The change that removes an entry. One that the settings file has is left out from now on.
  public func removal(of entry: ListEntry) -> [String: SettingsPatch.Value?] {
    var patch: [String: SettingsPatch.Value?] = [:]
    for declaration in declarations { patch[entry.key(declaration.name)] = .some(nil) }
    if entry.isInFile { patch[entry.key(Self.removed)] = .flag(true) }
    return patch
  }
}

extension Settings {
  /// The lists of named sections.
  public static let lists: [NamedList] = {
    var form = Form()
    _ = Settings(&form)
    return form.lists
  }()

  /// The list that a key belongs to, as "relay.second.url" does; `nil` for all others.
  public static func list(of key: String) -> NamedList? {
    let first = String(key.prefix { $0 != "." })
    return lists.first { $0.section == first }
  }

  /// All declarations; those of a list have "NAME" for the name.
  static var allDeclarations: [Declaration] { declarations + lists.flatMap(\.declarations) }

  /// The declaration of "video.size", or of "relay.second.url"; `nil` for what is no setting.
  static func declaration(of key: String) -> Declaration? {
    guard let list = list(of: key) else { return declarations.first { $0.key == key } }
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 ? list.declarations.first { $0.name == parts[2] } : nil
  }
}

extension Form {
  /// The sections of a list that were given, by name.
  mutating func list<Section: NamedSection>(_: Section.Type = Section.self) -> [Section] {
    let list = Section.list
    lists.append(list)
    var sections: [Section] = []
    var leftOut: Set<String> = []
    for (name, place) in names(in: list.section) {
      var entry = list.entry(name)
      let named = remove(entry.key("name"))
      if named.count(where: { $0.origin == .file }) > 1 {
        report(
          "\(list.section).name", "is the name of another \(list.section), too",
          at: named[1].place, code: list.codes.nameTaken)
      }
      let isNamed = list.isName(name)
      if !isNamed {
        report(
          "\(list.section).name", "must be \(list.nameRule)", at: place, code: list.codes.name)
      }
      let (section, isRemoved) = self.section(Section.self, entry)
      guard isNamed, !isRemoved else {
        leftOut.insert(entry.section)
        continue
      }
      let essential = entry.key(list.essential)
      if isSame(values[essential], list.defaults[list.entry("NAME").key(list.essential)]),
        !isDoubtful(essential)
      {
        report(
          essential, "is missing: \(list.words.missing)", at: place, code: list.codes.missing)
      }
      entry.isInFile = isGiven(essential, from: .file)
      entries.append(entry)
      sections.append(section)
      if sections.count == list.most + 1 {
        report(
          list.section, "has more than \(list.most) \(list.words.excess)", at: place,
          code: list.codes.excess)
      }
    }
    values.remove(leftOut)
    return sections
  }

  /// An entry of a list, and whether it is left out.
  fileprivate mutating func section<Section: NamedSection>(
    _: Section.Type, _ entry: ListEntry
  ) -> (section: Section, isRemoved: Bool) {
    let section = Section(&self, entry)
    let isRemoved = value(
      entry.key(NamedList.removed), .flag, default: false,
      help: """
        Leaves out a \(entry.list) that the settings file has.
        """)
    return (section, isRemoved)
  }

  /// The names in the keys "SECTION.NAME.…", in alphabetical order, each with where it was given first.
  private func names(in section: String) -> [(name: String, place: Problem.Place)] {
    var places: [String: Problem.Place] = [:]
    for (key, values) in given {
      let parts = key.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == section, let first = values.first else { continue }
      let name = String(parts[1])
      if places[name].map({ Self.rank(first.place) < Self.rank($0) }) ?? true {
        places[name] = first.place
      }
    }
    return places.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
