// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Base
internal import Box
import Control
internal import Figures

struct RecordCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Recordings: films of the broadcast on a disk or a stick.",
    discussion: """
      record.start says what begins a recording by itself. Without a broadcast "start" opens camera and microphone until \
      "stop".
      """,
    subcommands: [
      StartRecording.self, StopRecording.self, MarkRecording.self, ListRecordings.self,
      RenameRecording.self, KeepRecording.self, DeleteRecording.self, UndeleteRecording.self,
      EjectStick.self,
    ], defaultSubcommand: ListRecordings.self)
}

struct StartRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Begins to record, on the air or off.")

  @Option(help: "A name, which follows the time in the name of the file.")
  var name: String?

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.startRecording(name, directory: directory)
      })
  }
}

/// A command for the present recording.
protocol RecordingCommand: ParsableCommand {
  var box: RunningBoxOptions { get }
}

extension RecordingCommand {
  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.record(Self._commandName, directory: directory)
      })
  }
}

struct StopRecording: RecordingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends the recording. A broadcast goes on.")
  @OptionGroup var box: RunningBoxOptions
}

struct MarkRecording: RecordingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Sets a mark in the recording, to find this moment again.")
  @OptionGroup var box: RunningBoxOptions
}

struct EjectStick: RecordingCommand {
  static let configuration = CommandConfiguration(
    commandName: "eject", abstract: "Ends the recording on the stick, so that it can be unplugged.")
  @OptionGroup var box: RunningBoxOptions
}

struct ListRecordings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the recordings, the newest first.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let list = try box.ask { (directory) throws(ControlError) in
      try ControlClient.recordings(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(list, forPeople: true), as: UTF8.self))
    }
    for recording in list.recordings { print(recording.words) }
    if list.recordings.isEmpty { print("There are no recordings.") }
  }
}

extension RecordingReply {
  /// The recording as a line for people.
  fileprivate var words: String {
    let facts = [
      running ? "being recorded" : seconds.map { Phrase.duration(Int($0)) } ?? "cannot be read",
      "\(bytes / 1_000_000) MB", kept ? "kept" : nil,
      marks.isEmpty ? nil : Phrase.count(marks.count, "mark"),
    ].compactMap(\.self).joined(separator: ", ")
    return "\(name.onOneLine): \(facts)"
  }
}

/// The option that names a recording.
struct NamedRecording: ParsableArguments {
  @Argument(help: "The recording: its name as \"onair record list\" prints it, or its id.")
  var recording: String

  @OptionGroup var box: RunningBoxOptions

  /// Sends a request about the recording.
  /// - Parameter request: sends it, given the ID and the state directory of the OnAir.
  func ask<Answer>(_ request: (String, String) throws(ControlError) -> Answer) throws -> Answer {
    try box.ask { (directory) throws(ControlError) in
      let list = try ControlClient.recordings(directory: directory).recordings
      let found = list.first { [$0.name, $0.file, $0.id].contains(recording) }
      return try request(found?.id ?? recording, directory)
    }
  }

  /// Prints what was done to the recording.
  func show(_ changed: RecordingReply, _ sentence: String) {
    print(
      box.json ? String(decoding: JSON.encode(changed, forPeople: true), as: UTF8.self) : sentence)
  }
}

struct RenameRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Gives a recording another name.")

  @OptionGroup var target: NamedRecording

  @Argument(help: "The new name, without \".mp4\".")
  var name: String

  func run() throws {
    let changed = try target.ask { (id, directory) throws(ControlError) in
      try ControlClient.changeRecording(id, name: name, directory: directory)
    }
    target.show(changed, "It is called \"\(changed.name.onOneLine)\" now.")
  }
}

struct KeepRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Keeps a recording: it is never removed to make room.")

  @Flag(help: "Allow again that it is removed to make room.")
  var undo = false

  @OptionGroup var target: NamedRecording

  func run() throws {
    let changed = try target.ask { (id, directory) throws(ControlError) in
      try ControlClient.changeRecording(id, kept: !undo, directory: directory)
    }
    target.show(changed, undo ? "It may be removed to make room." : "It is kept.")
  }
}

struct DeleteRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes a recording. For a minute \"onair record undelete ID\" brings it back.")

  @OptionGroup var target: NamedRecording

  func run() throws {
    try target.box.show(
      target.ask { (id, directory) throws(ControlError) in
        try ControlClient.deleteRecording(id, directory: directory)
      })
  }
}

struct UndeleteRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undelete", abstract: "Brings back a recording that was just deleted.")

  @Argument(help: "The id, as \"onair record delete\" printed it.")
  var id: String

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let restored = try box.ask { (directory) throws(ControlError) in
      try ControlClient.restoreRecording(id, directory: directory)
    }
    print(
      box.json
        ? String(decoding: JSON.encode(restored, forPeople: true), as: UTF8.self)
        : "\"\(restored.name.onOneLine)\" is back.")
  }
}
