// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// What a change that comes from elsewhere than the box may not do: name the files of the box.
  public func remoteProblems(of change: SettingsPatch) -> [Problem] {
    change.values.sorted { $0.key < $1.key }.compactMap { key, value in
      // What is removed takes its files with it.
      guard !(value == nil && isRemoved(sectionOf: key, by: change)) else { return nil }
      return fileProblem(key, value)
    }
  }

  /// Whether a change removes an entry of a list, or the address of `[publish]`.
  private func isRemoved(sectionOf key: String, by change: SettingsPatch) -> Bool {
    let section = sectionName(of: key)
    if case .flag(true)? = change.values["\(section).\(NamedList.removed)"] ?? nil { return true }
    let essential = Settings.list(of: key)?.essential ?? "url"
    let isInFile = entries.contains { $0.isInFile && $0.section == section }
    guard !isInFile, let value = change.values["\(section).\(essential)"] else { return false }
    return value == nil
  }
}
