// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Names a setting whose value differs between two configurations. Contains no values, since some are secret.
public struct SettingChange: Sendable, Equatable {
  /// The key of the setting, for example "video.size".
  public let key: String
  /// When the changed value takes effect.
  public let effect: Declaration.Effect
}

extension Settings {
  /// The settings whose values differ in `new`: first those of list entries such as relays, then all others in the
  /// order of the declarations. A stream key that changes in a key file or a systemd credential is missing here, since
  /// no setting changes: compare `Configuration.destination` for that.
  public func changes(to new: Settings) -> [SettingChange] {
    Settings.lists.flatMap { changes(in: $0, to: new) }
      + Settings.declarations
      .filter { !isSame(values[$0.key], new.values[$0.key]) }
      .map { SettingChange(key: $0.key, effect: effect(of: $0, in: new)) }
  }

  /// The settings of a list whose values differ in `new`. A new entry yields its settings that differ from their
  /// defaults. An entry that `new` does not have yields only its essential setting, such as the URL of a relay.
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

  /// When a change of a setting takes effect. A running broadcast cannot gain or lose its video or audio track, so a
  /// source that changes to or from "none" takes effect with the next broadcast.
  private func effect(of declaration: Declaration, in new: Settings) -> Declaration.Effect {
    switch declaration.key {
    case "video.source" where (video.source == .none) != (new.video.source == .none),
      "audio.source" where (audio.source == .none) != (new.audio.source == .none):
      .nextBroadcast
    default: declaration.effect
    }
  }
}
