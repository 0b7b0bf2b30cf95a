// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser

/// A command for a running OnAir. Its name is the word that is sent.
protocol BoxCommand: ParsableCommand {
  var box: RunningBox { get }
}

extension BoxCommand {
  func run() throws {
    let reply = try box.send(Self._commandName)
    if box.json {
      print(String(decoding: JSON.encode(reply, forPeople: true), as: UTF8.self))
    } else if !reply.ok {
      printError(reply.sentence ?? "The command cannot be done.")
    } else {
      print(reply.sentence ?? "Done.")
      if reply.saved == false {
        printError("It is not saved yet, so a power cut would undo it: see \"sudo onair status\".")
      }
    }
    if !reply.ok { throw ExitCode.failure }
  }
}

struct Start: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Starts the broadcast.")
  @OptionGroup var box: RunningBox
}

struct Stop: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ends the broadcast and tells the server so. The program keeps running.")
  @OptionGroup var box: RunningBox
}

struct Pause: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the room private: viewers see a still image.")
  @OptionGroup var box: RunningBox
}

struct Resume: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Ends the pause.")
  @OptionGroup var box: RunningBox
}

struct Mute: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Mutes the microphone.")
  @OptionGroup var box: RunningBox
}

struct Unmute: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lets viewers hear the microphone again.")
  @OptionGroup var box: RunningBox
}

struct Reconnect: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Closes the connection to the server and makes a new one.")
  @OptionGroup var box: RunningBox
}

struct Reload: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads the settings again; the address and the bit rate take effect at once.",
    discussion: """
      publish.url, publish.backup_url, publish.ca_file, the key, video.bitrate_kbps and network.min_kbps take effect \
      at once, without a gap in the picture. All other settings, and a key that systemd hands over, take effect at \
      the next start. The answer names each setting that has changed.
      """)
  @OptionGroup var box: RunningBox
}
