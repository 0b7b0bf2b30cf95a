// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
import Posix

/// The settings, and what is derived from them and from the environment: the server, the stream key and the state
/// directory.
public struct Configuration: Sendable {
  /// The checked value of each setting: from the command line, else set at run time, else from the settings file, else
  /// the default.
  public internal(set) var settings: Settings
  /// All settings with their values as text, for listings, in the order of the declarations.
  public let values: [SettingValue]
  /// The settings that were set at run time and are in effect.
  public let runTime: RunTimeSettings
  /// The settings that were set at run time but cannot be used now, for example because they name a file on a disk that
  /// is not mounted yet. They stay saved.
  public var unusedRunTime = RunTimeSettings() {
    didSet {
      if unusedRunTime.keys.contains(where: settings.isMaskSetting) { settings.mayLackMasks = true }
    }
  }
  /// Whether the file of run-time settings exists but cannot be read.
  public internal(set) var isRunTimeUnreadable = false
  /// The main server with its stream key; `nil` if one of them is missing.
  public internal(set) var destination: RTMPAddress?
  /// The server of `publish.backup_url` with the stream key of the main server; `nil` if one of them is missing.
  public internal(set) var backup: RTMPAddress?
  /// The relays, sorted by name.
  public internal(set) var relays: [Relay]
  /// The entries of all lists of named sections, such as the relays.
  public internal(set) var entries: [ListEntry]
  /// The path of the effective state directory; see `stateDirectory(_:environment:)`.
  public internal(set) var stateDirectory: String
  /// The effective secrets by the keys of their settings, including those from key files and systemd credentials.
  var secrets: [String: Secret] = [:]
  /// The values that were given for settings, as `exported` writes them to a file.
  var literals = Literals()
  /// The bytes of the settings file, to be saved as a copy that is used if the file has mistakes later; `nil` if there
  /// is no file, or if the settings have mistakes.
  public internal(set) var copy: SettingsCopy?
  /// The mistakes in the settings, and what is used instead of the settings file; `nil` if there are no mistakes. Set
  /// by `loadWithFallback`.
  public var standIn: StandIn?
  /// Sentences for users about settings that are allowed but risky or without effect.
  public internal(set) var warnings: [String]

  /// A relay and the address that it publishes to.
  public struct Relay: Sendable, Equatable {
    public let settings: RelaySettings
    /// The server with its stream key; `nil` if one of them is missing.
    public let address: RTMPAddress?
  }

  /// The purpose for which the configuration is loaded. It decides whether a missing server or stream key is a problem.
  public enum Purpose: Sendable {
    /// To run OnAir. Server and stream key may be missing, unless `publish.autostart` is `always`.
    case run
    /// To check whether a broadcast is possible. Server and stream key are required.
    case check
  }

  /// Which run-time settings to use.
  public enum RunTimeSource: Sendable {
    /// The settings saved in the effective state directory.
    case stateDirectory
    /// The settings saved in the state directory with this path.
    case directory(String)
    /// These settings, which are not read from a disk. A mistake in them is an error, whereas a saved setting with a
    /// mistake is ignored.
    case given(RunTimeSettings)

    /// The path of the case `directory`; `nil` for the other cases.
    var directory: String? { if case .directory(let path) = self { path } else { nil } }
  }

  /// Loads the configuration.
  /// - Parameters:
  ///   - file: the path of the settings file (TOML, at most 1 MiB of UTF-8); `nil` for defaults only.
  ///   - runTime: which run-time settings to use; they override the file.
  ///   - overrides: the arguments of `--set`, each `KEY=VALUE`. They override all other values, and later ones override
  ///     earlier ones.
  ///   - purpose: decides whether a missing server or stream key is a problem.
  ///   - environment: the environment variables. HOME, STATE_DIRECTORY, XDG_STATE_HOME and CREDENTIALS_DIRECTORY are
  ///     used.
  ///   - files: reads the settings file, and the files that settings name.
  /// - Throws: `.unreadableFile` if `file` cannot be read, else `.invalid` with all problems.
  public static func load(
    file: String?, runTime: RunTimeSource = .stateDirectory, overrides: [String] = [],
    for purpose: Purpose = .run, environment: [String: String] = processEnvironment,
    files: @escaping FileReader = systemFiles
  ) throws(ConfigurationError) -> Configuration {
    let (configuration, problems) = try inspect(
      file: file, runTime: runTime, overrides: overrides, for: purpose, environment: environment,
      files: files)
    guard problems.isEmpty else { throw .invalid(problems) }
    return configuration
  }

  /// Loads the configuration even if the settings have problems. Returns the configuration and the problems. A setting
  /// with a problem has its default.
  ///
  /// Saved run-time settings that cannot be read, or that cause problems, are left out, and a warning says so: a box
  /// must start without a person who repairs them.
  /// - Throws: `.unreadableFile` if `file` cannot be read.
  public static func inspect(
    file: String?, runTime: RunTimeSource = .stateDirectory, overrides: [String] = [],
    for purpose: Purpose = .run, environment: [String: String] = processEnvironment,
    files: @escaping FileReader = systemFiles
  ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
    var lower = Form()
    let contents = try file.map { file throws(ConfigurationError) in
      try lower.add(file: file, files)
    }
    func read(_ layer: RunTimeSettings) -> (configuration: Configuration, problems: [Problem]) {
      var form = lower
      form.add(layer)
      for override in overrides { form.add(override: override) }
      var reading = Reading(
        form: form, isFileOpenToAll: contents?.isReadableByAll == true, environment: environment,
        files: files)
      var (configuration, problems) = reading.configuration(layer, for: purpose)
      if let file, let contents {
        let directory = runTime.directory ?? configuration.stateDirectory
        problems += SettingsCopy.problems(ofEmptied: file, contents.bytes, copyIn: directory, files)
      }
      if problems.isEmpty { configuration.copy = contents.map { SettingsCopy(bytes: $0.bytes) } }
      return (configuration, problems)
    }
    if case .given(let layer) = runTime { return read(layer) }
    var plain = read(RunTimeSettings())
    let directory = runTime.directory ?? plain.configuration.stateDirectory
    var warnings: [String] = []
    func unused(_ key: String?, _ reason: String) -> String {
      "\(directory)/\(RunTimeSettings.fileName): \(key.map { "\($0) " } ?? "")\(reason) and is not used"
    }
    var unusedLayer = RunTimeSettings()
    do throws(RunTimeSettingsError) {
      var layer = try RunTimeSettings(directory: directory)
      while !layer.isEmpty {
        var layered = read(layer)
        let new = layered.problems.filter { !plain.problems.contains($0) }
        guard let problem = new.first else {
          layered.configuration.unusedRunTime = unusedLayer
          layered.configuration.warnings += warnings
          layered.configuration.warnOfCoveredCamera()
          return layered
        }
        // Leave out as few of the run-time settings as possible. First choice: the settings that the problems name.
        // Second choice: all settings of the list entry, or of the list, in which the problem is. Last choice: all
        // settings, since a problem may come from a combination of settings.
        // The address and the secrets of a server are left out together: a run-time secret must not be combined with an
        // address from the settings file, or the other way round.
        let named = new.compactMap(\.key).filter { layer.entries[$0] != nil }
          .flatMap { layer.keysBound(to: $0) }
        let entry = problem.key.map { layer.keys(ofEntryIn: $0) } ?? []
        for key in Set(!named.isEmpty ? named : !entry.isEmpty ? entry : layer.keys) {
          layer.move(key, to: &unusedLayer)
        }
        warnings.append(unused(problem.key ?? named.first, "cannot be taken (\(problem.sentence))"))
      }
    } catch {
      warnings.append(unused(nil, error.reason))
      plain.configuration.isRunTimeUnreadable = true
      // The unreadable settings may contain masks.
      plain.configuration.settings.mayLackMasks = true
    }
    plain.configuration.unusedRunTime = unusedLayer
    plain.configuration.warnings += warnings
    plain.configuration.warnOfCoveredCamera()
    return plain
  }

  /// Adds a warning if the camera's picture is covered because a privacy mask may be missing.
  private mutating func warnOfCoveredCamera() {
    guard settings.mayLackMasks, !warnings.isEmpty else { return }
    warnings.append("\(Settings.coverSentence): set the masks again")
  }

  /// A copy of this configuration with the state directory `directory`.
  public func keepingState(in directory: String) -> Configuration {
    var moved = self
    moved.stateDirectory = directory
    return moved
  }

  /// The directory for files that must survive a restart. The first of these that is set is used: the value of the
  /// setting `state.directory`; the first folder of systemd's $STATE_DIRECTORY (systemd.exec(5));
  /// $XDG_STATE_HOME/onair, if it is absolute, as the XDG base directory specification requires; ~/.local/state/onair;
  /// /var/lib/onair.
  /// - Parameter setting: the value of `state.directory`; empty if it is not set.
  public static func stateDirectory(
    _ setting: String = "", environment: [String: String]
  ) -> String {
    if !setting.isEmpty { return setting }
    if let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(first)
    }
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return "\(folder)/onair"
    }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state/onair" }
    return "/var/lib/onair"
  }
}
