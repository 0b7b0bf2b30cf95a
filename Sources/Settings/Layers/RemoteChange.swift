// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// The settings that name a file with secrets or certificates: whoever may set them could have any file read.
  private static func isOwnFile(_ key: String) -> Bool {
    (key.hasPrefix("publish.") || key.hasPrefix("\(RelaySettings.section)."))
      && (key.hasSuffix(".key_file") || key.hasSuffix(".ca_file"))
  }

  /// What a change that comes from elsewhere than the box may not do: name the files of the box.
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
    return problems
  }

  private func isRemoved(relayOf key: String, by change: SettingsPatch) -> Bool {
    let section = key.split(separator: ".").dropLast().joined(separator: ".")
    if case .flag(true)? = change.values["\(section).removed"] ?? nil { return true }
    let isInFile = relays.contains { $0.isInFile && "relay.\($0.settings.name)" == section }
    guard !isInFile, let url = change.values["\(section).url"] else { return false }
    return url == nil
  }
}
