// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// The settings, and what follows from them and the machine: the server to broadcast to, the folder for state.
public struct Configuration: Sendable {
  /// Each setting's checked value: from the command line, else from the file, else the default.
  public let settings: Settings
  /// The server and the stream key to use; nil if one of them is not set.
  public let destination: RTMPAddress?
  /// The same with `publish.backup_url`.
  public let backup: RTMPAddress?
  /// The folder for what must survive a restart; see `stateDirectory(_:environment:)`.
  public let stateDirectory: String
  /// Sentences about what is allowed but unwise.
  public let warnings: [String]

  /// What the settings are read for.
  public enum Purpose: Sendable {
    /// To run the box. It may wait for a server's address, unless it is to broadcast by itself.
    case run
    /// To find out whether it could broadcast: without the address of a server and a stream key it could not.
    case check
  }

  /// Reads the configuration.
  /// - Parameters:
  ///   - file: The TOML file's path (at most 1 MiB of UTF-8), or nil for defaults only.
  ///   - overrides: `KEY=VALUE` each, as given to `--set`. They count before the file, and a later one before an
  ///     earlier one.
  ///   - purpose: What counts as a problem.
  ///   - environment: The variables HOME, STATE_DIRECTORY, XDG_STATE_HOME and CREDENTIALS_DIRECTORY are used.
  ///   - files: Reads the file and those that it names.
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

  /// Reads the configuration and returns it even with problems. A setting that has one is at its default then.
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
        "publish.backup_url is rtmp:// beside an rtmps:// publish.url: whoever can break the connection to the one "
          + "gets the stream key from the connection to the other, which is not encrypted")
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

  /// Warns of a stream key that other users of the machine can read.
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

  /// The folder for what must survive a restart: `setting` unless it is empty; else systemd's $STATE_DIRECTORY (its
  /// first, see systemd.exec(5)); else $XDG_STATE_HOME/onair, if that is absolute as the XDG base
  /// directory specification wants it; else ~/.local/state/onair; else /var/lib/onair.
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
