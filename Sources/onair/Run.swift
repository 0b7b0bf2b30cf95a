// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
internal import Box
import Control
import FoundationEssentials
import Logging
import Posix
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
  /// The path of the settings file; `nil` for the defaults only.
  var config: String?

  @Flag(
    help: """
      Come up whatever is wrong, as a service has to: with a settings file that has mistakes, the last settings that \
      worked are used; with a state directory that cannot be used, nothing is kept. The page and "onair status" say so.
      """)
  /// Whether to start even with mistakes in the settings file or an unusable state directory.
  var keepUp = false

  @OptionGroup var options: SettingsOptions

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    var configuration = try load(keepsUp: keepUp)
    if FactoryReset.isDue(in: configuration.stateDirectory) {
      forgetEverything(in: configuration.stateDirectory, environment)
      configuration = try load(keepsUp: keepUp)
    }
    Appliance.prepareProcess()
    StandardErrorLog.level = Logger.Level(configuration.settings.log.level)
    let log = StandardErrorLog(environment: environment)
    LoggingSystem.bootstrap { _ in log }

    let appliance: Appliance
    do {
      appliance = try Appliance(
        configuration: configuration,
        load: { [config, keepUp, options] source throws(ConfigurationError) in
          try Run.load(config, source, options, keepsUp: keepUp)
        },
        reload: { [config, keepUp, options] source throws(ConfigurationError) in
          // While a setting is changed at run time (`.given`), ignore mistakes in the settings file if `keepUp` is set.
          // At a reload of the settings file, report the mistakes.
          let keepsUp = if case .given = source { keepUp } else { false }
          return try Run.load(config, source, options, keepsUp: keepsUp)
        },
        keepsUp: keepUp, environment: environment, log: log)
    } catch let error as StateDirectoryError {
      printError(error.sentence)
      throw ExitCode(error.exitCode)
    } catch let error as ConfigurationError {
      // The settings cannot be loaded: end the program with the exit code of the error.
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
    let ending = appliance.run()
    if ending == .reset {
      let error = ThisProgram.reexecute()
      printError("The program cannot begin anew (\(error)): start it again.")
    }
    throw ExitCode(ending.rawValue)
  }

  /// Completes a factory reset that was requested during the last run of OnAir.
  /// - Parameter directory: the path of the state directory.
  private func forgetEverything(in directory: String, _ environment: [String: String]) {
    do {
      // Lock the state directory, so that no other OnAir uses it during the reset.
      let state = try StateDirectory(path: directory)
      try FactoryReset.finish(
        in: state.path, forgetsNetwork: environment["RUNTIME_DIRECTORY"] != nil,
        environment: environment)
    } catch {
      printError(
        "The factory reset cannot be finished in \(directory): it is tried at the next start.")
    }
  }

  /// Loads the settings. If they have mistakes and `keepsUp` is set, settings that worked before are used instead.
  /// - Parameter config: the path of the settings file; `nil` for defaults only.
  private static func load(
    _ config: String?, _ source: Configuration.RunTimeSource, _ options: SettingsOptions,
    keepsUp: Bool
  ) throws(ConfigurationError) -> Configuration {
    keepsUp
      ? try Configuration.loadWithFallback(
        file: config, runTime: source, overrides: options.overrides)
      : try Configuration.load(file: config, runTime: source, overrides: options.overrides)
  }

  /// Loads the settings for the start. Ends the program with an error if that fails.
  private func load(keepsUp: Bool) throws -> Configuration {
    guard keepsUp else { return try options.load(config) }
    do throws(ConfigurationError) {
      return try Run.load(config, .stateDirectory, options, keepsUp: true)
    } catch {
      // With `keepsUp`, loading fails only while somebody is changing the settings file. The service manager then
      // starts OnAir again.
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
  }
}
