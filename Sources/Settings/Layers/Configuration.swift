// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

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
  /// See `stateDirectory(_:environment:)`.
  public private(set) var stateDirectory: String
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
    /// Whether the settings file has it.
    public let isInFile: Bool
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
    files: FileReader = systemFiles
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
    files: FileReader = systemFiles
  ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
    var lower = Form()
    let contents = try file.map { file throws(ConfigurationError) in
      try lower.take(file: file, files)
    }
    func read(_ layer: RunTimeSettings) -> (configuration: Configuration, problems: [Problem]) {
      var form = lower
      form.take(layer)
      for override in overrides { form.take(override: override) }
      var (configuration, problems) = interpret(
        &form, layer, for: purpose, isOpenToAll: contents?.isReadableByAll == true,
        environment: environment, files: files)
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
        // First those that are named, then those of the same relay or of all relays, then all: the rest may depend on another.
        // An address and its key go together: what the settings file has instead of one does not belong to the other.
        let named = new.compactMap(\.key).filter { layer.entries[$0] != nil }
          .flatMap { layer.keysBound(to: $0) }
        let relay = problem.key.map { layer.keys(ofRelayIn: $0) } ?? []
        for key in Set(!named.isEmpty ? named : !relay.isEmpty ? relay : layer.keys) {
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

  /// Derives a configuration from the values in `form`.
  private static func interpret(
    _ form: inout Form, _ runTime: RunTimeSettings, for purpose: Purpose, isOpenToAll: Bool,
    environment: [String: String], files: FileReader
  ) -> (configuration: Configuration, problems: [Problem]) {
    var warnings: [String] = []
    var first = form
    let directory = stateDirectory(StateSettings(&first).directory, environment: environment)
    form.mediaFolder = "\(directory)/\(MediaFolder.directoryName)"
    let settings = Settings(&form)
    if !settings.box.zone.isEmpty, let problem = TimeZones.problem(settings.box.zone, files) {
      form.report("box.zone", problem, at: form.place(of: "box.zone"), code: .notAllowed)
    }
    let publish = settings.publish
    let key = secret(
      .key, in: "publish", publish.key, file: publish.keyFile, environment: environment,
      files: files, form: &form, warnings: &warnings)
    let password = secret(
      .password, in: "publish", publish.password, file: publish.passwordFile,
      environment: environment, files: files, form: &form, warnings: &warnings)
    if publish.password.isSet {
      warnOfVisibleKey("publish.password", isOpenToAll: isOpenToAll, form, &warnings)
    }
    func address(_ url: RTMPURL?) -> RTMPAddress? {
      url.flatMap { RTMPAddress($0, key: key, user: publish.user, password: password) }
    }
    let destination = address(publish.url)
    if publish.key.isSet || (!key.isSet && destination != nil) {
      warnOfVisibleKey(
        publish.key.isSet ? "publish.key" : "publish.url", isOpenToAll: isOpenToAll, form,
        &warnings)
    }
    let mustBroadcast = purpose == .check || publish.autostart == .always
    if publish.url == nil, publish.backupUrl == nil, mustBroadcast,
      !form.isDoubtful("publish.url")
    {
      form.report(
        nil,
        "publish.url is not set: name the platform's server, as in publish.url = \"rtmp://HOST/APP\"",
        at: .builtIn, code: .addressMissing)
    }
    let own = ["publish.url", "publish.key", "publish.key_file"]
    if destination == nil, !key.isSet, publish.url != nil || purpose == .check,
      !own.contains(where: form.isDoubtful)
    {
      // As a change from elsewhere makes it.
      let isEmptied = form.origin(of: "publish.key") == .runTime
      let missing =
        isEmptied
        ? "publish.key was emptied at run time, so no other key is used: set it (onair set publish.key -), or unset it"
        : "publish.key is missing: set it, or publish.key_file, or the systemd credential publish.key"
      if mustBroadcast {
        form.report(nil, missing, at: form.place(of: "publish.url"), code: .keyMissing)
      } else {
        warnings.append(missing)
      }
    }
    if purpose == .check {
      for (key, url) in [("publish.url", publish.url), ("publish.backup_url", publish.backupUrl)]
      where url.map({ isExample($0.host) }) == true {
        let isInvalid = url?.host.lowercased().hasSuffix("invalid") == true
        form.report(
          key,
          isInvalid
            ? "names a server that cannot exist: write your platform's"
            : "is the example's address: write your platform's",
          at: form.place(of: key), code: .addressExample)
      }
    }
    if publish.url?.isSecure == true, publish.backupUrl?.isSecure == false {
      warnings.append(
        "publish.backup_url is rtmp:// although publish.url is rtmps://: whoever interrupts the encrypted connection "
          + "can read the stream key from the other one")
    }
    checkAuthorities(
      in: "publish", publish.caFile, for: publish.url, files: files, form: &form,
      warnings: &warnings)
    var keys = ["publish.key": key, "publish.password": password]
    let backup = address(publish.backupUrl)
    // Who sends a stream.
    var senders: [[String]: String] = [:]
    for (address, key) in [(backup, "publish.backup_url"), (destination, "publish.url")] {
      if let address { senders[address.identity] = key }
    }
    let relays = settings.relays.map { relay in
      let section = "\(RelaySettings.section).\(relay.name)"
      let key = secret(
        .key, in: section, relay.key, file: relay.keyFile, environment: environment, files: files,
        form: &form, warnings: &warnings)
      keys["\(section).key"] = key
      let password = secret(
        .password, in: section, relay.password, file: relay.passwordFile, environment: environment,
        files: files, form: &form, warnings: &warnings)
      keys["\(section).password"] = password
      if relay.password.isSet {
        warnOfVisibleKey("\(section).password", isOpenToAll: isOpenToAll, form, &warnings)
      }
      checkAuthorities(
        in: section, relay.caFile, for: relay.url, files: files, form: &form, warnings: &warnings)
      let address = relay.url.flatMap {
        RTMPAddress($0, key: key, user: relay.user, password: password)
      }
      if let address, let other = senders.updateValue(section, forKey: address.identity) {
        form.report(
          "\(section).url",
          "is sent to by \(other) already, with the same key: use another address or another key",
          at: form.place(of: "\(section).url"), code: .sameStream, other: other)
      }
      if let url = relay.url, address == nil, !form.isDoubtful("\(section).key") {
        warnings.append(
          "\(section).key is missing: without it nothing is sent to \(url.host); copy it from the platform's page (onair relay "
            + "set \(relay.name) key -)")
      }
      if relay.key.isSet || (!key.isSet && address != nil) {
        warnOfVisibleKey(
          "\(section).\(relay.key.isSet ? "key" : "url")", isOpenToAll: isOpenToAll, form,
          &warnings)
      }
      return Relay(
        settings: relay, address: address, isInFile: form.isGiven("\(section).url", from: .file))
    }
    form.sortProblems()
    let values = form.declarations.map { declaration in
      var text = form.texts[declaration.key] ?? declaration.defaultText
      // Wherever the key comes from.
      if let key = keys[declaration.key], key.isSet { text = quoted(key.description) }
      return SettingValue(
        declaration: declaration, text: text, origin: form.origin(of: declaration.key))
    }
    var configuration = Configuration(
      settings: settings, values: values, runTime: runTime, destination: destination,
      backup: backup, relays: relays,
      stateDirectory: directory,
      warnings: warnings)
    configuration.secrets = settings.secrets.merging(keys) { $1 }
    configuration.literals = Literals(form.literals)
    return (configuration, form.problems)
  }

  /// Warns about a stream key or a password that other users of the machine can read.
  /// - Parameter key: the setting that holds it: a key, a password or an address.
  private static func warnOfVisibleKey(
    _ key: String, isOpenToAll: Bool, _ form: Form, _ warnings: inout [String]
  ) {
    let isAddress = key.hasSuffix(".url")
    let words = isAddress ? "the stream key in \(key)" : key
    switch form.place(of: key) {
    case .commandLine:
      let section = key.prefix(upTo: key.lastIndex(of: ".") ?? key.endIndex)
      warnings.append(
        "\(words) on the command line can be seen by every user of this machine: "
          + "use \(isAddress ? "\(section).key" : key)_file")
    case .file(let file, _) where isOpenToAll && form.origin(of: key) == .file:
      warnings.append(
        Problem(
          place: .wholeFile(file), key: nil,
          sentence: "holds \(words) and may be read by every user: chmod o-r it"
        ).description)
    default: break
    }
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
