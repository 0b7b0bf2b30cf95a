// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import FoundationEssentials
import Glibc
import Settings

/// Which running OnAir a command is for.
struct RunningBox: ParsableArguments {
  @Option(help: "The settings' file of the one that is meant, for its state.directory.")
  var config: String?

  @Option(
    name: .customLong("set"),
    help: "A setting of the one that is meant: state.directory=DIR is all that counts.")
  var overrides: [String] = []

  /// Sends one command, and answers with the status, or ends the program with what is wrong.
  func ask(_ word: String) throws -> ControlReply {
    let directories = try directories()
    let isNamed = config != nil || !overrides.isEmpty
    for directory in directories {
      let reply: ControlReply
      do throws(ControlError) {
        reply = try ControlClient.ask(word, directory: directory)
      } catch {
        if error.isNotRunning { continue }
        printError("The OnAir of \(directory) cannot be spoken to: \(error.reason).")
        throw Exit.unavailable
      }
      if reply.ok {
        // There may be two, and the wrong one paused is not private.
        if !isNamed, directories.count > 1 { printError("The OnAir of \(directory):") }
        return reply
      }
      printError(reply.sentence ?? "It cannot be done.")
      throw ExitCode.failure
    }
    printError(
      "No OnAir runs with the state directory \(directories.joined(separator: " or ")): start it, or "
        + "name its own with --set state.directory=DIR.")
    throw Exit.unavailable
  }

  /// Where to look: where it is said to be, else at this user's and at the service's.
  private func directories() throws -> [String] {
    let environment = ProcessInfo.processInfo.environment
    if config != nil || !overrides.isEmpty {
      let options = SettingsOptions(overrides)
      return [try options.load(config).stateDirectory]
    }
    let own = Configuration.stateDirectory(environment: environment)
    let service = "/var/lib/onair"
    let both = geteuid() == 0 ? [service, own] : [own, service]
    return own == service ? [own] : both
  }
}

extension SettingsOptions {
  init(_ overrides: [String]) {
    self.init()
    self.overrides = overrides
  }
}

/// A command that changes what the box does.
protocol BoxCommand: ParsableCommand {
  /// As the running OnAir knows it.
  static var word: String { get }
  /// What is so after it, for a person.
  static var done: String { get }
  var box: RunningBox { get }
}

extension BoxCommand {
  func run() throws {
    let reply = try box.ask(Self.word)
    print(reply.changed || Self.word == "reconnect" ? Self.done : "That is so already.")
    if reply.kept == false {
      printError("It would not outlast a power cut yet: sudo onair status says how things are.")
    }
  }
}

struct Start: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Begins the broadcast.")
  static let word = "start"
  static let done = "The broadcast begins."
  @OptionGroup var box: RunningBox
}

struct Stop: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ends the broadcast, and tells the server so. The box stays on.")
  static let word = "stop"
  static let done = "The broadcast ends."
  @OptionGroup var box: RunningBox
}

struct Pause: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the room private: viewers get a still.")
  static let word = "pause"
  static let done = "Paused: the camera is not sent any more."
  @OptionGroup var box: RunningBox
}

struct Resume: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Ends the pause.")
  static let word = "resume"
  static let done = "Viewers get the camera again."
  @OptionGroup var box: RunningBox
}

struct Mute: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Silences the microphone.")
  static let word = "mute"
  static let done = "Muted."
  @OptionGroup var box: RunningBox
}

struct Unmute: BoxCommand {
  static let configuration = CommandConfiguration(abstract: "Lets the microphone be heard again.")
  static let word = "unmute"
  static let done = "The microphone is heard again."
  @OptionGroup var box: RunningBox
}

struct Reconnect: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Gives up each connection to a server, and makes a new one.")
  static let word = "reconnect"
  static let done = "Connecting anew."
  @OptionGroup var box: RunningBox
}

struct Reload: BoxCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads the settings again: the address and the bit rate count from now on.",
    discussion: """
      publish.url, publish.backup_url, publish.ca_file, the key, video.bitrate_kbps and network.min_kbps count \
      at once; a key that systemd holds, and all other settings, from the next start on. Camera and microphone do not notice.
      """)
  static let word = "reload"
  static let done = "What is new in the settings counts from now on."
  @OptionGroup var box: RunningBox
}

struct ShowStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tells what the box is at.")

  @Flag(help: "As JSON, for programs.")
  var json = false

  @OptionGroup var box: RunningBox

  func run() throws {
    guard let status = try box.ask("status").status else { return }
    if json {
      print(String(decoding: JSON.encode(status, forPeople: true), as: UTF8.self))
      return
    }
    for (name, value) in ShowStatus.lines(status) {
      print("\(name)\(String(repeating: " ", count: max(1, 13 - name.count)))\(value)")
    }
  }

  private static func lines(_ status: Status) -> [(String, String)] {
    var lines = [("Wanted", status.intent.broadcast + (status.intent.muted ? ", muted" : ""))]
    if let seconds = status.onAirSeconds {
      lines.append(("On air for", "\(seconds / 60) min \(seconds % 60) s"))
      lines.append(("Shown", words(status.picture)))
      lines.append(("Heard", words(status.sound)))
      lines.append(("Camera", status.capture.camera))
      lines.append(("Microphone", status.capture.microphone))
    }
    for server in status.destinations {
      var words = [server.state]
      if let code = server.code { words.append(code) }
      if let age = server.deliveredMsAgo { words.append("has what was captured \(age) ms ago") }
      lines.append((server.server, words.joined(separator: ", ")))
    }
    return lines + [("Lamp", words(status.lamp))]
  }

  private static func words(_ name: String) -> String {
    String(name.map { $0 == "_" ? " " : $0 })
  }
}
