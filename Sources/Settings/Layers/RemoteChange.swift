// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// The settings that name a file with secrets or certificates: whoever may set them could have any file read.
  private static let ownFiles: Set<String> = ["publish.key_file", "publish.ca_file"]

  /// What a change that comes from elsewhere than the box may not do: send the present stream key, which nobody can read
  /// there, to another server, or name the files of the box.
  public func remoteProblems(of change: SettingsPatch) -> [Problem] {
    var problems: [Problem] = []
    func report(_ key: String, _ sentence: String) {
      problems.append(Problem(place: .change, key: key, sentence: sentence))
    }
    for key in change.values.keys.sorted() where Self.ownFiles.contains(key) {
      report(
        key, "names a file of the box: set it there, with \"onair set\" or in the settings file")
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
          "publish.key",
          "is that of another server: give the new server's with its address, or an empty one")
        break
      }
    }
    // The file's key would come back, for a server that was named from elsewhere.
    if let key, key == nil {
      let layer = runTime.applying(change)
      if layer.keys.contains(where: { $0 == "publish.url" || $0 == "publish.backup_url" }) {
        report("publish.key", "can be unset only together with publish.url and publish.backup_url")
      }
    }
    return problems
  }
}

extension RTMPURL {
  /// Scheme, host and port.
  fileprivate var server: String { "\(isSecure) \(host.lowercased()) \(port)" }
}
