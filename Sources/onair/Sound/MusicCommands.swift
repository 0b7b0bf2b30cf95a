// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Glibc

struct MusicCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "music", abstract: "Music beside the voice: files, folders, stations, playlists.",
    discussion: """
      It is a track of its own, which is lowered while somebody speaks. It ends with the broadcast; \
      music.autostart begins it with each.
      """,
    subcommands: [
      StartMusic.self, PauseMusic.self, ResumeMusic.self, StopMusic.self, MusicState.self,
    ], defaultSubcommand: MusicState.self)
}

struct StartMusic: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Plays music. Music that plays already fades over into it.")

  @Argument(
    help: """
      What to play: file:PATH, folder:PATH, shuffle:PATH, or an address with http:// or https://. Without it, \
      music.source.
      """)
  var source: String?

  @Flag(
    inversion: .prefixedNo, help: "Play it again and again; without the option, as music.loop says."
  )
  var loop: Bool?

  @Option(help: "How loud it is, 0 to 100; 50 is as it was recorded.")
  var volume: Int?

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard volume.map({ 0...100 ~= $0 }) ?? true else {
      throw ValidationError("A volume is a whole number, 0 to 100.")
    }
  }

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.startMusic(source, loops: loop, volume: volume, directory: directory)
      })
  }
}

/// A command for the music that plays.
protocol MusicCommand: ParsableCommand {
  var box: RunningBoxOptions { get }
}

extension MusicCommand {
  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.music(Self._commandName, directory: directory)
      })
  }
}

struct PauseMusic: MusicCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pauses the music. A station is closed meanwhile.")
  @OptionGroup var box: RunningBoxOptions
}

struct ResumeMusic: MusicCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Goes on with the music that was paused.")
  @OptionGroup var box: RunningBoxOptions
}

struct StopMusic: MusicCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends the music.")
  @OptionGroup var box: RunningBoxOptions
}

struct MusicState: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows what plays, and how much of it is over.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let music = try box.ask { (directory) throws(ControlError) in
      try ControlClient.music(directory: directory)
    }
    if box.json {
      print(String(decoding: JSON.encode(music, forPeople: true), as: UTF8.self))
    } else {
      print(music.words)
    }
  }
}
