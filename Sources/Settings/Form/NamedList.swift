// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A section that may occur several times, each time with a name: `[[relay]]` and `name = "second"` in a file, and
/// "relay.second.url" elsewhere.
///
/// To add such a list, write the type of its section with its declarations, add a property to `Settings`, and set the
/// property to `form.list()` in the `init` of `Settings`. All other code, such as parsing, checks and listings, then
/// includes the new list without a change.
protocol NamedSection: Sendable, Equatable {
  /// The description of the list.
  static var list: NamedList { get }

  /// Declares the settings of an entry in the form, and reads their values from the form.
  init(_ form: inout Form, _ entry: ListEntry)
}

/// An entry in a list of named sections, for example one relay.
public struct ListEntry: Sendable, Equatable {
  /// The name of the list, for example "relay".
  public let list: String
  /// The name of the entry, for example "second" in "relay.second.url".
  public let name: String
  /// Whether the entry is in the settings file.
  public internal(set) var isInFile = false

  init(list: String, name: String) { (self.list, self.name) = (list, name) }

  /// The name of the entry's section, for example "relay.second".
  public var section: String { "\(list).\(name)" }

  /// The key of a setting of the entry: "relay.second.url" for the field "url".
  public func key(_ field: String) -> String { "\(section).\(field)" }
}

/// Describes a list of named sections: its name, the settings of its entries, and the messages about mistakes in it.
public struct NamedList: Sendable {
  /// The codes of the problems that a list can have.
  struct Codes: Sendable {
    /// The code for an entry whose name is not allowed.
    var name = Problem.Code.notAllowed
    /// The code for two entries with the same name.
    var nameTaken = Problem.Code.conflict
    /// The code for an entry that lacks the essential setting, such as the URL of a relay.
    var missing = Problem.Code.other
    /// The code for a list with more than `maxEntries` entries.
    var excess = Problem.Code.other
  }

  /// Parts of the sentences about problems in a list.
  struct Words: Sendable {
    /// An example of a value of the essential setting, as a TOML literal.
    let example: String
    /// The words that say what to do if the essential setting is missing: "write the address of the server".
    let missing: String
    /// The end of the sentence about too many entries: "servers: remove one" after "has more than 4".
    let excess: String
  }

  /// The name of the setting that marks an entry of the settings file as removed.
  static let removed = "removed"

  /// The name of the list, for example "relay".
  public let section: String
  /// The name of the list in paths of the API, for example "relays".
  public let path: String
  /// Maximum number of entries.
  public let maxEntries: Int
  /// Names that an entry may not have.
  public let reserved: [String]
  /// The name of the setting that each entry must have, for example "url".
  public let essential: String
  /// The name of a setting that an entry may have in place of the essential one; `nil` if there is none.
  let alternative: String?
  /// The names of the settings that operators may change, for example "enabled". Operators may change no other
  /// settings.
  public let operable: Set<String>
  /// Parts of the sentences about problems in this list.
  let words: Words
  /// The codes of the problems in this list.
  let codes: Codes
  /// The declarations of an entry's settings, with "NAME" in place of the entry's name.
  public let declarations: [Declaration]
  /// The default values of an entry's settings, with "NAME" in place of the entry's name.
  let defaults: ValuesByKey
  /// Declares the settings of an entry called "NAME" in the given form.
  let declare: @Sendable (inout Form) -> Void

  init<Section: NamedSection>(
    _ section: String, of _: Section.Type, path: String? = nil, maxEntries: Int,
    reserved: [String] = [],
    essential: String, alternative: String? = nil, operable: Set<String> = [], words: Words,
    codes: Codes = Codes()
  ) {
    (self.section, self.maxEntries, self.reserved) = (section, maxEntries, reserved)
    self.path = path ?? "\(section)s"
    (self.essential, self.alternative, self.operable) = (essential, alternative, operable)
    (self.words, self.codes) = (words, codes)
    declare = { form in _ = form.section(Section.self, ListEntry(list: section, name: "NAME")) }
    var form = Form()
    declare(&form)
    (declarations, defaults) = (form.declarations, form.values)
  }

  /// An entry of this list with any name, whether or not the settings have such an entry.
  public func entry(_ name: String) -> ListEntry { ListEntry(list: section, name: name) }

  /// Whether a text is allowed as the name of an entry.
  public func isName(_ text: String) -> Bool {
    NamedList.isPlain(text) && !reserved.contains(text)
  }

  /// Whether a text has the form of a name: 1 to 32 letters, digits, "-" and "_".
  public static func isPlain(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The rule for all names, as a continuation of "must be".
  public static let plainRule = "1 to 32 letters, digits, \"-\" and \"_\""

  /// The rule for the names of entries, as a continuation of "must be".
  public var nameRule: String {
    NamedList.plainRule
      + (reserved.isEmpty ? "" : ", and none of \(reserved.joined(separator: ", "))")
  }

  /// The sentence of the problem that a list has a wrong form: it tells the user how to write the list.
  var syntaxSentence: String {
    "is a list: write [[\(section)]], then name = \"NAME\" and \(essential) = \(words.example) below it; "
      + "elsewhere \(section).NAME.\(essential)"
  }
}

extension Settings {
  /// All lists of named sections.
  public static let lists: [NamedList] = {
    var form = Form()
    _ = Settings(&form)
    return form.lists
  }()

  /// The list that a key such as "relay.second.url" belongs to; `nil` if it belongs to none.
  public static func list(of key: String) -> NamedList? {
    let first = String(key.prefix { $0 != "." })
    return lists.first { $0.section == first }
  }

  /// The declarations of all settings. Those of a list have "NAME" in place of the entry's name.
  static var allDeclarations: [Declaration] { declarations + lists.flatMap(\.declarations) }

  /// The declaration of a setting such as "video.size" or "relay.second.url"; `nil` if there is no such setting.
  static func declaration(of key: String) -> Declaration? {
    guard let list = list(of: key) else { return declarations.first { $0.key == key } }
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 ? list.declarations.first { $0.name == parts[2] } : nil
  }
}

extension Form {
  /// Returns the entries of a list that the form has, sorted by name, and reports mistakes in them. Removed entries are
  /// left out.
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
      let needed = [list.essential, list.alternative].compactMap(\.self)
      let lacksAll = needed.allSatisfy {
        isSame(values[entry.key($0)], list.defaults[list.entry("NAME").key($0)])
          && !isDoubtful(entry.key($0))
      }
      // A seed file is emptied of the secrets that the box has by then.
      let isEmptied = hasOnlySomeSettings && needed.contains { given[entry.key($0)] != nil }
      if lacksAll, !isEmptied {
        report(
          entry.key(list.essential), "is missing: \(list.words.missing)", at: place,
          code: list.codes.missing)
      }
      entry.isInFile = needed.contains { isGiven(entry.key($0), from: .file) }
      entries.append(entry)
      sections.append(section)
      if sections.count == list.maxEntries + 1 {
        report(
          list.section, "has more than \(list.maxEntries) \(list.words.excess)", at: place,
          code: list.codes.excess)
      }
    }
    values.remove(leftOut)
    return sections
  }

  /// Reads the settings of one list entry from the form.
  /// - Returns: the entry, and whether it is marked as removed.
  fileprivate mutating func section<Section: NamedSection>(
    _: Section.Type, _ entry: ListEntry
  ) -> (section: Section, isRemoved: Bool) {
    let section = Section(&self, entry)
    let isRemoved = value(
      entry.key(NamedList.removed), .flag, default: false,
      help: """
        Leaves out the \(entry.list) that the settings file has.
        """)
    return (section, isRemoved)
  }

  /// The names of the entries in keys such as "SECTION.NAME.url", in alphabetical order, each with the first place
  /// where the name was given.
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
