// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
import Posix

/// The settings, and what is derived from them and from the environment: the server, the stream key and the state
/// directory.
public struct Configuration: Sendable {
  /// Each setting's checked value: from the command line, else set at run time, else from the file, else the default.
  public let settings: Settings
  /// The same for listings, in the order of the declarations.
  public let values: [SettingValue]
  /// The settings that were set at run time and are used.
  public let runTime: RunTimeSettings
  /// The settings that were set at run time and cannot be used now, as when a disk with a file that they name is not
  /// there yet. They are kept.
  public var unusedRunTime = RunTimeSettings()
  /// Whether there is a file of run-time settings that cannot be read.
  public internal(set) var isRunTimeUnreadable = false
  /// The server and the stream key; nil if one of them is missing.
  public internal(set) var destination: RTMPAddress?
  /// The server of `publish.backup_url` with the same stream key.
  public internal(set) var backup: RTMPAddress?
  /// The relays, by name.
  public internal(set) var relays: [Relay]
  /// The entries of all lists.
  public internal(set) var entries: [ListEntry]
  /// See `stateDirectory(_:environment:)`.
  public internal(set) var stateDirectory: String
  /// The effective secrets, wherever they come from, by the keys of their settings.
  var secrets: [String: Secret] = [:]
  /// The values that were given, for a file of the settings.
  var literals = Literals()
  /// The settings file, if it has no mistakes.
  public internal(set) var copy: SettingsCopy?
  /// What is used although the settings file has mistakes; `nil` if it has none. See `loadKeepingUp`.
  public var standIn: StandIn?
  /// Sentences about settings that are allowed but risky.
  public internal(set) var warnings: [String]

  /// A relay with its stream key.
  public struct Relay: Sendable, Equatable {
    public let settings: RelaySettings
    /// `nil` without a stream key.
    public let address: RTMPAddress?
  }

  /// Decides whether a missing server or stream key is a problem.
  public enum Purpose: Sendable {
    /// To run OnAir. Server and stream key may be missing, unless it starts a broadcast by itself.
    case run
    /// To check whether a broadcast is possible. Server and stream key are required.
    case check
  }

  /// Which settings were set at run time.
  public enum RunTimeSource: Sendable {
    /// Those of the effective state directory.
    case stateDirectory
    /// Those of this state directory.
    case directory(String)
    /// These. A mistake in them is a problem.
    case given(RunTimeSettings)
  }

  /// Reads the configuration.
  /// - Parameters:
  ///   - file: the path of the TOML file (at most 1 MiB of UTF-8), or nil for defaults only.
  ///   - runTime: the settings that were set at run time; they override the file.
  ///   - overrides: the arguments of `--set`: `KEY=VALUE` each. They override all others, and later ones override
  ///     earlier ones.
  ///   - purpose: decides whether a missing server or stream key is a problem.
  ///   - environment: must have HOME, STATE_DIRECTORY, XDG_STATE_HOME and CREDENTIALS_DIRECTORY, if they are set.
  ///   - files: reads the file, and the files that settings name.
  /// - Throws: `.noSuchFile` if `file` cannot be read, else `.invalid` with all problems.
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

  /// Reads the configuration and returns it even if there are problems. Settings with a problem have their defaults.
  ///
  /// Run-time settings that cannot be read, or that lead to problems, are not used: a box must start without a person
  /// who mends them. A warning tells so.
  /// - Throws: `.noSuchFile` if `file` cannot be read.
  public static func inspect(
    file: String?, runTime: RunTimeSource = .stateDirectory, overrides: [String] = [],
    for purpose: Purpose = .run, environment: [String: String] = processEnvironment,
    files: @escaping FileReader = systemFiles
  ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
    var lower = Form()
    let contents = try file.map { file throws(ConfigurationError) in
      try lower.take(file: file, files)
    }
    func read(_ layer: RunTimeSettings) -> (configuration: Configuration, problems: [Problem]) {
      var form = lower
      form.take(layer)
      for override in overrides { form.take(override: override) }
      var reading = Reading(
        form: form, isOpenToAll: contents?.isReadableByAll == true, environment: environment,
        files: files)
      var (configuration, problems) = reading.configuration(layer, for: purpose)
      if problems.isEmpty { configuration.copy = contents.map { SettingsCopy(bytes: $0.bytes) } }
      return (configuration, problems)
    }
    if case .given(let layer) = runTime { return read(layer) }
    var plain = read(RunTimeSettings())
    var directory = plain.configuration.stateDirectory
    if case .directory(let named) = runTime { directory = named }
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
          layered.configuration.warnings += warnings
          layered.configuration.unusedRunTime = unusedLayer
          return layered
        }
        // First those that are named, then those of the same entry of a list or of the list, then all: the rest may depend on
        // another.
        // An address and its key go together: what the settings file has instead of one does not belong to the other.
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
    }
    plain.configuration.warnings += warnings
    plain.configuration.unusedRunTime = unusedLayer
    return plain
  }

  /// The same with another state directory.
  public func keepingState(in directory: String) -> Configuration {
    var moved = self
    moved.stateDirectory = directory
    return moved
  }

  /// The directory for files that must survive a restart. The first of these that is available: `setting`; the first
  /// folder of systemd's $STATE_DIRECTORY (systemd.exec(5)); $XDG_STATE_HOME/onair, if it is absolute, as the XDG base
  /// directory specification requires; ~/.local/state/onair; /var/lib/onair.
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
