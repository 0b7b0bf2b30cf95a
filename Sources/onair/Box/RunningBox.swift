// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Control
import FoundationEssentials
import Glibc
import Settings

/// Which running OnAir a command is for, and how the answer is printed.
struct RunningBox: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The settings file of the OnAir that is meant, for its state.directory.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A setting of the OnAir that is meant; only state.directory=DIR matters.",
      valueName: "key=value"))
  var overrides: [String] = []

  @Flag(help: "Print the answer as JSON, for programs.")
  var json = false

  /// Asks the OnAir that is meant. Ends the program with an error when nobody can be reached.
  /// - Parameter request: gets its state directory.
  func ask<Answer>(_ request: (String) throws(ControlError) -> Answer) throws -> Answer {
    if let answer = try askIfRunning(request) { return answer }
    printError(
      "No OnAir runs with the state directory \(try directories().joined(separator: " or ")): start it, or "
        + "name its own with --set state.directory=DIR.")
    throw Exit.unavailable
  }

  /// - Returns: `nil` when none runs.
  func askIfRunning<Answer>(
    _ request: (String) throws(ControlError) -> Answer
  ) throws -> Answer? {
    let directories = try directories()
    for directory in directories {
      do throws(ControlError) {
        let answer = try request(directory)
        // There may be two, and pausing the wrong one leaves the room on air.
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

  /// Whether a broadcast is wanted, or still ends, at one of them. Nothing is known of those that do not answer.
  var hasBroadcast: Bool {
    get throws {
      try directories().contains { directory in
        guard let status = try? ControlClient.status(directory: directory) else { return false }
        return status.intent.broadcast != "off" || status.onAirSeconds != nil
      }
    }
  }

  private var isNamed: Bool { config != nil || !overrides.isEmpty }

  /// The settings with which an OnAir would start, as JSON.
  func startSettings() throws -> String {
    do throws(ConfigurationError) {
      return Settings.json(
        try Configuration.inspect(file: config, overrides: overrides).configuration.values)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }

  /// Where to look: the directory that was named, else this user's and the service's. A service whose directory cannot be
  /// used is in /run.
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

  /// The state directory of `--config` and `--set`. A mistake in another setting must not keep a person from pausing.
  private func namedDirectory() throws -> String {
    do throws(ConfigurationError) {
      let (configuration, problems) = try Configuration.inspect(file: config, overrides: overrides)
      // Without a key it is a line that could not be read, which may be that of the state directory.
      let relevant = problems.filter { $0.key == nil || $0.key == "state.directory" }
      if !relevant.isEmpty { throw .invalid(relevant) }
      return configuration.stateDirectory
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }
}
