// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import Settings

/// The texts that differ between the commands for a list in the settings, such as `onair overlay` and `onair filter`.
protocol ListWords: Sendable {
  /// The list in the settings whose entries the commands show and change.
  static var list: NamedList { get }
  /// The fields of an entry as an example for help texts: "kind=image file=logo.png".
  static var exampleFields: String { get }
  /// The word of the command that enables an entry, such as "show", and the help text of the command.
  static var enabling: (word: String, help: String) { get }
  /// The word of the command that disables an entry, such as "hide", and the help text of the command.
  static var disabling: (word: String, help: String) { get }
}

extension ListWords {
  static var enabling: (word: String, help: String) { ("on", "Switches one on.") }
  static var disabling: (word: String, help: String) { ("off", "Switches one off.") }

  /// All commands for the list.
  static var commands: [any ParsableCommand.Type] {
    [
      ListEntries<Self>.self, AddEntry<Self>.self, SetEntry<Self>.self, RemoveEntry<Self>.self,
      EnableEntry<Self>.self, DisableEntry<Self>.self,
    ]
  }

  /// The part of the help text that says which words FIELD can be.
  static var fieldHelp: String {
    "FIELD is one of \(list.fieldNames.joined(separator: ", ")); \"onair settings \(list.section).NAME\" explains them."
  }

  /// Checks a name for an entry.
  /// - Throws: `ValidationError` if `name` cannot be the name of an entry.
  static func checkName(_ name: String) throws {
    guard NamedList.isPlain(name) else {
      throw ValidationError("A name has \(NamedList.plainRule).")
    }
  }

  /// Parses words of the command line, such as "x=0.5", or "x" and "0.5", as fields and their values. A value "-" is
  /// returned as it is.
  /// - Throws: `ValidationError` for a field that the list does not have, or for a field without a value.
  static func fields(_ words: some Sequence<String>) throws -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    /// The field whose value is the next word; `nil` if the next word is a field.
    var open: String?
    for word in words {
      if let field = open.take() {
        fields.append((field, word))
      } else if let equals = word.firstIndex(of: "=") {
        fields.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
      } else {
        open = word
      }
    }
    for field in fields.map({ $0.name }) + [open].compactMap(\.self)
    where !list.fieldNames.contains(field) {
      let meant = Settings.nearestWord(to: field, among: list.fieldNames)
      throw ValidationError(
        meant.map { "There is no such field; did you mean \($0)?" }
          ?? "There is no such field. \(fieldHelp)")
    }
    guard open == nil else {
      throw ValidationError("Each field needs a value, as in: \(exampleFields)")
    }
    return fields
  }

  /// The values of the fields by field name. Each value "-" is replaced by a line of standard input.
  static func read(_ fields: [(name: String, value: String)]) -> [String: String] {
    fields.reduce(into: [:]) { read, field in
      read[field.name] = field.value == "-" ? readLine() ?? "" : field.value
    }
  }

  /// The configuration of one command of the list, such as `onair overlay add`.
  /// - Parameters:
  ///   - word: the name of the command: "add".
  ///   - usage: the arguments of the command, as the help shows them: " NAME".
  fileprivate static func configuration(
    _ word: String, _ abstract: String, usage: String, _ discussion: String = ""
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: word, abstract: abstract,
      usage: "onair \(list.section) \(word)\(usage) [--json]", discussion: discussion)
  }
}

struct ListEntries<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration("list", "Shows each \(List.list.section), and its state.", usage: "")
  }

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let entries: [JSONValue] = try box.ask { (directory) throws(ControlError) in
      try ControlClient.entries(of: List.list, directory: directory)
    }
    guard !box.json else { return print(JSONValue.list(entries).text) }
    for entry in entries {
      func text(_ field: String) -> String {
        if case .object(let fields) = entry, case .text(let text)? = fields[field] {
          text
        } else {
          ""
        }
      }
      let sentence = text("sentence")
      print(
        "\(text("name")), \(text(List.list.essential)): \(text("state"))"
          + (sentence.isEmpty ? "" : " (\(sentence))"))
    }
    if entries.isEmpty { print("There are no \(List.list.section)s.") }
  }
}

struct AddEntry<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration(
      "add", "Adds \(List.list.nameWithArticle). It counts at once.",
      usage: " [NAME] FIELD=VALUE ...",
      "As in \"onair \(List.list.section) add first \(List.exampleFields)\". "
        + "Without a NAME it is given one, which the answer has. " + List.fieldHelp)
  }

  // Parse unrecognized options as values, since a value may begin with "-".
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Its name, and its fields with their values.", valueName: "field=value"))
  /// The words of the command line: the name of the entry, and fields with their values.
  var nameAndFields: [String]

  @OptionGroup var box: RunningBoxOptions

  /// The name of the new entry: the first word, unless it has the form FIELD=VALUE; `nil` if no name is given.
  private var name: String? { nameAndFields.first.flatMap { $0.contains("=") ? nil : $0 } }

  func validate() throws {
    if let name { try List.checkName(name) }
    let fields = nameAndFields.dropFirst(name == nil ? 0 : 1)
    guard fields.allSatisfy({ $0.contains("=") }) else {
      throw ValidationError("Each field needs a value after \"=\", as in: \(List.exampleFields)")
    }
    _ = try List.fields(fields)
  }

  func run() throws {
    var fields = List.read(try List.fields(nameAndFields.dropFirst(name == nil ? 0 : 1)))
    fields["name"] = name
    let entry = fields
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.addEntry(entry, to: List.list, directory: directory)
      })
  }
}

struct SetEntry<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration(
      "set", "Changes \(List.list.nameWithArticle). It counts at once.",
      usage: " NAME FIELD VALUE [FIELD VALUE ...]",
      "FIELD=VALUE can be written, too. A VALUE of - is read from standard input. " + List.fieldHelp
    )
  }

  // Parse unrecognized options as values, since a value may begin with "-".
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Its name, and fields with their new values.", valueName: "field=value"))
  /// The words of the command line: the name of the entry, and fields with their values.
  var nameAndFields: [String]

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard let name = nameAndFields.first, nameAndFields.count > 1 else {
      throw ValidationError(
        "Name it, a field and the new value, as in: onair \(List.list.section) set first enabled false"
      )
    }
    try List.checkName(name)
    _ = try List.fields(nameAndFields.dropFirst())
  }

  func run() throws {
    let fields = List.read(try List.fields(nameAndFields.dropFirst()))
    try box.change(List.list, nameAndFields[0], fields)
  }
}

struct RemoveEntry<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration("remove", "Removes \(List.list.nameWithArticle).", usage: " NAME")
  }

  /// The name of the entry in the list.
  @Argument(help: "Its name.") var name: String

  @OptionGroup var box: RunningBoxOptions

  func validate() throws { try List.checkName(name) }

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.removeEntry(name, of: List.list, directory: directory)
      })
  }
}

struct EnableEntry<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration(List.enabling.word, List.enabling.help, usage: " NAME")
  }

  /// The name of the entry in the list.
  @Argument(help: "Its name.") var name: String

  @OptionGroup var box: RunningBoxOptions

  func validate() throws { try List.checkName(name) }

  func run() throws { try box.change(List.list, name, ["enabled": "true"]) }
}

struct DisableEntry<List: ListWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    List.configuration(List.disabling.word, List.disabling.help, usage: " NAME")
  }

  /// The name of the entry in the list.
  @Argument(help: "Its name.") var name: String

  @OptionGroup var box: RunningBoxOptions

  func validate() throws { try List.checkName(name) }

  func run() throws { try box.change(List.list, name, ["enabled": "false"]) }
}

extension RunningBoxOptions {
  /// Sets fields of an entry of a list, by field name, and prints the answer.
  fileprivate func change(_ list: NamedList, _ name: String, _ fields: [String: String]) throws {
    try show(
      ask { (directory) throws(ControlError) in
        try ControlClient.changeEntry(name, of: list, fields, directory: directory)
      })
  }
}
