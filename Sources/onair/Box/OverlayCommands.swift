// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Settings

struct OverlayCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "overlay", abstract: "Overlays: images, texts and stickers on the picture.",
    discussion: """
      Up to sixteen, each with a name. They are added, changed, shown and hidden while the broadcast goes on, and kept. A \
      pause hides them, unless on_stills is true.
      """,
    subcommands: OverlayWords.commands, defaultSubcommand: ListEntries<OverlayWords>.self)
}

/// The texts of the commands for the overlays.
enum OverlayWords: ListWords {
  static let list = OverlaySettings.list
  static let exampleFields = "kind=text text=Hello"
  static let enabling = (word: "show", help: "Shows an overlay, which fades in.")
  static let disabling = (word: "hide", help: "Hides an overlay, which fades out and stays ready.")
}

struct FilterCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter",
    abstract: "Filters: privacy masks, and what changes the camera's picture.",
    discussion: """
      Up to sixteen, each with a name. They are added, changed, switched on and off while the broadcast goes on, and kept. A \
      mask covers its part of the picture in stills and snapshots of the camera, too.
      """,
    subcommands: FilterWords.commands, defaultSubcommand: ListEntries<FilterWords>.self)
}

/// The texts of the commands for the filters.
enum FilterWords: ListWords {
  static let list = FilterSettings.list
  static let exampleFields = "kind=colour brightness=10"
}

struct TextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "text", abstract: "Sets the text that {api:NAME} stands for on the picture.",
    discussion: """
      As in "onair text score '2 : 1'", for an overlay with a text such as "Home {api:score} Guests". An empty TEXT forgets \
      it; a TEXT of - is read from standard input. Without a TEXT it is shown, and without a NAME all are.
      """)

  /// The name in {api:NAME} whose text is set or shown; `nil` to show all texts.
  @Argument(help: "The name in {api:NAME}.") var name: String?
  /// The new text; "-" to read it from standard input; `nil` to show the present text.
  @Argument(help: "The new text, of at most 2000 characters.") var text: String?

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    if let name, !NamedList.isPlain(name) {
      throw ValidationError("A name has \(NamedList.plainRule).")
    }
  }

  func run() throws {
    if let name, let text {
      let new = text == "-" ? readLine() ?? "" : text
      return try box.show(
        box.ask { (directory) throws(ControlError) in
          try ControlClient.setText(name, to: new, directory: directory)
        })
    }
    let texts = try box.ask { (directory) throws(ControlError) in
      try ControlClient.texts(directory: directory)
    }.filter { name == nil || $0.name == name }
    guard !box.json else {
      return print(String(decoding: JSON.encode(texts, forPeople: true), as: UTF8.self))
    }
    for text in texts { print(name == nil ? "\(text.name): \(text.text)" : text.text) }
    if texts.isEmpty { print(name == nil ? "There are no texts." : "There is no such text.") }
  }
}
