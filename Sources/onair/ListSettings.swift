// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Settings

struct ListSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Lists every setting with its unit, default, range and meaning.")

  @Flag(help: "As JSON, for programs.")
  var json = false

  @Flag(help: "As a Markdown table.")
  var markdown = false

  func run() throws {
    let values = try Configuration.inspect(file: nil).configuration.values
    print(
      json ? Settings.json(values) : markdown ? Settings.markdownTable : Settings.text,
      terminator: "")
  }
}
