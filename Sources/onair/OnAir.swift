// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Base
import Control
internal import Figures
import FoundationEssentials
import Glibc
import Settings

@main
struct OnAir: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onair",
    abstract: "Streams a camera and a microphone live to a platform: H.264 and AAC over RTMP.",
    version: Version.current,
    subcommands: [
      Run.self, Start.self, Stop.self, Pause.self, Resume.self, Mute.self, Unmute.self,
      VideoOff.self, VideoOn.self, AudioOff.self, AudioOn.self, Reconnect.self, Restart.self,
      Reload.self, SetSettings.self, UnsetSettings.self,
      ShowStatus.self, TestUplink.self, MeasureLipSync.self, RelayCommands.self,
      GuestCommands.self, LayoutCommand.self,
      ScheduleCommands.self, TrackCommands.self, MusicCommands.self, SetVolumes.self,
      RecordCommands.self, OverlayCommands.self,
      FilterCommands.self, TextCommand.self,
      NetworkCommands.self,
      Check.self, Bench.self, ListDevices.self, ListSettings.self, Password.self,
      TokenCommands.self,
      BoxCommands.self, Reset.self, SeedCommand.self, GuestReaderCommand.self,
    ])

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      let words = CommandLine.arguments.dropFirst()
      printError(
        Words.message(for: words)
          ?? Words.withoutValues(
            fullMessage(for: error), words, known: Words.commands().union(Settings.keys)))
      Glibc.exit(ExitCode.validationFailure.rawValue)
    }
  }
}

/// Exit codes of sysexits.h. For wrong usage ArgumentParser itself exits with 64.
enum Exit {
  /// EX_NOINPUT: a file that the command line names cannot be read.
  static let noInput = ExitCode(66)
  /// EX_UNAVAILABLE: no running OnAir can be reached, or a device, a file or memory that is needed is missing.
  static let unavailable = ExitCode(69)
  /// EX_CONFIG: a setting is wrong.
  static let settings = ExitCode(78)
}

/// The option `--set`, for every command that loads the settings.
struct SettingsOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A setting as KEY=VALUE; it overrides the file.", valueName: "key=value"))
  /// Settings as KEY=VALUE that override the settings file.
  var overrides: [String] = []

  /// Loads the settings file with these overrides. Ends the program with an error if that fails.
  /// - Parameter file: the path of the settings file; `nil` for defaults only.
  func load(_ file: String?) throws -> Configuration {
    do {
      return try Configuration.load(file: file, overrides: overrides)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }
}

extension CompletionKind {
  /// Makes the shell complete the keys of settings.
  static var settings: CompletionKind { .list(Settings.keys) }
}

/// Writes a text of one or more lines to standard error.
func printError(_ text: String) {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.onOneLine)
  let bytes = Array("\(lines.joined(separator: "\n"))\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
