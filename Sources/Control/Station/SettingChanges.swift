// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

extension ControlReply.Change {
  static let now = "now"
  static let overridden = "kept, but not used while --set on the command line gives it a value"
  static let nextBroadcast = "with the next broadcast"
  static let nextStart = "at the next start (sudo systemctl restart onair)"

  /// The changed settings after a reload.
  /// - Parameters:
  ///   - taken: the settings of the last reload.
  ///   - started: the settings of the start, with which those that need a restart are compared.
  ///   - repeatsPending: also names earlier changes that wait for a restart.
  ///   - isElsewhere: the effective address, stream key or bit rate has changed.
  static func list(
    from taken: Configuration, startedWith started: Configuration, to new: Configuration,
    repeatsPending: Bool, isElsewhere: Bool
  ) -> [ControlReply.Change] {
    let changed = taken.settings.changes(to: new.settings)
    let later = (repeatsPending ? started.settings.changes(to: new.settings) : changed)
      .filter { $0.effect == .nextStart }
    var changes = changed.filter { $0.effect != .nextStart }.map {
      ControlReply.Change(key: $0.key, effect: $0.effect == .immediate ? now : nextBroadcast)
    }
    // The key file may have a new key although its path has not changed.
    if isElsewhere, changes.isEmpty {
      changes.append(ControlReply.Change(key: "publish.key", effect: now))
    }
    return changes + later.map { ControlReply.Change(key: $0.key, effect: nextStart) }
  }
}

extension ControlReply {
  /// Says which settings of a change do not count because `--set` overrides them.
  mutating func noteOverridden(_ change: SettingsPatch, _ configuration: Configuration) {
    let overridden = configuration.values.filter {
      $0.origin == .commandLine && change.values.keys.contains($0.declaration.key)
    }
    changes =
      (changes ?? [])
      + overridden.map { Change(key: $0.declaration.key, effect: Change.overridden) }
    guard !overridden.isEmpty, let changes else { return }
    sentence = changes.map { "\($0.key): \($0.effect)." }.joined(separator: "\n")
  }
}
