// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

extension ControlReply.Change {
  /// Describes a changed setting for the reply to a command.
  /// - Parameter effect: when the change takes effect; `nil` while `--set` on the command line overrides the setting.
  init(_ value: SettingValue, _ effect: Declaration.Effect?) {
    self.init(value.declaration.key, effect, sentence: Self.sentence(value, effect))
  }

  private init(_ key: String, _ effect: Declaration.Effect?, sentence: String) {
    self.init(
      key: key, effect: effect?.apiText ?? Self.overridden,
      counts: effect?.rawValue ?? "overridden", sentence: sentence)
  }

  /// The text for the user about a changed setting that `--set` on the command line overrides. It stands where other
  /// changes have the time at which they take effect.
  private static let overridden =
    "kept, but not used while --set on the command line gives it a value"

  /// Whether the change takes effect only at the next start of the program.
  var waitsForStart: Bool { counts == Declaration.Effect.nextStart.rawValue }

  /// The change in words: "video.size is now "640x360", from the settings file."
  private static func sentence(_ value: SettingValue, _ effect: Declaration.Effect?) -> String {
    let key = value.declaration.key
    guard let effect else { return "\(key): \(overridden)." }
    let time = effect == .immediate ? "" : " \(effect.apiText)"
    if value.declaration.isSecret { return "\(key) has changed\(time)." }
    let source =
      switch value.origin {
      case .builtIn: ", the default"
      case .file: ", from the settings file"
      case .runTime, .commandLine: ""
      }
    let verb = effect == .immediate ? "is now" : "will be"
    return "\(key) \(verb) \(value.text)\(source)\(time)."
  }

  /// Lists the settings that a reload or a request has changed, for the reply.
  /// - Parameters:
  ///   - inForce: the settings in force before the change.
  ///   - started: the settings at the start of the program, to find all changes that wait for a restart.
  ///   - repeatsPending: whether earlier changes that still wait for a restart are listed, too.
  ///   - isServerChanged: whether the server or the stream key in force has changed.
  static func list(
    from inForce: Configuration, startedWith started: Configuration, to new: Configuration,
    repeatsPending: Bool, isServerChanged: Bool
  ) -> [ControlReply.Change] {
    let changed = inForce.settings.changes(to: new.settings)
    let later = (repeatsPending ? started.settings.changes(to: new.settings) : changed)
      .filter { $0.effect == .nextStart }
    var effects = (changed.filter { $0.effect != .nextStart } + later).map {
      ($0.key, effect: $0.effect)
    }
    // The file with the stream key may contain a new key although the setting with its path has not changed.
    if isServerChanged, effects.allSatisfy({ $0.effect == .nextStart }) {
      effects.insert(("publish.key", .immediate), at: 0)
    }
    return effects.compactMap { key, effect in
      if Settings.list(of: key) != nil,
        !new.entries.contains(where: { key.hasPrefix($0.key("")) })
      {
        let words = key.split(separator: ".").prefix(2).joined(separator: " ")
        return ControlReply.Change(key, effect, sentence: "The \(words) is removed.")
      }
      return new.values.first { $0.declaration.key == key }.map {
        ControlReply.Change($0, effect)
      }
    }
  }
}

extension Configuration {
  /// The settings that have changed, for the event: "video.size, overlay.logo.enabled off; added relay.second; removed
  /// filter.blur". A switch is given with its new state; an entry that was added or removed, only as its section.
  func changes(in keys: [String], to new: Configuration) -> String {
    let (before, after) = (Set(entries.map(\.section)), Set(new.entries.map(\.section)))
    let moved = before.symmetricDifference(after)
    let states = ["true": " on", "false": " off"]
    let others = keys.filter { key in !moved.contains { key.hasPrefix("\($0).") } }
      .map { key in
        key + (new.values.first { $0.declaration.key == key }.flatMap { states[$0.text] } ?? "")
      }
    return [
      ("", others), ("added ", after.subtracting(before).sorted()),
      ("removed ", before.subtracting(after).sorted()),
    ]
    .filter { !$0.1.isEmpty }
    .map { $0.0 + $0.1.joined(separator: ", ") }
    .joined(separator: "; ")
  }
}

extension ControlReply {
  /// Adds to the reply which settings of a change are not used, since `--set` on the command line overrides them.
  mutating func noteOverridden(_ change: SettingsPatch, _ configuration: Configuration) {
    let overridden = configuration.values.filter {
      $0.origin == .commandLine && (change.values[$0.declaration.key] ?? nil) != nil
    }
    guard !overridden.isEmpty else { return }
    let changes =
      (changes ?? []) + overridden.map { Change($0, nil) }
    self.changes = changes
    sentence = changes.map(\.sentence).joined(separator: "\n")
  }
}
