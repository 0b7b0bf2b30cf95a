// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Box
import Control
internal import Figures

/// A command for a running OnAir. The name of the command on the command line is also the word that OnAir receives.
protocol BoxCommand: ParsableCommand {
  /// The options that select the OnAir to which the command is sent.
  var box: RunningBoxOptions { get }
}

extension BoxCommand {
  /// Sends the command, and prints the answer.
  func run() throws {
    let reply = try box.ask { (directory) throws(ControlError) in
      try ControlClient.command(Self._commandName, directory: directory)
    }
    try box.show(reply)
  }
}

extension RunningBoxOptions {
  /// Prints a reply. Ends the program with an error if the reply is a refusal.
  func show(_ reply: ControlReply) throws {
    if json {
      print(String(decoding: JSON.encode(reply, forPeople: true), as: UTF8.self))
    } else if let problems = reply.problems {
      for problem in problems {
        printError(
          [problem.place, problem.key, problem.sentence].compactMap(\.self).joined(separator: ": "))
      }
      if problems.contains(where: { $0.place != nil }) {
        printError("Nothing has changed: correct the settings file first.")
      }
    } else if !reply.ok {
      printError(reply.sentence ?? "The command cannot be done.")
    } else {
      print(reply.sentence ?? "Done.")
      if reply.saved == false {
        printError("It is not saved yet, so a power cut would undo it: see \"sudo onair status\".")
      }
    }
    if reply.problems != nil { throw Exit.settings }
    if !reply.ok { throw ExitCode.failure }
  }
}

struct Start: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Starts the broadcast.")
  @OptionGroup var box: RunningBoxOptions
}

struct Stop: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ends the broadcast and tells the server so. The program keeps running.")
  @OptionGroup var box: RunningBoxOptions
}

struct Pause: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the room private: viewers see a still image.")
  @OptionGroup var box: RunningBoxOptions
}

struct Resume: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Ends the pause.")
  @OptionGroup var box: RunningBoxOptions
}

struct Mute: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Mutes the microphone.")
  @OptionGroup var box: RunningBoxOptions
}

struct Unmute: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lets viewers hear the microphone again.")
  @OptionGroup var box: RunningBoxOptions
}

struct VideoOff: BoxCommand {
  static let configuration = CommandConfiguration(
    commandName: "video_off",
    abstract: "Switches the picture off: viewers see a still image, and the sound goes on.")
  @OptionGroup var box: RunningBoxOptions
}

struct VideoOn: BoxCommand {
  static let configuration = CommandConfiguration(
    commandName: "video_on", abstract: "Lets viewers see the picture again.")
  @OptionGroup var box: RunningBoxOptions
}

struct AudioOff: BoxCommand {
  static let configuration = CommandConfiguration(
    commandName: "audio_off",
    abstract: "Switches all sound off, music too: viewers hear silence, and the picture goes on.")
  @OptionGroup var box: RunningBoxOptions
}

struct AudioOn: BoxCommand {
  static let configuration = CommandConfiguration(
    commandName: "audio_on", abstract: "Lets viewers hear the sound again.")
  @OptionGroup var box: RunningBoxOptions
}

struct Reconnect: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Closes the connection to the server and makes a new one.")
  @OptionGroup var box: RunningBoxOptions
}

struct Restart: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opens sources, encoders and the connection anew, without ending the broadcast.")
  @OptionGroup var box: RunningBoxOptions
}

struct Reload: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads the settings file again; almost all changes count at once.",
    discussion: """
      The answer names each setting that has changed, and when it counts. "onair settings" tells it for all. A key that \
      systemd hands over is read at the next start.
      """)
  @OptionGroup var box: RunningBoxOptions
}

struct Reset: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ends the broadcast, and forgets everything: settings, passwords, images.",
    discussion: "Asks first, unless --yes is given. It cannot be undone.")

  /// Whether to reset without asking for a confirmation.
  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var box: RunningBoxOptions

  func run() throws {
    if !yes {
      print("Everything that this box knows is forgotten. Type \"reset\" to go on:")
      guard readLine() == "reset" else {
        printError("Nothing has changed.")
        throw ExitCode.failure
      }
    }
    try box.show(
      box.ask { (directory) throws(ControlError) in
        try ControlClient.resetToFactory(directory: directory)
      })
  }
}
