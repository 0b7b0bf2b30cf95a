// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

extension ControlReply.Change {
  static let now = Declaration.Effect.immediate.ofChange
  static let overridden = "kept, but not used while --set on the command line gives it a value"
  static let nextStart = Declaration.Effect.nextStart.ofChange

  init(_ value: SettingValue, effect: String) {
    let key = value.declaration.key
    self.init(key: key, effect: effect, sentence: Self.sentence(value, effect))
  }

  /// "video.size is now "640x360", from the settings file."
  private static func sentence(_ value: SettingValue, _ effect: String) -> String {
    let key = value.declaration.key
    if effect == overridden { return "\(key): \(effect)." }
    let time = effect == now ? "" : " \(effect)"
    if value.declaration.isSecret { return "\(key) has changed\(time)." }
    let source =
      switch value.origin {
      case .builtIn: ", the default"
      case .file: ", from the settings file"
      case .runTime, .commandLine: ""
      }
    return "\(key) \(effect == now ? "is now" : "will be") \(value.text)\(source)\(time)."
  }

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
    var effects = (changed.filter { $0.effect != .nextStart } + later).map {
      ($0.key, effect: $0.effect.ofChange)
    }
    // The key file may have a new key although its path has not changed.
    if isElsewhere, effects.allSatisfy({ $0.effect == nextStart }) {
      effects.insert(("publish.key", now), at: 0)
    }
    return effects.compactMap { key, effect in
      if Settings.list(of: key) != nil,
        !new.entries.contains(where: { key.hasPrefix($0.key("")) })
      {
        let words = key.split(separator: ".").prefix(2).joined(separator: " ")
        return ControlReply.Change(
          key: key, effect: effect, sentence: "The \(words) is removed.")
      }
      return new.values.first { $0.declaration.key == key }.map {
        ControlReply.Change($0, effect: effect)
      }
    }
  }
}

extension ControlReply {
  /// Says which settings of a change do not count because `--set` overrides them.
  mutating func noteOverridden(_ change: SettingsPatch, _ configuration: Configuration) {
    let overridden = configuration.values.filter {
      $0.origin == .commandLine && (change.values[$0.declaration.key] ?? nil) != nil
    }
    guard !overridden.isEmpty else { return }
    let changes =
      (changes ?? []) + overridden.map { Change($0, effect: Change.overridden) }
    self.changes = changes
    sentence = changes.map(\.sentence).joined(separator: "\n")
  }
}
