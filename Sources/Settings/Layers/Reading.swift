// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Derives a configuration from the values in a form, and from the files and environment variables that they refer to.
struct Reading {
  /// The values that were given, and the problems found so far.
  var form: Form
  /// Whether every user of the machine may read the settings file.
  let isFileOpenToAll: Bool
  /// The environment variables of the program, by name.
  let environment: [String: String]
  /// Reads the files that the settings name.
  let files: FileReader
  /// Sentences for users about settings that are allowed but risky.
  var warnings: [String] = []
  /// The effective stream keys and passwords of the servers, by the keys of their settings.
  private var secrets: [String: Secret] = [:]
  /// For each stream, identified by `RTMPAddress.identity`, the setting or section that publishes to the stream. Used
  /// to report a second setting or section that publishes to the same stream.
  private var senders: [[String]: String] = [:]

  init(
    form: Form, isFileOpenToAll: Bool, environment: [String: String], files: @escaping FileReader
  ) {
    (self.form, self.isFileOpenToAll) = (form, isFileOpenToAll)
    (self.environment, self.files) = (environment, files)
  }

  /// Checks the servers and the files that the settings name, which the form alone cannot check. Returns the
  /// configuration with all problems.
  /// - Parameter runTime: the run-time settings whose values are in the form.
  mutating func configuration(
    _ runTime: RunTimeSettings, for purpose: Configuration.Purpose
  ) -> (configuration: Configuration, problems: [Problem]) {
    var first = form
    let directory = Configuration.stateDirectory(
      StateSettings(&first).directory, environment: environment)
    form.mediaFolder = "\(directory)/\(MediaFolder.directoryName)"
    var settings = Settings(&form)
    if !settings.box.zone.isEmpty, let problem = TimeZones.problem(settings.box.zone, files) {
      form.report("box.zone", problem, at: form.place(of: "box.zone"), code: .notAllowed)
    }
    for entry in settings.schedule { check(entry) }
    for guest in settings.guests { warnOfVisibleSecrets(of: guest) }
    let (destination, backup) = servers(settings.publish)
    check(settings.publish, destination, for: purpose)
    let relays = settings.relays.map { self.relay($0) }
    form.sortProblems()
    settings.mayLackMasks = settings.problemsConcernMask(
      form.problems, hasSyntaxErrors: form.hasSyntaxErrors)
    let values = form.declarations.map { declaration in
      var text = form.texts[declaration.key] ?? declaration.defaultText
      // Show that a secret is set, even if it comes from a key file or a systemd credential.
      if let key = secrets[declaration.key], key.isSet { text = quoted(key.description) }
      return SettingValue(
        declaration: declaration, text: text, origin: form.origin(of: declaration.key),
        effective: declaration.key == "video.bitrate_kbps" ? "\(settings.video.targetKbps)" : nil)
    }
    var configuration = Configuration(
      settings: settings, values: values, runTime: runTime, destination: destination,
      backup: backup, relays: relays, entries: form.entries, stateDirectory: directory,
      warnings: warnings)
    configuration.secrets = settings.values.all(Secret.self).merging(secrets) { $1 }
    configuration.literals = Literals(form.literals)
    return (configuration, form.problems)
  }

  /// The main and the backup server of `[publish]`, each with the stream key; `nil` if the server or the key is
  /// missing.
  private mutating func servers(
    _ publish: PublishSettings
  ) -> (destination: RTMPAddress?, backup: RTMPAddress?) {
    let key = secret(.key, in: "publish", publish.key, file: publish.keyFile)
    let password = secret(.password, in: "publish", publish.password, file: publish.passwordFile)
    if publish.password.isSet { warnOfVisibleSecret("publish.password") }
    func address(_ url: RTMPURL?) -> RTMPAddress? {
      url.flatMap { RTMPAddress($0, key: key, user: publish.user, password: password) }
    }
    let (destination, backup) = (address(publish.url), address(publish.backupUrl))
    if publish.key.isSet || (!key.isSet && destination != nil) {
      warnOfVisibleSecret(publish.key.isSet ? "publish.key" : "publish.url")
    }
    for (address, key) in [(backup, "publish.backup_url"), (destination, "publish.url")] {
      if let address { senders[address.identity] = key }
    }
    return (destination, backup)
  }

  /// Reports a server or stream key that is needed but missing in `[publish]`, and checks the addresses.
  private mutating func check(
    _ publish: PublishSettings, _ destination: RTMPAddress?, for purpose: Configuration.Purpose
  ) {
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
    if destination == nil, secrets["publish.key"]?.isSet != true,
      publish.url != nil || purpose == .check, !own.contains(where: form.isDoubtful)
    {
      // Whether the stream key was emptied at run time: a remote change does this if it names a server without a key.
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
    checkCAFile(in: "publish", publish.caFile, for: publish.url)
  }

  /// Finds a relay's stream key and password, checks its settings, and returns the relay with its address.
  private mutating func relay(_ relay: RelaySettings) -> Configuration.Relay {
    let entry = RelaySettings.list.entry(relay.name)
    let key = secret(.key, in: entry.section, relay.key, file: relay.keyFile)
    let password = secret(
      .password, in: entry.section, relay.password, file: relay.passwordFile)
    if relay.password.isSet { warnOfVisibleSecret(entry.key("password")) }
    checkCAFile(in: entry.section, relay.caFile, for: relay.url)
    let address = relay.url.flatMap {
      RTMPAddress($0, key: key, user: relay.user, password: password)
    }
    if let address, let other = senders.updateValue(entry.section, forKey: address.identity) {
      form.report(
        entry.key("url"),
        "is sent to by \(other) already, with the same key: use another address or another key",
        at: form.place(of: entry.key("url")), code: .sameStream, other: other)
    }
    if let url = relay.url, address == nil, !form.isDoubtful(entry.key("key")) {
      warnings.append(
        "\(entry.key("key")) is missing: without it nothing is sent to \(url.host); copy it from the platform's page (onair relay "
          + "set \(relay.name) key -)")
    }
    if relay.key.isSet || (!key.isSet && address != nil) {
      warnOfVisibleSecret(entry.key(relay.key.isSet ? "key" : "url"))
    }
    return Configuration.Relay(settings: relay, address: address)
  }

  /// Checks the zone and the server of an entry of the schedule.
  private mutating func check(_ entry: ScheduleSettings) {
    let key = ScheduleSettings.list.entry(entry.name).key
    if !entry.zone.isEmpty, let problem = TimeZones.problem(entry.zone, files) {
      form.report(key("zone"), problem, at: form.place(of: key("zone")), code: .notAllowed)
    }
    if let url = entry.url, RTMPAddress(url, key: entry.key) == nil, !form.isDoubtful(key("key")) {
      warnings.append(
        "\(key("key")) is missing: without it this broadcast cannot begin; copy it from the platform's page"
      )
    }
    if entry.key.isSet { warnOfVisibleSecret(key("key")) }
  }

  private mutating func warnOfVisibleSecrets(of guest: GuestSettings) {
    let key = GuestSettings.list.entry(guest.name).key
    if guest.key.isSet { warnOfVisibleSecret(key("key")) }
    if guest.url?.hasUser == true { warnOfVisibleSecret(key("url")) }
  }

  /// Determines the effective stream key or password of a server, as `secretOrNone` describes, adds it to `secrets`,
  /// and returns it.
  private mutating func secret(
    _ secret: AddressSecret, in section: String, _ given: Secret, file: String
  ) -> Secret {
    let effective = secretOrNone(secret, in: section, given, file: file)
    secrets["\(section).\(secret.rawValue)"] = effective
    return effective
  }

  /// Warns about a stream key or a password that other users of the machine can read.
  /// - Parameter key: the setting that contains the secret: a key, a password or an address.
  private mutating func warnOfVisibleSecret(_ key: String) {
    let isAddress = key.hasSuffix(".url")
    let isGuest = key.hasPrefix("\(GuestSettings.list.section).")
    let words = isAddress ? "the \(isGuest ? "password" : "stream key") in \(key)" : key
    switch form.place(of: key) {
    case .commandLine:
      warnings.append(
        "\(words) on the command line can be seen by every user of this machine: "
          + (isGuest
            ? "write it into the settings file"
            : "use \(isAddress ? "\(sectionName(of: key)).key" : key)_file"))
    case .file(let file, _) where isFileOpenToAll && form.origin(of: key) == .file:
      warnings.append(
        Problem(
          place: .wholeFile(file), key: nil,
          sentence: "holds \(words) and may be read by every user: chmod o-r it"
        ).description)
    default: break
    }
  }
}
