// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// The settings, and what is derived from them and from the environment: the server, the stream key and the state
/// directory.
public struct Configuration: Sendable {
  /// Each setting's checked value: from the command line, else from the file, else the default.
  public let settings: Settings
  /// The server and the stream key; nil if one of them is missing.
  public let destination: RTMPAddress?
  /// The server of `publish.backup_url` with the same stream key.
  public let backup: RTMPAddress?
  /// See `stateDirectory(_:environment:)`.
  public let stateDirectory: String
  /// Sentences about settings that are allowed but risky.
  public let warnings: [String]

  /// Decides whether a missing server or stream key is a problem.
  public enum Purpose: Sendable {
    /// To run OnAir. Server and stream key may be missing, unless it starts a broadcast by itself.
    case run
    /// To check whether a broadcast is possible. Server and stream key are required.
    case check
  }

  /// Reads the configuration.
  /// - Parameters:
  ///   - file: the path of the TOML file (at most 1 MiB of UTF-8), or nil for defaults only.
  ///   - overrides: the arguments of `--set`: `KEY=VALUE` each. They override the file, and later ones override earlier
  ///     ones.
  ///   - purpose: decides whether a missing server or stream key is a problem.
  ///   - environment: must have HOME, STATE_DIRECTORY, XDG_STATE_HOME and CREDENTIALS_DIRECTORY, if they are set.
  ///   - files: reads the file, and the files that settings name.
  /// - Throws: `.noSuchFile` if `file` cannot be read, else `.invalid` with all problems.
  public static func load(
    file: String?, overrides: [String] = [], for purpose: Purpose = .run,
    environment: [String: String] = processEnvironment, files: FileReader = systemFiles
  ) throws(ConfigurationError) -> Configuration {
    let (configuration, problems) = try inspect(
      file: file, overrides: overrides, for: purpose, environment: environment, files: files)
    guard problems.isEmpty else { throw .invalid(problems) }
    return configuration
  }

  /// Reads the configuration and returns it even if there are problems. Settings with a problem have their defaults.
  /// - Throws: `.noSuchFile` if `file` cannot be read.
  public static func inspect(
    file: String?, overrides: [String] = [], for purpose: Purpose = .run,
    environment: [String: String] = processEnvironment, files: FileReader = systemFiles
  ) throws(ConfigurationError) -> (configuration: Configuration, problems: [Problem]) {
    var form = Form()
    var warnings: [String] = []
    let isOpenToAll = try file.map { file throws(ConfigurationError) in
      try form.take(file: file, files)
    }
    for override in overrides { form.take(override: override) }
    let settings = Settings(&form)
    let publish = settings.publish
    let key = streamKey(
      publish, environment: environment, files: files, form: &form, warnings: &warnings)
    let destination = publish.url.flatMap { RTMPAddress($0, key: key) }
    warnOfVisibleKey(
      publish, isInURL: !key.isSet && destination != nil, isOpenToAll: isOpenToAll == true, form,
      &warnings)
    let mustBroadcast = purpose == .check || publish.autostart == .always
    if publish.url == nil, publish.backupUrl == nil, mustBroadcast,
      !form.isDoubtful("publish.url")
    {
      form.report(
        nil,
        "publish.url is not set: name the platform's server, as in publish.url = \"rtmp://HOST/APP\"",
        at: .builtIn)
    }
    let keys = ["publish.url", "publish.key", "publish.key_file"]
    if destination == nil, !key.isSet, publish.url != nil || purpose == .check,
      !keys.contains(where: form.isDoubtful)
    {
      let missing = """
        publish.key is missing: set it, or publish.key_file, or the systemd credential publish.key
        """
      if mustBroadcast {
        form.report(nil, missing, at: form.place(of: "publish.url"))
      } else {
        warnings.append(missing)
      }
    }
    if purpose == .check {
      for (key, url) in [("publish.url", publish.url), ("publish.backup_url", publish.backupUrl)]
      where url.map({ isExample($0.host) }) == true {
        form.report(
          key, "is the example's address: write your platform's", at: form.place(of: key))
      }
    }
    if let listen = settings.page.listen, !listen.isLocal {
      warnings.append(
        "page.listen is \(listen): there is no password, and whoever reaches that address can end a pause"
      )
    }
    if publish.url?.isSecure == true, publish.backupUrl?.isSecure == false {
      warnings.append(
        "publish.backup_url is rtmp:// although publish.url is rtmps://: whoever interrupts the encrypted connection "
          + "can read the stream key from the other one")
    }
    checkAuthorities(publish, files: files, form: &form, warnings: &warnings)
    form.sortProblems()
    let configuration = Configuration(
      settings: settings, destination: destination,
      backup: publish.backupUrl.flatMap { RTMPAddress($0, key: key) },
      stateDirectory: stateDirectory(settings.state.directory, environment: environment),
      warnings: warnings)
    return (configuration, form.problems)
  }

  /// Warns about a stream key that other users of the machine can read.
  private static func warnOfVisibleKey(
    _ publish: PublishSettings, isInURL: Bool, isOpenToAll: Bool, _ form: Form,
    _ warnings: inout [String]
  ) {
    guard publish.key.isSet || isInURL else { return }
    let key = publish.key.isSet ? "publish.key" : "publish.url"
    let words = publish.key.isSet ? key : "the stream key in publish.url"
    switch form.place(of: key) {
    case .commandLine:
      warnings.append(
        "\(words) on the command line can be seen by every user of this machine: "
          + "use publish.key_file")
    case .file(let file, _) where isOpenToAll:
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
