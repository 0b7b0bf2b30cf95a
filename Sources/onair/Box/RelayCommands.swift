// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Glibc

struct RelayCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Relays: up to four further servers that get the same stream.",
    discussion: """
      A relay that is slow or gone takes no frame from the main server; on a line that is too thin for all, relays give \
      way to it. "start", "stop", "pause" and "resume" count for this broadcast; with the next one, those begin that are \
      enabled.
      """,
    subcommands: [
      ListRelays.self, AddRelay.self, SetRelay.self, RemoveRelay.self, StartRelays.self,
      StopRelays.self, PauseRelays.self, ResumeRelays.self,
    ], defaultSubcommand: ListRelays.self)
}

struct ListRelays: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows each relay, and what it does.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let relays = try box.ask { (directory) throws(ControlError) in
      try ControlClient.relays(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(relays, forPeople: true), as: UTF8.self))
    }
    for relay in relays { print(relay.statusLine) }
    if relays.isEmpty { print("There are no relays.") }
  }
}

struct AddRelay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds a relay. During a broadcast it begins at once.",
    discussion: """
      Asks for the stream key on a terminal; otherwise reads one line of standard input. It is empty where the address has \
      the key in it.
      """)

  @Argument(help: "A name for it: letters, digits, - and _.")
  /// The name of the new relay.
  var name: String

  @Argument(help: "The address of the server: rtmp://HOST/APP or rtmps://HOST/APP.")
  var url: String

  @Flag(help: "Begin it by hand only (onair relay start NAME).")
  /// Whether the relay does not start with a broadcast, but only with `onair relay start`.
  var byHand = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let key = isatty(STDIN_FILENO) == 1 ? ask("Stream key: ") : readLine() ?? ""
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.addRelay(
          name, url: url, key: key, isEnabled: !byHand, directory: directory)
      })
  }
}

struct SetRelay: ParsableCommand {
  /// The fields of a relay that can be changed, as the command line names them.
  private static let names = [
    "url", "key", "key_file", "user", "password", "password_file", "ca_file", "enabled",
  ]
  /// The fields in `names` as words for help texts and messages: "url, key, … or enabled".
  private static let fields = names.dropLast().joined(separator: ", ") + " or enabled"

  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Changes a relay: its address, key, files, or whether it begins by itself.",
    discussion: """
      FIELD is \(fields). A VALUE of - is read from standard input, so that no other user of \
      this machine sees it.
      """)

  @Argument(help: "The relay's name.") var name: String
  @Argument(help: "\(SetRelay.fields).") var field: String
  @Argument(help: "The new value; - reads it from standard input.") var value: String

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard SetRelay.names.contains(field) else {
      throw ValidationError("A relay has no \(field): FIELD is \(SetRelay.fields).")
    }
    guard field != "enabled" || ["true", "false", "-"].contains(value) else {
      throw ValidationError("enabled is true or false.")
    }
  }

  func run() throws {
    let value = value == "-" ? readLine() ?? "" : value
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.changeRelay(name, field, to: value, directory: directory)
      })
  }
}

struct RemoveRelay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes a relay. Its server is told that the stream is over.")

  @Argument(help: "The relay's name.") var name: String

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.removeRelay(name, directory: directory)
      })
  }
}

/// A command for one relay, or for all relays if `name` is `nil`.
protocol RelayCommand: ParsableCommand {
  /// The name of the relay; `nil` for all relays.
  var name: String? { get }
  /// The options that select the OnAir to which the command is sent.
  var box: RunningBoxOptions { get }
  /// What the command does with the relay: start, stop, pause or resume.
  static var action: RelayAction { get }
}

extension RelayCommand {
  /// Sends the command, and prints the answer.
  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.relay(Self.action, name, directory: directory)
      })
  }
}

struct StartRelays: RelayCommand {
  static let action = RelayAction.start
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Starts a relay, or all, in the present broadcast.")
  @Argument(help: "The relay's name; without a name, all relays.") var name: String?
  @OptionGroup var box: RunningBoxOptions
}

struct StopRelays: RelayCommand {
  static let action = RelayAction.stop
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends a relay, or all, and tells the servers so.")
  @Argument(help: "The relay's name; without a name, all relays.") var name: String?
  @OptionGroup var box: RunningBoxOptions
}

struct PauseRelays: RelayCommand {
  static let action = RelayAction.pause
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract:
      "Closes the connection of a relay, or of all. Platforms wait for the stream to come back.")
  @Argument(help: "The relay's name; without a name, all relays.") var name: String?
  @OptionGroup var box: RunningBoxOptions
}

struct ResumeRelays: RelayCommand {
  static let action = RelayAction.resume
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Goes on with a relay that was paused, or with all.")
  @Argument(help: "The relay's name; without a name, all relays.") var name: String?
  @OptionGroup var box: RunningBoxOptions
}
