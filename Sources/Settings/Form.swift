// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What was given for the settings, and what became of it.
///
/// `Settings` and its sections are made by asking a form for each value in turn. That one line for a
/// setting is its declaration: it names the key, the kind, the default and the help, and an empty form
/// simply collects them. Because Swift has every stored property assigned, none can be forgotten.
struct Form {
  /// A value given, and where.
  struct Given {
    let raw: Raw
    let place: Problem.Place
  }

  private(set) var declarations: [Declaration] = []
  private(set) var problems: [Problem] = []
  private var given: [String: [Given]] = [:]
  /// What was given for no key that could be a setting's, with its path.
  private var strays: [(path: [String], given: Given)] = []

  /// Takes in a value; of two for one key the later counts, but both are checked.
  mutating func take(_ path: [String], _ raw: Raw, at place: Problem.Place) {
    let value = Given(raw: raw, place: place)
    // A quoted name with a dot in it ("video.size" in quotes) is not the key that it looks like.
    if path.count == 2, !path.contains(where: { $0.contains(".") }) {
      given["\(path[0]).\(path[1])", default: []].append(value)
    } else {
      strays.append((path, value))
    }
  }

  /// Where the value in force of `key` was written.
  func place(of key: String) -> Problem.Place { given[key]?.last?.place ?? .builtIn }

  mutating func report(_ key: String?, _ sentence: String, at place: Problem.Place) {
    problems.append(Problem(place: place, key: key, sentence: sentence))
  }

  /// Declares a setting and gives its value: the default, if none or a wrong one was given.
  mutating func value<Value>(
    _ key: String, _ kind: Kind<Value>, default standard: Value, unit: String = "",
    isSecret: Bool = false, help: String
  ) -> Value {
    declarations.append(
      Declaration(
        key: key, type: kind.type, unit: unit, defaultText: kind.show(standard),
        allowed: kind.allowed, choices: kind.choices, range: kind.range, help: help,
        isSecret: isSecret))
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

  /// Reports every value given for what is no setting. To be called when all are declared.
  mutating func reportUnknown() {
    let keys = Set(declarations.map(\.key))
    let sections = Set(declarations.map(\.section))
    for (key, values) in given where !keys.contains(key) {
      let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      for value in values { strays.append((path, value)) }
    }
    var told: Set<String> = []
    // A file that is no settings at all would give as many sentences as it has lines.
    var untold = 0
    let candidates = keys.sorted()
    let sectionsAndKeys = sections.sorted() + candidates
    for (path, value) in strays {
      let start = path.prefix(2).joined(separator: ".")
      if path.count > 2, let declaration = declarations.first(where: { $0.key == start }) {
        // One sentence, however much the table holds.
        guard told.insert(start).inserted else { continue }
        report(start, "must be \(declaration.allowed), not a table", at: value.place)
      } else if path.count == 1, let name = path.first, sections.contains(name) {
        if value.raw == .other("a table") { continue }
        report(name, "is a section: write [\(name)], then NAME = VALUE below it", at: value.place)
      } else if problems.count >= Form.mostUnknown {
        untold += 1
      } else {
        let names = path.count == 1 ? sectionsAndKeys : candidates
        let meant = nearest(to: path.joined(separator: "."), among: names)
        let hint = meant.map { "; did you mean \($0)?" } ?? "; \"onair settings\" lists them all"
        report(
          Self.shown(path, known: sections), "there is no such setting\(hint)", at: value.place)
      }
    }
    if untold > 0, let place = strays.last?.given.place {
      report(nil, "and \(untold) more that are no settings", at: place)
    }
  }

  /// How many unknown settings are told one by one.
  private static let mostUnknown = 100

  /// A key as far as it looks like one: with a quote or an equals sign misplaced, a secret may stand
  /// where a name is read.
  private static func shown(_ path: [String], known: Set<String>) -> String {
    let parts = path.prefix(3).map { part in
      let isName =
        (1...24).contains(part.utf8.count)
        && part.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 || $0 == 95 }
      return isName || known.contains(part) ? part : "***"
    }
    return parts.joined(separator: ".")
  }

  /// Orders what was found: as the file goes, then the command line, then the rest.
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
