// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// What a change that comes from elsewhere than the box may not do: name the files of the box.
  public func remoteProblems(of change: SettingsPatch) -> [Problem] {
    change.values.sorted { $0.key < $1.key }.compactMap { key, value in
      // A relay that is removed takes its files with it.
      guard !(value == nil && isRemoved(relayOf: key, by: change)) else { return nil }
      return fileProblem(key, value)
    }
  }

  private func isRemoved(relayOf key: String, by change: SettingsPatch) -> Bool {
    let section = key.split(separator: ".").dropLast().joined(separator: ".")
    if case .flag(true)? = change.values["\(section).removed"] ?? nil { return true }
    let isInFile = relays.contains { $0.isInFile && "relay.\($0.settings.name)" == section }
    guard !isInFile, let url = change.values["\(section).url"] else { return false }
    return url == nil
  }
}
