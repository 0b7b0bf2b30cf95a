// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A setting whose value differs between two configurations. It contains no values, since some are secret.
public struct SettingChange: Sendable, Equatable {
  /// "video.size".
  public let key: String
  public let effect: Declaration.Effect
}

extension Settings {
  /// The settings whose values differ, in the order of the declarations, those of lists first. A changed stream key in a
  /// file or a systemd credential is not a changed setting: compare `Configuration.destination`.
  public func changes(to new: Settings) -> [SettingChange] {
    Settings.lists.flatMap { changes(in: $0, to: new) }
      + Settings.declarations
      .filter { !isSame(values[$0.key], new.values[$0.key]) }
      .map { SettingChange(key: $0.key, effect: effect(of: $0, in: new)) }
  }

  /// Of an entry that is new those settings have changed that are not their defaults, and of one that is gone the essential
  /// one.
  private func changes(in list: NamedList, to new: Settings) -> [SettingChange] {
    let (old, all) = (values.names(in: list), new.values.names(in: list))
    return all.union(old).sorted().flatMap { name in
      let entry = list.entry(name)
      guard all.contains(name) else {
        return [SettingChange(key: entry.key(list.essential), effect: .immediate)]
      }
      return list.declarations.compactMap { declaration -> SettingChange? in
        let key = entry.key(declaration.name)
        let before = old.contains(name) ? values[key] : list.defaults[declaration.key]
        return isSame(before, new.values[key])
          ? nil : SettingChange(key: key, effect: declaration.effect)
      }
    }
  }

  /// A broadcast keeps having video, or audio, or not.
  private func effect(of declaration: Declaration, in new: Settings) -> Declaration.Effect {
    switch declaration.key {
    case "video.source" where (video.source == .none) != (new.video.source == .none),
      "audio.source" where (audio.source == .none) != (new.audio.source == .none):
      .nextBroadcast
    default: declaration.effect
    }
  }
}
