// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import Base
import FoundationEssentials
import Settings
import Synchronization

struct SeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Takes over the settings file on a card, before OnAir runs.",
    discussion: """
      DIR/onair.toml has the settings that "onair settings" lists, and besides:

      \(Seed.declarations.map { "\($0.key): \($0.help) Allowed: \($0.allowed)." }.joined(separator: "\n"))

      It is checked, kept in the state directory, and its secrets are emptied. Mistakes are written to \
      DIR/onair-errors.txt, and then nothing is taken. Exits with 78 for mistakes, 74 if all was taken but the secrets \
      cannot be emptied, 73 if the state directory cannot be used, and 75 while OnAir runs.
      """,
    shouldDisplay: false)

  @Argument(help: "The folder where the card is mounted.")
  /// The path of the folder where the memory card is mounted.
  var folder: String

  @Option(help: "The settings file (TOML) that lies below.")
  /// The path of the settings file that the card's settings override; `nil` for the defaults only.
  var config: String?

  @Option(help: "NetworkManager's folder for the Wi-Fi.")
  /// The path of the folder in which the keyfile of the card's Wi-Fi is saved for NetworkManager.
  var connections = "/etc/NetworkManager/system-connections"

  @OptionGroup var options: SettingsOptions

  func run() throws {
    let overrides = options.overrides
    // Go on even if the settings file has mistakes: the card may be there to correct them.
    let directory: String
    do throws(ConfigurationError) {
      directory = try Configuration.loadWithFallback(file: config, overrides: overrides)
        .stateDirectory
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
    let state: StateDirectory
    do throws(StateDirectoryError) {
      state = try StateDirectory(path: directory)
    } catch {
      printError(error.sentence)
      throw ExitCode(error.exitCode)
    }
    let seeding = SeedImport(
      folder: folder, state: state, connections: connections,
      environment: ProcessInfo.processInfo.environment,
      load: { [config] layer throws(ConfigurationError) in
        try Configuration.loadWithFallback(
          file: config, runTime: .given(layer), overrides: overrides)
      })
    switch SeedCommand.wait({ await seeding.run() }) {
    case .nothing: print("The card has no settings.")
    case .known: print("The card's settings were taken before.")
    case .taken: print("The card's settings are taken.")
    case .covered(let sentence): print(sentence)
    case .secretsLeft(let sentence):
      printError(sentence)
      throw ExitCode(74)
    case .mistaken(let mistakes):
      for mistake in mistakes { printError(mistake) }
      throw Exit.settings
    case .notKept(let sentence):
      printError(sentence)
      throw ExitCode(73)
    }
  }

  /// Holds the result of an asynchronous function for the thread that waits for the result.
  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let isReady = Signal()
  }

  /// Runs an asynchronous function and returns its result. Blocks the main thread, which has nothing else to do.
  private static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    let result = Result<Value>()
    Task {
      let value = await body()
      result.value.withLock { $0 = value }
      result.isReady.signal()
    }
    while true {
      _ = result.isReady.wait(until: .distantFuture)
      if let value = result.value.withLock({ $0 }) { return value }
    }
  }
}
