// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
import Settings

enum TrackWords: ListWords {
  static var list: NamedList { TrackSettings.list }
  static var exampleFields: String { "source=microphone:hw:2,0 volume=40" }
}

struct TrackCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "The sounds of a broadcast: microphones, files, programs, music.",
    discussion: """
      "main" is the sound of audio.source, "music" what "onair music" plays; up to three more are mixed with them.
      """,
    subcommands: [
      ListTracks.self, AddEntry<TrackWords>.self, SetTrack.self, RemoveEntry<TrackWords>.self,
      EnableEntry<TrackWords>.self, DisableEntry<TrackWords>.self,
    ], defaultSubcommand: ListTracks.self)
}

struct ListTracks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows each track, how loud it is, and what is wrong with it.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let audio = try box.ask { (directory) throws(ControlError) in
      try ControlClient.audio(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(audio, forPeople: true), as: UTF8.self))
    }
    for track in audio.tracks { print(track.words) }
    if let words = audio.loudness?.words { print(words) }
  }
}

struct SetTrack: ParsableCommand {
  private static let mainName = "main"
  private static let musicName = "music"

  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes a track, also main, at once.",
    usage: "onair track set NAME FIELD VALUE [FIELD VALUE ...] [--json]",
    discussion: """
      As in "onair track set main volume 40" or "onair track set guest mute true". FIELD=VALUE can be written, too. A \
      VALUE of - is read from standard input. Of music only the volume is set here. \(TrackWords.fieldHelp)
      """)

  // A value may begin with "-": take unrecognized options as values.
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Its name, and fields with their new values.", valueName: "field=value"))
  var nameAndFields: [String]

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard let name = nameAndFields.first, nameAndFields.count > 1 else {
      throw ValidationError(
        "Name it, a field and the new value, as in: onair track set main volume 40")
    }
    try TrackWords.checkName(name)
    let fields = try TrackWords.fields(nameAndFields.dropFirst())
    if name == SetTrack.mainName, fields.contains(where: { $0.name == "enabled" }) {
      throw ValidationError("main is always open: without it, set audio.source to none.")
    }
    if name == SetTrack.musicName {
      guard fields.count == 1, fields[0].name == "volume",
        Int(fields[0].value).map({ 0...100 ~= $0 }) ?? false
      else { throw ValidationError("Of music, set the volume: a whole number, 0 to 100.") }
    }
  }

  func run() throws {
    let name = nameAndFields[0]
    let fields = TrackWords.read(try TrackWords.fields(nameAndFields.dropFirst()))
    try box.show(
      box.ask { (directory) throws(ControlError) in
        switch name {
        case SetTrack.mainName:
          let keys = fields.map { ("audio.\($0.key)", String?.some($0.value)) }
          return try ControlClient.change(
            Dictionary(uniqueKeysWithValues: keys), directory: directory)
        case SetTrack.musicName:
          return try ControlClient.setVolumes(
            voice: nil, music: fields["volume"].flatMap { Int($0) }, directory: directory)
        default:
          return try ControlClient.changeEntry(
            name, of: TrackWords.list, fields, directory: directory)
        }
      })
  }
}

struct SetVolumes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "volumes", abstract: "Sets how loud all voices are, and the music.",
    discussion: """
      50 changes nothing, 100 is twice the level, 0 is silent. It counts until OnAir ends, or music.volume changes; \
      each track has a volume of its own besides (onair track).
      """)

  @Option(help: "Of all tracks but music, 0 to 100.") var voice: Int?
  @Option(help: "Of the music, 0 to 100.") var music: Int?

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard voice != nil || music != nil else {
      throw ValidationError("Say how loud: --voice 50, --music 30, or both.")
    }
    guard [voice, music].allSatisfy({ $0.map { 0...100 ~= $0 } ?? true }) else {
      throw ValidationError("A volume is a whole number, 0 to 100.")
    }
  }

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.setVolumes(voice: voice, music: music, directory: directory)
      })
  }
}
