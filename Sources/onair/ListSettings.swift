// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import Settings

struct ListSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Lists every setting with its unit, default, range and meaning.",
    discussion: """
      With --json also the value of each, where it comes from and when a change counts: those of the running OnAir, or \
      those with which one would start.
      """)

  @OptionGroup var box: RunningBox

  @Flag(help: "As a Markdown table.")
  var markdown = false

  func run() throws {
    guard box.json else {
      return print(markdown ? Settings.markdownTable : Settings.text, terminator: "")
    }
    let running = try box.askIfRunning { (directory) throws(ControlError) in
      try ControlClient.settings(directory: directory)
    }
    print(try running ?? box.startSettings(), terminator: "")
  }
}
