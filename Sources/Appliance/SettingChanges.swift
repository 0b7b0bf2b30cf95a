// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

extension ControlReply.Change {
  static let now = "now"
  static let overridden = "not while --set on the command line gives it a value"
  static let nextStart = "at the next start (sudo systemctl restart onair)"

  /// The changed settings after a reload.
  /// - Parameters:
  ///   - taken: the settings of the last reload.
  ///   - started: the settings of the start, with which those that need a restart are compared.
  ///   - isElsewhere: the effective address, stream key or bit rate has changed.
  static func list(
    from taken: Configuration, startedWith started: Configuration, to new: Configuration,
    isElsewhere: Bool
  ) -> [ControlReply.Change] {
    let atOnce = taken.settings.changes(to: new.settings).filter { $0.effect == .immediate }
    let later = started.settings.changes(to: new.settings).filter { $0.effect != .immediate }
    var changes = atOnce.map { ControlReply.Change(key: $0.key, effect: now) }
    // The key file may have a new key although its path has not changed.
    if isElsewhere, changes.isEmpty {
      changes.append(ControlReply.Change(key: "publish.key", effect: now))
    }
    return changes + later.map { ControlReply.Change(key: $0.key, effect: nextStart) }
  }
}

extension ControlReply {
  mutating func add(_ more: [Change]) {
    guard !more.isEmpty else { return }
    changes = (changes ?? []) + more
    sentence = changes?.map { "\($0.key): \($0.effect)." }.joined(separator: "\n")
  }
}
