// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control

struct SetSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes settings of the running OnAir, and keeps them.",
    usage: "onair set KEY VALUE [KEY VALUE ...] [--json]",
    discussion: """
      As in "onair set video.size 1280x720" or "onair set video.size=1280x720". The values are kept in the state directory and override the settings file; \
      "onair unset" takes them back. All mistakes are named, and then nothing is changed. A VALUE of "-" is read from \
      standard input, so that a stream key need not be on the command line.
      """)

  // Parse unrecognized options as values, since a value may begin with "-".
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Settings and their new values.", valueName: "key=value"),
    completion: .settings)
  /// The words of the command line: setting keys and values in turn, or both in one word with "=" between them.
  var keysAndValues: [String]

  @OptionGroup var box: RunningBoxOptions

  func validate() throws { _ = try pairs() }

  func run() throws {
    var values: [String: String?] = [:]
    for (key, value) in try pairs() { values[key] = value == "-" ? readLine() ?? "" : value }
    try box.change(values)
  }

  /// The keys and values of the settings in `keysAndValues`.
  /// - Throws: `ValidationError` for a key without a value.
  private func pairs() throws -> [(key: String, value: String)] {
    var pairs: [(String, String)] = []
    var words = keysAndValues[...]
    while let word = words.popFirst() {
      if let equals = word.firstIndex(of: "=") {
        pairs.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
      } else if let value = words.popFirst() {
        pairs.append((word, value))
      } else {
        throw ValidationError("Each setting needs a value, as in: onair set video.fps 25")
      }
    }
    return pairs
  }
}

struct UnsetSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Takes back what \"onair set\" changed: the settings file counts again.",
    usage: "onair unset KEY ... [--json]")

  @Argument(help: ArgumentHelp("Settings.", valueName: "key"), completion: .settings)
  /// The keys of the settings to unset.
  var keys: [String]

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    var values: [String: String?] = [:]
    for key in keys { values[key] = .some(nil) }
    try box.change(values)
  }
}

extension RunningBoxOptions {
  /// Sets settings of the running OnAir by key, or unsets those whose value is `nil`, and prints the answer.
  fileprivate func change(_ values: [String: String?]) throws {
    let reply = try ask { (directory) throws(ControlError) in
      try ControlClient.change(values, directory: directory)
    }
    try show(reply)
  }
}
