// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Configuration {
  /// The settings in a change that a remote client (one that connects over TCP) may not set, as problems: such a client
  /// must not name files of the box, except files in the media folder and camera devices, nor set values that are left
  /// to whoever is at the box.
  public func remoteProblems(of change: SettingsPatch) -> [Problem] {
    change.values.sorted { $0.key < $1.key }.compactMap { key, value in
      // A remote client may unset a setting that names a file if the change removes the whole section of the setting.
      guard !(value == nil && isRemoved(sectionOf: key, by: change)) else { return nil }
      return fileProblem(key, value) ?? boxOnlyProblem(key, value)
    }
  }

  /// Why a remote client may not set `key` to `value`, which is left to whoever is at the box; `nil` if the client may.
  private func boxOnlyProblem(_ key: String, _ value: SettingsPatch.Value?) -> Problem? {
    guard let text = value?.raw.asText, !hasValue(key, text),
      Settings.declaration(of: key)?.boxOnly.contains(text) ?? false
    else { return nil }
    return Problem(
      place: .change, key: key,
      sentence:
        "can be \(quoted(text)) only if it is set on the box, with \"onair set\" or in the settings file",
      code: .boxOnly)
  }

  /// Whether a change removes the section of `key`: an entry of a list, or the server of `[publish]`.
  private func isRemoved(sectionOf key: String, by change: SettingsPatch) -> Bool {
    let section = sectionName(of: key)
    if case .flag(true)? = change.values["\(section).\(NamedList.removed)"] ?? nil { return true }
    let essential = Settings.list(of: key)?.essential ?? "url"
    let isInFile = entries.contains { $0.isInFile && $0.section == section }
    guard !isInFile, let value = change.values["\(section).\(essential)"] else { return false }
    return value == nil
  }
}
