// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// The settings that name a file with secrets or certificates: whoever may set them could have any file read.
  private static func isOwnFile(_ key: String) -> Bool {
    (key.hasPrefix("publish.") || key.hasPrefix("\(RelaySettings.section)."))
      && (key.hasSuffix(".key_file") || key.hasSuffix(".ca_file"))
  }

  /// What a change that comes from elsewhere than the box may not do: send the present stream key, which nobody can read
  /// there, to another server, or name the files of the box.
  public func remoteProblems(of change: SettingsPatch) -> [Problem] {
    var problems: [Problem] = []
    func report(_ key: String, _ code: Problem.Code, _ sentence: String) {
      problems.append(Problem(place: .change, key: key, sentence: sentence, code: code))
    }
    for (key, value) in change.values.sorted(by: { $0.key < $1.key })
    // A relay that is removed takes them with it.
    where Self.isOwnFile(key) && !(value == nil && isRemoved(relayOf: key, by: change)) {
      report(
        key, .boxOnly,
        "names a file of the box: set it there, with \"onair set\" or in the settings file")
    }
    let key = change.values["publish.key"]
    let isKeySet = values.contains { $0.declaration.key == "publish.key" && $0.text != quoted("") }
    if isKeySet, key == nil {
      let servers = [settings.publish.url, settings.publish.backupUrl].compactMap { $0?.server }
      for setting in ["publish.url", "publish.backup_url"] {
        guard !servers.isEmpty, case .text(let text) = change.values[setting] ?? nil,
          let url = try? RTMPURL(text), !servers.contains(url.server)
        else { continue }
        report(
          "publish.key", .keyOfOtherServer,
          "is that of another server: give the new server's with its address, or an empty one")
        break
      }
    }
    for name in change.relays { reportRelay(name, change, report) }
    // The file's key would come back, for a server that was named from elsewhere.
    if let key, key == nil {
      let layer = runTime.applying(change)
      if layer.keys.contains(where: { $0 == "publish.url" || $0 == "publish.backup_url" }) {
        report(
          "publish.key", .keyBelongsToAddress,
          "can be unset only together with publish.url and publish.backup_url")
      }
    }
    return problems
  }

  private func isRemoved(relayOf key: String, by change: SettingsPatch) -> Bool {
    let section = key.split(separator: ".").dropLast().joined(separator: ".")
    if case .flag(true)? = change.values["\(section).removed"] ?? nil { return true }
    let isInFile = relays.contains { $0.isInFile && "relay.\($0.settings.name)" == section }
    guard !isInFile, let url = change.values["\(section).url"] else { return false }
    return url == nil
  }

  /// The same for a relay. One that is left out of the settings file, or that has a systemd credential, may have a key, too.
  private func reportRelay(
    _ name: String, _ change: SettingsPatch, _ report: (String, Problem.Code, String) -> Void
  ) {
    let section = "\(RelaySettings.section).\(name)"
    let key = change.values["\(section).key"]
    let present = relays.first { $0.settings.name == name }?.settings.url
    if case .text(let text) = change.values["\(section).url"] ?? nil,
      let url = try? RTMPURL(text), url.server != present?.server, key == nil
    {
      report(
        "\(section).key", .keyOfOtherServer,
        "is that of another server: give the new server's with its address, or an empty one")
    }
    if let key, key == nil, runTime.applying(change).keys.contains("\(section).url") {
      report(
        "\(section).key", .keyBelongsToAddress, "can be unset only together with the address")
    }
  }
}

extension SettingsPatch {
  /// The names of the relays that it is about.
  fileprivate var relays: [String] {
    let names = values.keys.compactMap { key -> String? in
      let parts = key.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 3 && parts[0] == RelaySettings.section ? String(parts[1]) : nil
    }
    return Set(names).sorted()
  }
}

extension RTMPURL {
  /// Scheme, host and port.
  fileprivate var server: String { "\(isSecure) \(host.lowercased()) \(port)" }
}
