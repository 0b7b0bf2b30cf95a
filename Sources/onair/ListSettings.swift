// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import FoundationEssentials
import Settings

struct ListSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Shows settings with their values, units, ranges and meanings.",
    discussion: """
      The values are those of the running OnAir, or those with which one would start. KEY is a setting (video.size), a \
      section (video) or a relay (relay.NAME); without one, all are shown. With --json also when a change counts.
      """)

  @Argument(help: "Settings or sections.", completion: .settings)
  var keys: [String] = []

  /// The options that export settings to a file, or import them from one.
  @OptionGroup var file: SettingsFileOptions

  @OptionGroup var box: RunningBoxOptions

  @Flag(help: "All settings with their defaults, as a Markdown table.")
  var markdown = false

  func run() throws {
    if try file.run(box) { return }
    if markdown { return print(Settings.markdownTable, terminator: "") }
    let running = try box.askIfRunning { (directory) throws(ControlError) in
      try ControlClient.settings(directory: directory)
    }
    let all = try running ?? box.startSettings()
    if keys.isEmpty, box.json { return print(all, terminator: "") }
    let rows = ListSettings.rows(all)
    let named = try ListSettings.choose(keys, among: rows.map(\.shown.key))
    let chosen = rows.filter { keys.isEmpty || named.contains($0.shown.key) }
    if box.json {
      print("[\n\(chosen.map(\.json).joined(separator: ",\n"))\n]")
    } else {
      // Also show the settings that an entry of a list, such as a relay, can have, even if the list has no entries.
      let lists = keys.isEmpty ? Settings.listDefaults : []
      print(Settings.text(chosen.map(\.shown) + lists), terminator: "")
    }
  }

  /// A setting in both forms in which it may be printed: as JSON and as text.
  private struct Row {
    /// The setting's JSON object, unchanged from the list of all settings.
    var json: String
    var shown: Settings.Shown
  }

  /// The fields of a setting's JSON object that the text output shows.
  private struct Fields: Decodable {
    var key: String
    var value: JSONValue
    var origin: String
    var pending: Bool
    var isSet: Bool?
  }

  /// Parses a JSON list of settings.
  /// - Parameter list: the JSON list, with one object on each line.
  private static func rows(_ list: String) -> [Row] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return list.split(separator: "\n").compactMap { line in
      let json = line.hasSuffix(",") ? line.dropLast() : line
      guard let fields = try? decoder.decode(Fields.self, from: Data(json.utf8)) else { return nil }
      let value =
        fields.value == .null ? fields.isSet == true ? "(set)" : "\"\"" : fields.value.line
      return Row(
        json: String(json),
        shown: Settings.Shown(
          key: fields.key, value: value, origin: Origin(rawValue: fields.origin) ?? .builtIn,
          isPending: fields.pending))
    }
  }

  /// The keys of the settings that the words name. A word is a key, or a section and so all keys in it.
  /// - Throws: `ExitCode` if a word names no setting. The printed message does not repeat the word, since it may be a
  ///   secret value.
  private static func choose(_ words: [String], among keys: [String]) throws -> Set<String> {
    var chosen: Set<String> = []
    for word in words {
      let named = Settings.keys(named: word, among: keys)
      guard !named.isEmpty else {
        let meant = Settings.nearestWord(to: word, among: keys)
        printError(
          meant.map { "There is no such setting; did you mean \($0)?" }
            ?? "There is no such setting: \"onair settings\" lists them all.")
        throw ExitCode.validationFailure
      }
      chosen.formUnion(named)
    }
    return chosen
  }
}
