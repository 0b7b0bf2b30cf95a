// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures
internal import Posix
import Settings

enum ScheduleWords: ListWords {
  static var list: NamedList { ScheduleSettings.list }
  static var exampleFields: String { "days=sun at=09:55 minutes=80" }
}

struct ScheduleCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Broadcasts that begin and end by themselves.",
    discussion: """
      As in "onair schedule add sunday days=sun at=09:55 minutes=80", or once with date=2026-12-24. Whoever ends a broadcast by \
      hand ends it for good; the next one begins as planned. A calendar file (ICS) is imported, or followed with calendar.url.
      """,
    subcommands: [
      ListSchedule.self, AddEntry<ScheduleWords>.self, SetEntry<ScheduleWords>.self,
      RemoveEntry<ScheduleWords>.self, ExtendSchedule.self, SkipSchedule.self, ImportCalendar.self,
    ], defaultSubcommand: ListSchedule.self)
}

struct ListSchedule: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows the next broadcasts, in the time zone of each.")

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    let schedule = try box.ask { (directory) throws(ControlError) in
      try ControlClient.schedule(directory: directory)
    }
    guard !box.json else {
      return print(String(decoding: JSON.encode(schedule, forPeople: true), as: UTF8.self))
    }
    for one in schedule.upcoming { print(one.line) }
    if schedule.upcoming.isEmpty { print("Nothing is planned.") }
    for one in schedule.notUnderstood {
      let calendar = one.source == "feed" ? "calendar.url" : "the imported file"
      print("Not understood: \(one.title), of \(calendar). \(one.sentence)")
    }
    if let sentence = schedule.feed.sentence { print("The calendar at calendar.url: \(sentence)") }
  }
}

struct ExtendSchedule: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend",
    abstract: "Lets the scheduled broadcast that runs go on for longer.",
    discussion: "To end it now: \"onair stop\".")

  @Argument(help: "By how many minutes, 1 to 240.") var minutes = 15

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard (1...240).contains(minutes) else {
      throw ValidationError("It is extended by 1 to 240 minutes at a time.")
    }
  }

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.extendSchedule(minutes: minutes, directory: directory)
      })
  }
}

struct SkipSchedule: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Leaves the next broadcast of the schedule out.")

  @Option(help: "Another one, by its id: \"onair schedule list --json\" shows it.") var id: String?

  @Flag(help: "Take it back: it is broadcast after all.") var undo = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.skipSchedule(id, undo: undo, directory: directory)
      })
  }
}

struct ImportCalendar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Takes the events of a calendar file (ICS) as broadcasts.",
    discussion: """
      They replace those of the file before. At most 1 MiB and 2,000 events. What is not understood is listed by \
      "onair schedule list".
      """)

  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["ics"]))
  var file: String?

  @Flag(help: "Remove the events of the file before.") var remove = false

  @OptionGroup var box: RunningBoxOptions

  func validate() throws {
    guard (file == nil) == remove else {
      throw ValidationError("Name a file, or use --remove.")
    }
  }

  func run() throws {
    guard let file else {
      return try box.show(
        box.ask { (directory) throws(ControlError) in
          try ControlClient.removeCalendar(directory: directory)
        })
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try File.read(file == "-" ? "/dev/stdin" : file, limit: 1 << 20).bytes
    } catch {
      printError("\(file) cannot be read. \(error.sentence)")
      throw ExitCode.failure
    }
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.importCalendar(bytes, directory: directory)
      })
  }
}
