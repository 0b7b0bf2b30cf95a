// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Collects the values that were given for settings, checks them and reports problems.
///
/// `Settings` and its sections ask a form for each value in turn. That one call is the setting's declaration: it names
/// the key, the kind of value, the default and the help. An empty form collects the declarations. Swift requires every
/// stored property to be assigned, so no setting can be forgotten.
struct Form {
  /// A value given, and where.
  struct Given {
    let raw: Raw
    let place: Problem.Place
  }

  private(set) var declarations: [Declaration] = []
  private(set) var problems: [Problem] = []
  /// Whether the file could not be read as a whole, so that values may be missing.
  var isPartial = false
  /// The settings that misspelt keys were probably meant for.
  private var meantKeys: Set<String> = []
  private var given: [String: [Given]] = [:]
  /// Values whose keys are no SECTION.NAME, with their paths.
  private var strays: [(path: [String], given: Given)] = []

  /// Adds a value. Of two for one key the later one counts, but both are checked.
  mutating func take(_ path: [String], _ raw: Raw, at place: Problem.Place) {
    let value = Given(raw: raw, place: place)
    // A quoted name with a dot in it ("video.size" in quotes) is not the key that it looks like.
    if path.count == 2, !path.contains(where: { $0.contains(".") }) {
      given["\(path[0]).\(path[1])", default: []].append(value)
    } else {
      strays.append((path, value))
    }
  }

  /// Where the value of `key` that counts was written.
  func place(of key: String) -> Problem.Place { given[key]?.last?.place ?? .builtIn }

  /// Whether it is unknown what the person gave for `key`. What seems wrong because of that is not reported: it is a
  /// consequence of what already was.
  func isDoubtful(_ key: String) -> Bool {
    isPartial || meantKeys.contains(key) || problems.contains { $0.key == key }
  }

  mutating func report(_ key: String?, _ sentence: String, at place: Problem.Place) {
    problems.append(Problem(place: place, key: key, sentence: sentence))
  }

  /// Declares a setting and returns its value: the default if no value or a wrong one was given.
  mutating func value<Value>(
    _ key: String, _ kind: Kind<Value>, default standard: Value, unit: String = "",
    effect: Declaration.Effect = .nextStart, isSecret: Bool = false, help: String
  ) -> Value {
    declarations.append(
      Declaration(
        key: key, type: kind.type, unit: unit, defaultText: kind.show(standard),
        allowed: kind.allowed, choices: kind.choices, range: kind.range, help: help,
        effect: effect, isSecret: isSecret))
    var value = standard
    for given in given[key] ?? [] {
      do throws(Refusal) {
        value = try kind.read(given.raw)
      } catch {
        report(key, sentence(for: error, given.raw, kind), at: given.place)
      }
    }
    return value
  }

  private func sentence<Value>(for refusal: Refusal, _ raw: Raw, _ kind: Kind<Value>) -> String {
    if case .because(let reason) = refusal { return reason }
    let isOther =
      switch (raw, kind.type) {
      case (.word, _), (.text, .text), (.flag, .flag), (.integer, .wholeNumber): false
      case (.integer, .number), (.number, .number): false
      default: true
      }
    if isOther {
      return kind.type == .text
        ? "must be text in quotes, not \(raw.kindName); allowed: \(kind.allowed)"
        : "must be \(kind.allowed), not \(raw.kindName)"
    }
    // Up to the colon, for what follows it ("file:PATH") is free.
    let word = raw.asText.map { String($0.prefix { $0 != ":" }) } ?? ""
    let meant = nearest(to: word, among: kind.choices).map { "; did you mean \(quoted($0))?" } ?? ""
    return "must be \(kind.allowed)\(meant)"
  }

  /// Reports each value whose key is not a setting's. To be called after all settings are declared.
  mutating func reportUnknown() {
    let keys = Set(declarations.map(\.key))
    let sections = Set(declarations.map(\.section))
    for (key, values) in given where !keys.contains(key) {
      let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      for value in values { strays.append((path, value)) }
    }
    var reported: Set<String> = []
    // A file that does not hold settings at all would give as many sentences as it has lines.
    var unreported = 0
    let candidates = keys.sorted()
    let sectionsAndKeys = sections.sorted() + candidates
    for (path, value) in strays {
      let start = path.prefix(2).joined(separator: ".")
      if path.count > 2, let declaration = declarations.first(where: { $0.key == start }) {
        // One sentence, however much the table holds.
        guard reported.insert(start).inserted else { continue }
        report(start, "must be \(declaration.allowed), not a table", at: value.place)
      } else if path.count == 1, let name = path.first, sections.contains(name) {
        if value.raw == .other("a table") { continue }
        report(name, "is a section: write [\(name)], then NAME = VALUE below it", at: value.place)
      } else if problems.count >= Form.mostUnknown {
        unreported += 1
      } else {
        let names = path.count == 1 ? sectionsAndKeys : candidates
        let meant = nearestKeys(to: path.joined(separator: "."), among: names)
        meantKeys.formUnion(meant)
        let hint =
          meant.isEmpty
          ? "; \"onair settings\" lists them all" : "; did you mean \(listed(meant))?"
        report(
          Self.shown(path, known: sections), "there is no such setting\(hint)", at: value.place)
      }
    }
    if unreported > 0, let place = strays.last?.given.place {
      report(nil, "and \(unreported) more keys that are no settings", at: place)
    }
  }

  /// The most unknown keys that are reported one by one.
  private static let mostUnknown = 100

  /// A key with those of its parts masked that do not look like names: where a quote or an equals sign is misplaced, a
  /// secret may be read as a name.
  private static func shown(_ path: [String], known: Set<String>) -> String {
    let parts = path.prefix(3).map { part in
      let isName =
        (1...24).contains(part.utf8.count)
        && part.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 || $0 == 95 }
      return isName || known.contains(part) ? part : "***"
    }
    return parts.joined(separator: ".")
  }

  /// Sorts the problems: those of the file in its order, then those of the command line, then the others.
  mutating func sortProblems() {
    func rank(_ place: Problem.Place) -> (Int, Position) {
      switch place {
      case .wholeFile: (0, .start)
      case .file(_, let position): (1, position)
      case .commandLine: (2, .start)
      case .builtIn: (3, .start)
      }
    }
    // By key where the place is the same, so that the order is the same at every run.
    problems.sort { a, b in
      let (x, y) = (rank(a.place), rank(b.place))
      return x == y ? (a.key ?? "") < (b.key ?? "") : x < y
    }
  }
}
