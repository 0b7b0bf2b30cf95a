// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Collects the values that were given for settings, checks them and reports problems.
///
/// Each section of `Settings` calls `value(_:_:default:…)` once per setting. That call is the setting's declaration:
/// key, kind of value, default and help. An empty form therefore collects all declarations. No setting can be
/// forgotten, since Swift requires every stored property to be initialised.
struct Form {
  /// A value that was given for a setting, and where it was given.
  struct Given {
    let raw: Raw
    let place: Problem.Place
    let origin: Origin
  }

  /// The declarations so far, in the order in which `value` was called.
  private(set) var declarations: [Declaration] = []
  /// The descriptions of the lists of named sections, such as `[[relay]]`, that have been read from the form so far.
  var lists: [NamedList] = []
  /// The entries of all lists, without those that are removed or have a name that is not allowed.
  var entries: [ListEntry] = []
  /// The mistakes found so far.
  private(set) var problems: [Problem] = []
  /// The effective value of each setting as a TOML literal, by key. Secrets are masked.
  private(set) var texts: [String: String] = [:]
  /// The effective value of each setting by key, secrets included.
  var values = ValuesByKey()
  /// The values that were given, as TOML literals by key, secrets included.
  private(set) var literals: [String: String] = [:]
  /// Whether the settings file has syntax errors, so that values may be missing in the form.
  var hasSyntaxErrors = false
  /// The path of the media folder, which replaces "media" in values such as "media/NAME"; `nil` leaves such values as
  /// they are.
  var mediaFolder: String?
  /// Whether the form has only some of the settings that will be in effect, as for a seed file, so that conflicts
  /// between settings cannot be detected.
  var hasOnlySomeSettings = false
  /// The keys of settings that the user probably meant by the misspelt keys in the form.
  private var meantKeys: Set<String> = []
  /// The values that were given, by key, in ascending precedence.
  private(set) var given: [String: [Given]] = [:]
  /// The values whose keys have neither the form SECTION.NAME nor, in a list, the form LIST.ENTRY.NAME.
  private var strays: [(path: [String], given: Given)] = []

  /// Adds a value for the key `path`. If a key is given more than once, all its values are checked, and the last one
  /// counts.
  mutating func add(_ path: [String], _ raw: Raw, at place: Problem.Place, from origin: Origin) {
    let value = Given(raw: raw, place: place, origin: origin)
    // A key has two names, and three in a list. A dot inside of a name comes from quotes: in TOML, the quoted name
    // "video.size" is a single name, not the key video.size.
    let nameCount = path.first.flatMap(Settings.list(of:)) == nil ? 2 : 3
    if path.count == nameCount, !path.contains(where: { $0.contains(".") }) {
      given[path.joined(separator: "."), default: []].append(value)
    } else {
      strays.append((path, value))
    }
  }

  /// Removes and returns the values of a key that is not a setting, such as the name of a list entry.
  mutating func remove(_ key: String) -> [Given] { given.removeValue(forKey: key) ?? [] }

  /// The place where the effective value of `key` was given; `.builtIn` if it is the default.
  func place(of key: String) -> Problem.Place { given[key]?.last?.place ?? .builtIn }

  /// The origin of the effective value of `key`; `.builtIn` if it is the default.
  func origin(of key: String) -> Origin { given[key]?.last?.origin ?? .builtIn }

  /// Whether a value for `key` was given in `origin`, even if a value from elsewhere overrides it.
  func isGiven(_ key: String, from origin: Origin) -> Bool {
    given[key]?.contains { $0.origin == origin } ?? false
  }

  /// Whether the value that the user intended for `key` is unknown, because of a problem that is already reported.
  /// Further problems that only follow from this one must not be reported.
  func isDoubtful(_ key: String) -> Bool {
    hasSyntaxErrors || meantKeys.contains(key) || problems.contains { $0.key == key }
  }

  /// Adds a problem. For the parameters, see the properties of `Problem`.
  mutating func report(
    _ key: String?, _ sentence: String, at place: Problem.Place, code: Problem.Code = .other,
    other: String? = nil
  ) {
    problems.append(
      Problem(place: place, key: key, sentence: sentence, code: code, other: other))
  }

  /// Reports that the value of `key` conflicts with that of the setting `other`. Does nothing if `hasOnlySomeSettings`.
  mutating func reportConflict(
    _ key: String, _ sentence: String, at place: Problem.Place, code: Problem.Code = .conflict,
    other: String? = nil
  ) {
    if !hasOnlySomeSettings { report(key, sentence, at: place, code: code, other: other) }
  }

  /// Declares a setting. Returns its value, or the default if there is no valid value.
  /// - Parameter boxOnly: the values that a remote client may not set.
  mutating func value<Value: Equatable>(
    _ key: String, _ kind: Kind<Value>, default standard: Value, unit: String = "",
    effect: Declaration.Effect = .immediate, boxOnly: [String] = [], isSecret: Bool = false,
    help: String
  ) -> Value {
    declarations.append(
      Declaration(
        key: key, type: kind.type, unit: unit, defaultText: kind.show(standard),
        allowed: kind.allowed, choices: kind.choices, range: kind.range, help: help,
        effect: effect, files: kind.files, boxOnly: boxOnly, isSecret: isSecret,
        isAddress: Value.self == RTMPURL?.self || Value.self == GuestAddress?.self))
    texts[key] = kind.show(standard)
    var value = standard
    for given in given[key] ?? [] {
      do throws(ValueError) {
        value = try kind.read(given.raw)
        texts[key] = kind.show(value)
        if let whole = wholePath(in: given.raw, kind) { value = try kind.read(whole) }
        literals[key] = given.raw.toml(as: kind.type)
      } catch {
        var code = Problem.Code.notAllowed
        if case .because(_, let specific) = error { code = specific }
        report(key, sentence(for: error, given.raw, kind), at: given.place, code: code)
      }
    }
    values[key] = value
    return value
  }

  /// The value with "media/NAME" replaced by the full path of the file; `nil` if the value does not name a file in the
  /// media folder.
  private func wholePath<Value>(in raw: Raw, _ kind: Kind<Value>) -> Raw? {
    guard let folder = mediaFolder, let text = raw.asText else { return nil }
    for file in kind.files {
      guard let whole = file.path(in: text).flatMap({ file.wholePath(of: $0, folder) }) else {
        continue
      }
      return .text(file.prefix + whole)
    }
    return nil
  }

  /// What is wrong with a value that `kind` refuses, as a sentence for users.
  private func sentence<Value>(for refusal: ValueError, _ raw: Raw, _ kind: Kind<Value>) -> String {
    if case .because(let reason, _) = refusal { return reason }
    let hasOtherType =
      switch (raw, kind.type) {
      case (.word, _), (.text, .text), (.flag, .flag), (.integer, .wholeNumber): false
      case (.integer, .number), (.number, .number): false
      default: true
      }
    if hasOtherType {
      return kind.type == .text
        ? "must be text in quotes, not \(raw.typeName); allowed: \(kind.allowed)"
        : "must be \(kind.allowed), not \(raw.typeName)"
    }
    // Compare only the part before the colon: the path of "file:PATH" is free text.
    let word = raw.asText.map { String($0.prefix { $0 != ":" }) } ?? ""
    let suggestion =
      nearest(to: word, among: kind.choices).map { "; did you mean \(quoted($0))?" } ?? ""
    return "must be \(kind.allowed)\(suggestion)"
  }

  /// Reports each value with an unknown key. Call it after all settings are declared.
  mutating func reportUnknownKeys() {
    let keys = Set(declarations.map(\.key))
    let sections = Set(declarations.map(\.section))
    for (key, values) in given where !keys.contains(key) {
      let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      for value in values { strays.append((path, value)) }
    }
    var reported: Set<String> = []
    // The number of unknown keys that are not reported individually. Reports are limited, since a file that is no
    // settings file may have an unknown key on every line.
    var unreported = 0
    let candidates = keys.sorted()
    let sectionsAndKeys = sections.sorted() + candidates
    for (path, value) in strays {
      let start = path.prefix(2).joined(separator: ".")
      if let list = path.first.flatMap(Settings.list(of:)),
        path.count < 3 || path[1].contains(".")
      {
        guard reported.insert(list.section).inserted else { continue }
        report(list.section, list.syntaxSentence, at: value.place)
        continue
      }
      if path.count > 2, let declaration = declarations.first(where: { $0.key == start }) {
        // A table stands where the setting needs a value: report it once, however many values it has.
        guard reported.insert(start).inserted else { continue }
        report(
          start, "must be \(declaration.allowed), not a table", at: value.place, code: .notAllowed)
      } else if path.count == 1, let name = path.first, sections.contains(name) {
        if value.raw == .other("a table") { continue }
        report(
          name,
          value.place == .change
            ? "is a section: name each setting in full, as in \"\(candidates.first { $0.hasPrefix("\(name).") } ?? name)\""
            : "is a section: write [\(name)], then NAME = VALUE below it",
          at: value.place)
      } else if problems.count >= Form.maxListedProblems {
        unreported += 1
      } else {
        let names = path.count == 1 ? sectionsAndKeys : candidates
        let meant = nearestKeys(to: path.joined(separator: "."), among: names)
        meantKeys.formUnion(meant)
        let hint =
          meant.isEmpty
          ? "; \"onair settings\" lists them all" : "; did you mean \(listed(meant))?"
        report(
          Self.maskedKey(path, known: sections), "there is no such setting\(hint)", at: value.place,
          code: .unknownSetting)
      }
    }
    if unreported > 0, let place = strays.last?.given.place {
      report(nil, "and \(unreported) more unknown keys", at: place)
    }
  }

  /// The number of problems from which on further unknown keys are only counted, not reported individually.
  private static let maxListedProblems = 100

  /// The key for messages, with each part masked that may be a secret.
  static func maskedKey(_ key: String) -> String {
    let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return maskedKey(path, known: Set(Settings.declarations.map(\.section)))
  }

  /// A key for messages. Parts that do not look like names are masked: with a misplaced quote or equals sign, TOML
  /// reads a secret as a name.
  /// - Parameter known: the names of sections, which are never masked.
  private static func maskedKey(_ path: [String], known: Set<String>) -> String {
    let parts = path.prefix(3).map { part in
      let isName =
        (1...24).contains(part.utf8.count)
        && part.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 || $0 == 95 }
      return isName || known.contains(part) ? part : "***"
    }
    return parts.joined(separator: ".")
  }

  /// Sorts the problems: first those in files by position, then those of a change of settings at run time, then those
  /// on the command line, then all others.
  mutating func sortProblems() {
    // Sort by key at the same place, so that the order is deterministic.
    problems.sort { a, b in
      let (x, y) = (Self.rank(a.place), Self.rank(b.place))
      return x == y ? (a.key ?? "") < (b.key ?? "") : x < y
    }
  }

  /// The order of a place in the list of problems: the kind of place first, then the position in the file.
  static func rank(_ place: Problem.Place) -> (Int, Position) {
    switch place {
    case .wholeFile: (0, .start)
    case .file(_, let position): (1, position)
    case .change: (2, .start)
    case .commandLine: (3, .start)
    case .builtIn: (4, .start)
    }
  }
}
