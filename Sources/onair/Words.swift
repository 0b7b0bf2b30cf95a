// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Settings

/// Messages for people who mistype a command. They never repeat a word that was typed, since it may be the stream key.
enum Words {
  /// The message about the first word that stands where a command is expected but is no command; `nil` if there is no
  /// such word.
  /// - Parameter words: the command line without the program's name.
  static func message(
    for words: some Collection<String>, root: any ParsableCommand.Type = OnAir.self
  ) -> String? {
    var command = root
    var path = ["onair"]
    for word in words {
      guard !word.hasPrefix("-") else { return nil }
      let inner = command.configuration.subcommands
      guard !inner.isEmpty, word != "help" else { return nil }
      guard let next = inner.first(where: { $0._commandName == word }) else {
        let shown = inner.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        return sentence(path.joined(separator: " "), word, shown)
      }
      command = next
      path.append(word)
    }
    return nil
  }

  /// The message for a word that is none of the commands below `path`, such as "onair relay".
  private static func sentence(_ path: String, _ word: String, _ commands: [String]) -> String {
    if let meant = Settings.nearestWord(to: word, among: commands) {
      return "There is no such command; did you mean \"\(path) \(meant)\"?"
    }
    return "There is no such command. After \"\(path)\" comes one of "
      + commands.joined(separator: ", ") + "."
  }

  /// An error message of the argument parser with the values that it quotes masked, since one may be the stream key.
  /// - Parameters:
  ///   - typed: the words of the command line.
  ///   - known: words that are not secret, such as the names of commands.
  static func withoutValues(
    _ message: String, _ typed: some Sequence<String>, known: Set<String>
  ) -> String {
    var message = message
    // Mask the longest argument first: masking a part of a longer argument would leave the rest readable.
    for argument in typed.sorted(by: { $0.utf8.count > $1.utf8.count })
    where !known.contains(argument) {
      if let equals = argument.firstIndex(of: "=") {
        message = message.replacing("'\(argument)'", with: "'\(argument[...equals])***'")
      } else if !argument.hasPrefix("-") {
        message = message.replacing("'\(argument)'", with: "'***'")
      }
    }
    return message
  }

  /// The names of all commands below `root`.
  static func commands(of root: any ParsableCommand.Type = OnAir.self) -> Set<String> {
    root.configuration.subcommands.reduce(into: []) { names, command in
      names.insert(command._commandName)
      names.formUnion(commands(of: command))
    }
  }
}
