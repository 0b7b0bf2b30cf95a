// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import FoundationEssentials
import Glibc
import Settings

/// The command line options that select the running OnAir to send a command to, and the format of its printed answer.
struct RunningBoxOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The settings file of the OnAir that is meant, for its state.directory.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  /// The path of the settings file that names the state directory of the OnAir; `nil` for the usual directories.
  var config: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A setting of the OnAir that is meant; only state.directory=DIR matters.",
      valueName: "key=value"))
  /// Settings as KEY=VALUE that override the settings file. Only `state.directory` matters.
  var overrides: [String] = []

  @Flag(help: "Print the answer as JSON, for programs.")
  var json = false

  /// Sends a request to the OnAir that the options select. Ends the program with an error if it cannot be reached.
  /// - Parameter request: sends the request to the OnAir that uses the state directory at the given path.
  func ask<Answer>(_ request: (String) throws(ControlError) -> Answer) throws -> Answer {
    if let answer = try askIfRunning(request) { return answer }
    printError(
      "No OnAir runs with the state directory \(try directories().joined(separator: " or ")): start it, or "
        + "name its own with --set state.directory=DIR.")
    throw Exit.unavailable
  }

  /// Sends a request to the OnAir that the options select.
  /// - Parameter request: sends the request to the OnAir that uses the state directory at the given path.
  /// - Returns: the answer; `nil` if no such OnAir runs.
  func askIfRunning<Answer>(
    _ request: (String) throws(ControlError) -> Answer
  ) throws -> Answer? {
    let directories = try directories()
    for directory in directories {
      do throws(ControlError) {
        let answer = try request(directory)
        // Print which OnAir has answered if several may run: after a pause of the wrong one, the room is still on air.
        if !isNamed, directories.count > 1 { printError("The OnAir that uses \(directory):") }
        return answer
      } catch {
        if error.isNotRunning { continue }
        if error.isRefusal {
          printError(error.reason)
          throw ExitCode.failure
        }
        printError("Cannot reach the OnAir that uses \(directory): \(error.reason).")
        throw Exit.unavailable
      }
    }
    return nil
  }

  /// Whether an OnAir that the options select has a broadcast that is on or still ending; `false` for one that does not
  /// answer.
  var hasBroadcast: Bool {
    get throws {
      try directories().contains { directory in
        guard let status = try? ControlClient.status(directory: directory) else { return false }
        return status.intent.broadcast != "off" || status.onAirSeconds != nil
      }
    }
  }

  /// Whether the command line names an OnAir, so that the usual state directories are not tried.
  private var isNamed: Bool { config != nil || !overrides.isEmpty }

  /// The settings that OnAir would have if it were started now, as JSON.
  func startSettings() throws -> String {
    do throws(ConfigurationError) {
      return Settings.json(
        try Configuration.inspect(file: config, overrides: overrides).configuration.values)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }

  /// The paths of the state directories to try: the one that the options name, else those of this user and of the
  /// service. The service uses a directory in /run while its state directory cannot be used.
  private func directories() throws -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let (service, inMemory) = ("/var/lib/onair", "/run/onair/state")
    if isNamed {
      let named = try namedDirectory()
      return named == service ? [service, inMemory] : [named]
    }
    let own = Configuration.stateDirectory(environment: environment)
    let both = geteuid() == 0 ? [service, inMemory, own] : [own, service, inMemory]
    return own == service ? [service, inMemory] : both
  }

  /// The path of the state directory that `--config` and `--set` name. Mistakes in other settings are ignored, so that
  /// a command such as `onair pause` works in spite of them.
  private func namedDirectory() throws -> String {
    do throws(ConfigurationError) {
      let (configuration, problems) = try Configuration.inspect(file: config, overrides: overrides)
      // A problem without a key is a line that could not be parsed. It may be the line with the state directory.
      let relevant = problems.filter { $0.key == nil || $0.key == "state.directory" }
      if !relevant.isEmpty { throw .invalid(relevant) }
      return configuration.stateDirectory
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }
}
