// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// A secret is given for certain servers. A remote client (one that connects over TCP) cannot read a secret. So a change
// from a remote client must not send a secret to a server that it was not given for: that would reveal it.

extension Settings {
  /// The keys that must be set again when an address in the section of `key` changes: those of all addresses, secrets
  /// and secret files in this section ("publish" or "relay.NAME"). So a secret is never sent to an address for which it
  /// was not given. Empty if the section has no addresses.
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

  /// The keys of all secrets in the section of `key`, such as "publish.key"; empty if the section has no addresses.
  public static func secretKeys(of key: String) -> Set<String> {
    let section = sectionName(of: key)
    let secrets = declarations(in: section).filter(\.isSecret).map { "\(section).\($0.name)" }
    return boundKeys(of: key).intersection(secrets)
  }

  /// The declarations of a section such as "publish". For a section such as "relay.second", the declarations of the
  /// list, with "NAME" in place of the entry's name.
  private static func declarations(in section: String) -> [Declaration] {
    let list = section.contains(".") ? list(of: section) : nil
    return list?.declarations ?? declarations.filter { $0.section == section }
  }
}

extension SettingsPatch {
  /// A change to another main server. It empties the other addresses and secrets of `[publish]`, so that none of them
  /// is used with this server.
  public init(address: String, key: String) {
    values = Settings.boundKeys(of: "publish.url").reduce(into: [:]) { $0[$1] = .text("") }
    values["publish.url"] = .text(address)
    values["publish.key"] = .text(key)
  }

  /// Whether the change sets `key` to a value, rather than unsetting it or not containing it.
  fileprivate func setsValue(of key: String) -> Bool { (values[key] ?? nil) != nil }
}

extension RunTimeSettings {
  /// Extends a change so that it also removes empty secrets that nobody needs any more. If the change unsets the last
  /// address of a section, the extended change also unsets the section's secrets that are set to the empty text. Users
  /// do not know of these empty texts: `previewRemote` has set them.
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
  /// An effective secret, or the server that an effective address names, with the key and the origin of its setting.
  private struct EffectiveValue<Value: Equatable> {
    let key: String
    let value: Value
    let origin: Origin
  }

  /// Checks a change from a remote client, one that connects over TCP. Saves nothing.
  /// - Parameter load: loads the configuration with the given run-time settings.
  /// - Returns: the configuration to save. If the change names a server without a secret, the secret is set to the
  ///   empty text, so that a secret that is later put into the settings file is not sent to this server.
  /// - Throws: the mistakes in the change. It is also a mistake if a secret would be sent to a server that it was not
  ///   given for.
  public func previewRemote(
    _ change: SettingsPatch,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) throws(ConfigurationError) -> Configuration {
    let files = remoteProblems(of: change)
    guard files.isEmpty else { throw .invalid(files) }
    let sections = Set(change.values.keys.map(sectionName(of:))).sorted()
    let new = try Configuration.preview(change, of: runTime, load: load)
    let misdirected = sections.flatMap { misdirectedSecrets(in: $0, change, new) }
    guard misdirected.isEmpty else { throw .invalid(misdirected) }
    let missing = sections.flatMap { new.unsetSecrets(in: $0) }
    guard !missing.isEmpty else { return new }
    var whole = change
    for key in missing { whole.values[key] = .text("") }
    return try Configuration.preview(whole, of: runTime, load: load)
  }

  /// The secrets of a section that a change would send to a server they were not given for, as problems. A secret and a
  /// server may be combined if the change itself gives the secret, if the present settings contain both, or if neither
  /// comes from the run-time settings.
  private func misdirectedSecrets(
    in section: String, _ change: SettingsPatch, _ new: Configuration
  ) -> [Problem] {
    let before = secrets(in: section)
    let known = servers(in: section).map(\.value)
    return new.secrets(in: section).compactMap { secret in
      // The change itself may give the secret together with the server. If a secret on the command line overrides the
      // secret in the change, check the one on the command line.
      if change.setsValue(of: secret.key), secret.origin == .runTime { return nil }
      let isKnown = before.contains { $0.value == secret.value }
      let strays = new.servers(in: section).contains { server in
        // A remote client can have combined the secret and the server only if one of them was set at run time.
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

  /// The keys of a section's secrets that are not set; empty unless an address in the section was set at run time. The
  /// settings file could set these secrets later, and they would be sent to that address.
  private func unsetSecrets(in section: String) -> [String] {
    guard servers(in: section).contains(where: { $0.origin == .runTime }) else { return [] }
    let set = secrets(in: section).map(\.key)
    return Settings.secretKeys(of: "\(section).").filter {
      !set.contains($0) && origin(of: $0) < .runTime
    }
  }

  /// The effective secrets of a section. Secrets that are not set are left out.
  private func secrets(in section: String) -> [EffectiveValue<Secret>] {
    let own = settings.values.all(Secret.self, in: section)
    return Settings.secretKeys(of: "\(section).").sorted().compactMap { key in
      guard let secret = secrets[key], secret.isSet else { return nil }
      // A secret that is not in its own setting comes from a key file or a systemd credential.
      let source = own[key]?.isSet == true ? key : "\(key)_file"
      return EffectiveValue(key: key, value: secret, origin: origin(of: source))
    }
  }

  /// The servers that the addresses of a section name.
  private func servers(in section: String) -> [EffectiveValue<String>] {
    settings.values.all(RTMPURL.self, in: section).map { key, url in
      EffectiveValue(key: key, value: url.server, origin: origin(of: key))
    }
  }

  /// Where the effective value of `key` was given; `.builtIn` if it is the default.
  private func origin(of key: String) -> Origin {
    values.first { $0.declaration.key == key }?.origin ?? .builtIn
  }
}

extension RTMPURL {
  /// Identifies the server of the URL: scheme, host and port.
  fileprivate var server: String { "\(isSecure) \(host.lowercased()) \(port)" }
}
