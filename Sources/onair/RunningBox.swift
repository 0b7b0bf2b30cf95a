// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import FoundationEssentials
import Glibc
import Settings

/// Which running OnAir a command is for, and how the answer is printed.
struct RunningBox: ParsableArguments {
  @Option(help: "The settings file of the OnAir that is meant, for its state.directory.")
  var config: String?

  @Option(
    name: .customLong("set"),
    help: "A setting of the OnAir that is meant; only state.directory=DIR matters.")
  var overrides: [String] = []

  @Flag(help: "Print the answer as JSON, for programs.")
  var json = false

  /// Sends one command. Ends the program with an error when nobody can be reached.
  func send(_ word: String) throws -> ControlReply {
    let directories = try directories()
    let isNamed = config != nil || !overrides.isEmpty
    for directory in directories {
      do throws(ControlError) {
        let reply = try ControlClient.ask(word, directory: directory)
        // There may be two, and it is not private to pause the wrong one.
        if !isNamed, directories.count > 1 { printError("The OnAir that uses \(directory):") }
        return reply
      } catch {
        if error.isNotRunning { continue }
        printError("Cannot reach the OnAir that uses \(directory): \(error.reason).")
        throw Exit.unavailable
      }
    }
    printError(
      "No OnAir runs with the state directory \(directories.joined(separator: " or ")): start it, or "
        + "name its own with --set state.directory=DIR.")
    throw Exit.unavailable
  }

  /// Where to look: the directory that was named, else this user's and the service's.
  private func directories() throws -> [String] {
    let environment = ProcessInfo.processInfo.environment
    if config != nil || !overrides.isEmpty {
      return [try namedDirectory()]
    }
    let own = Configuration.stateDirectory(environment: environment)
    let service = "/var/lib/onair"
    let both = geteuid() == 0 ? [service, own] : [own, service]
    return own == service ? [own] : both
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
