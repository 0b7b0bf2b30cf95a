// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import FoundationEssentials
import Logging
import Settings

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs OnAir in the foreground: the broadcast, the buttons and the HTTP server.",
    discussion: """
      SIGINT (Ctrl-C) ends the broadcast and tells the server so. SIGTERM ends the program without telling the server, \
      which then waits for the stream to come back.
      """)

  @Option(
    help: ArgumentHelp("The settings file (TOML); see \"onair settings\".", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  @OptionGroup var options: SettingsOptions

  func run() throws {
    let configuration = try options.load(config)
    Appliance.prepareProcess()
    let environment = ProcessInfo.processInfo.environment
    StandardErrorLog.level = Logger.Level(configuration.settings.log.level)
    LoggingSystem.bootstrap { _ in StandardErrorLog(environment: environment) }

    let appliance: Appliance
    do throws(StateDirectoryError) {
      appliance = try Appliance(
        configuration: configuration,
        reload: { [config, overrides = options.overrides] source throws(ConfigurationError) in
          try Configuration.load(file: config, runTime: source, overrides: overrides)
        },
        environment: environment, log: Logger(label: "onair"))
    } catch {
      printError(error.sentence)
      throw ExitCode(error.exitCode)
    }
    throw ExitCode(appliance.run().rawValue)
  }
}
