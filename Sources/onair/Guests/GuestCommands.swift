// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Settings

/// The texts of the commands for the guests of the settings.
enum GuestWords: ListWords {
  static var list: NamedList { GuestSettings.list }
  static var exampleFields: String { "url=rtsp://HOST/PATH label=Anna" }
}

struct GuestCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guest", abstract: "Guests: other people's pictures and sound in the broadcast.",
    discussion: """
      A guest waits until a person admits him, unless his admit is "auto". "hide" takes him back to the waiting room, \
      "kick" removes him until he is allowed to come back, and "remove" takes him out of the settings. See also "onair \
      layout".
      """,
    subcommands: [
      ListGuests.self, AddEntry<GuestWords>.self, SetEntry<GuestWords>.self,
      RemoveEntry<GuestWords>.self, EnableEntry<GuestWords>.self, DisableEntry<GuestWords>.self,
      AdmitGuest.self, HideGuest.self, KickGuest.self, AllowGuest.self,
    ], defaultSubcommand: ListGuests.self)
}

struct ListGuests: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows each guest, what arrives, and the layout.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let reply = try box.ask { (directory) throws(ControlError) in
      try ControlClient.guests(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(reply, forPeople: true), as: UTF8.self))
    }
    for guest in reply.guests { print(guest.statusLine) }
    if reply.guests.isEmpty { return print("There are no guests.") }
    print("layout: \(reply.layout.words)")
  }
}

/// A command for one guest.
protocol GuestCommand: ParsableCommand {
  var name: String { get }
  var box: RunningBoxOptions { get }
  /// What the command does with the guest.
  static var action: GuestAction { get }
}

extension GuestCommand {
  func validate() throws { try GuestWords.checkName(name) }

  /// Sends the command, and prints the answer.
  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.guest(Self.action, name, directory: directory)
      })
  }
}

struct AdmitGuest: GuestCommand {
  static let action = GuestAction.admit
  static let configuration = CommandConfiguration(
    commandName: "admit", abstract: "Puts a guest on air, at once or as soon as he is there.")
  @Argument(help: "The guest's name.") var name: String
  @OptionGroup var box: RunningBoxOptions
}

struct HideGuest: GuestCommand {
  static let action = GuestAction.hide
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Takes a guest off the air, back to the waiting room.")
  @Argument(help: "The guest's name.") var name: String
  @OptionGroup var box: RunningBoxOptions
}

struct KickGuest: GuestCommand {
  static let action = GuestAction.remove
  static let configuration = CommandConfiguration(
    commandName: "kick", abstract: "Removes a guest, who does not come back until he is allowed to."
  )
  @Argument(help: "The guest's name.") var name: String
  @OptionGroup var box: RunningBoxOptions
}

struct AllowGuest: GuestCommand {
  static let action = GuestAction.allow
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Lets a guest who was removed come back, to the waiting room.")
  @Argument(help: "The guest's name.") var name: String
  @OptionGroup var box: RunningBoxOptions
}

struct LayoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layout", abstract: "Shows or chooses the layout of camera and guests.",
    discussion: """
      NAME is single, side_by_side, pip, pip_top_left, pip_top_right, pip_bottom_left, grid, guest, guest:NAME or the \
      name of a [[layout]]. It stays until the last guest goes or the broadcast ends, or until "auto" gives the choice \
      back to the box.
      """)

  @Argument(help: "The layout, or auto; without it, the present one is shown.") var name: String?

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    if let name {
      return try box.show(
        box.ask { (directory) throws(ControlError) in
          try ControlClient.choose(layout: name == "auto" ? nil : name, directory: directory)
        })
    }
    let layout = try box.ask { (directory) throws(ControlError) in
      try ControlClient.guests(directory: directory)
    }.layout
    guard !box.json else {
      return print(String(decoding: JSON.encode(layout, forPeople: true), as: UTF8.self))
    }
    print(layout.words)
  }
}
