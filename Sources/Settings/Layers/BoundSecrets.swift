// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// A secret is given for certain servers: whoever gives it names them with it, or knows them. From elsewhere than the box
// nobody can read a secret, so a change from there must not send it to any other server.

extension Settings {
  /// The addresses of the section that a setting belongs to ("publish" or "relay.NAME"), their secrets, and the settings
  /// that name files with those: none of them has a meaning without the others. Empty for a section without addresses.
  static func boundKeys(of key: String) -> Set<String> {
    let section = sectionName(of: key)
    let all = declarations(in: section)
    guard all.contains(where: \.isAddress) else { return [] }
    let secrets = all.filter(\.isSecret).map { "\($0.name)" }
    let names = all.filter { declaration in
      declaration.isAddress || declaration.isSecret
        || secrets.contains { declaration.name == "\($0)_file" }
    }
    return Set(names.map { "\(section).\($0.name)" })
  }

  /// The secrets among `boundKeys`.
  public static func secretKeys(of key: String) -> Set<String> {
    let section = sectionName(of: key)
    let secrets = declarations(in: section).filter(\.isSecret).map { "\(section).\($0.name)" }
    return boundKeys(of: key).intersection(secrets)
  }

  /// The declarations of "publish", or of the list of "relay.NAME".
  private static func declarations(in section: String) -> [Declaration] {
    let list = section.contains(".") ? list(of: section) : nil
    return list?.declarations ?? declarations.filter { $0.section == section }
  }
}

extension SettingsPatch {
  /// Another server than that of the settings: their other addresses and secrets do not count with it.
  public init(address: String, key: String) {
    values = Settings.boundKeys(of: "publish.url").reduce(into: [:]) { $0[$1] = .text("") }
    values["publish.url"] = .text(address)
    values["publish.key"] = .text(key)
  }

  /// Whether it gives a value to a setting.
  fileprivate func gives(_ key: String) -> Bool { (values[key] ?? nil) != nil }
}

extension RunTimeSettings {
  /// A change, and with the last address of a section also the secrets that were set to nothing for it: nobody knows of
  /// them, and alone they have no meaning.
  func completing(_ change: SettingsPatch) -> SettingsPatch {
    let after = applying(change).entries
    var whole = change
    for key in entries.keys where after[key] == nil {
      let secrets = Settings.secretKeys(of: key)
      let others = Settings.boundKeys(of: key).subtracting(secrets)
      guard others.contains(key), others.allSatisfy({ after[$0] == nil }) else { continue }
      let empty = secrets.filter { after[$0]?.raw.value == .text("") }
      for secret in empty where change.values[secret] == nil { whole.values[secret] = .some(nil) }
    }
    return whole
  }
}

extension Configuration {
  /// A secret, or an address's server, and the strongest of the layers that it comes from.
  private struct Part<Value: Equatable> {
    let key: String
    let value: Value
    let origin: Origin
  }

  /// Checks a change that comes from elsewhere than the box. It does not save it.
  /// - Parameter load: as in `preview`.
  /// - Returns: the configuration to save. A server that was named from elsewhere without a secret has none there, even if
  ///   one is put into the settings file later.
  /// - Throws: all mistakes: also a secret that would be sent to a server that it was not given for.
  public func previewFromElsewhere(
    _ change: SettingsPatch,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) throws(ConfigurationError) -> Configuration {
    let files = remoteProblems(of: change)
    guard files.isEmpty else { throw .invalid(files) }
    let sections = Set(change.values.keys.map(sectionName(of:))).sorted()
    let new = try Configuration.preview(change, of: runTime, load: load)
    let strayed = sections.flatMap { strayedSecrets(in: $0, change, new) }
    guard strayed.isEmpty else { throw .invalid(strayed) }
    let missing = sections.flatMap { new.unsetSecrets(in: $0) }
    guard !missing.isEmpty else { return new }
    var whole = change
    for key in missing { whole.values[key] = .text("") }
    return try Configuration.preview(whole, of: runTime, load: load)
  }

  /// The secrets of a section that a change would send to a server to which neither the present settings nor the box send
  /// them, and which are not given with the change.
  private func strayedSecrets(
    in section: String, _ change: SettingsPatch, _ new: Configuration
  ) -> [Problem] {
    let before = secrets(in: section)
    let known = servers(in: section).map(\.value)
    return new.secrets(in: section).compactMap { secret in
      // One of the command line comes before the change's.
      if change.gives(secret.key), secret.origin == .runTime { return nil }
      let isKnown = before.contains { $0.value == secret.value }
      let strays = new.servers(in: section).contains { server in
        // What is set at run time may come from elsewhere.
        (secret.origin == .runTime || server.origin == .runTime)
          && !(isKnown && known.contains(server.value))
      }
      guard strays else { return nil }
      let ofOther: Problem.Code =
        secret.key.hasSuffix(".password") ? .passwordOfOtherServer : .keyOfOtherServer
      let (code, sentence): (Problem.Code, String) =
        if secret.origin == .commandLine {
          (ofOther, "is given on the command line for another server: change it there")
        } else if change.values.keys.contains(secret.key) {
          (
            .keyBelongsToAddress,
            "can be unset only together with the address that was set after the start"
          )
        } else {
          (
            ofOther,
            "is that of another server: give the new server's with its address, or an empty one"
          )
        }
      return Problem(place: .change, key: secret.key, sentence: sentence, code: code)
    }
  }

  /// The secrets of a section that are not set, and that the settings file could set for an address of run time.
  private func unsetSecrets(in section: String) -> [String] {
    guard servers(in: section).contains(where: { $0.origin == .runTime }) else { return [] }
    let set = secrets(in: section).map(\.key)
    return Settings.secretKeys(of: "\(section).").filter {
      !set.contains($0) && origin(of: $0) < .runTime
    }
  }

  /// The secrets of a section that are set.
  private func secrets(in section: String) -> [Part<Secret>] {
    let own = settings.values.all(Secret.self, in: section)
    return Settings.secretKeys(of: "\(section).").sorted().compactMap { key in
      guard let secret = secrets[key], secret.isSet else { return nil }
      // Else it is in a file, or a systemd credential.
      let source = own[key]?.isSet == true ? key : "\(key)_file"
      return Part(key: key, value: secret, origin: origin(of: source))
    }
  }

  /// The servers of a section.
  private func servers(in section: String) -> [Part<String>] {
    settings.values.all(RTMPURL.self, in: section).map { key, url in
      Part(key: key, value: url.server, origin: origin(of: key))
    }
  }

  private func origin(of key: String) -> Origin {
    values.first { $0.declaration.key == key }?.origin ?? .builtIn
  }
}

extension RTMPURL {
  /// Scheme, host and port.
  fileprivate var server: String { "\(isSecure) \(host.lowercased()) \(port)" }
}
