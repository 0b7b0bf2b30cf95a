// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

extension ControlReply.Change {
  static let now = "now"
  static let nextStart = "at the next start (sudo systemctl restart onair)"

  /// Settings that `reload` takes over. All others count from the next start.
  private static let counted: Set<String> = [
    "publish.url", "publish.backup_url", "publish.ca_file", "publish.key", "publish.key_file",
    "video.bitrate_kbps", "network.min_kbps",
  ]

  /// What differs after a reload.
  /// - Parameters:
  ///   - taken: the settings of the last reload.
  ///   - started: the settings of the start, with which those that need a restart are compared.
  ///   - isElsewhere: the address, the key or a bit rate in force has changed.
  static func list(
    from taken: Configuration, startedWith started: Configuration, to new: Configuration,
    isElsewhere: Bool
  ) -> [ControlReply.Change] {
    let atOnce = differences(taken.settings, new.settings).filter(counted.contains)
    let later = differences(started.settings, new.settings).filter { !counted.contains($0) }
    var changes = atOnce.map { ControlReply.Change(key: $0, effect: now) }
    // The key's file may hold another key under the same name.
    if isElsewhere, changes.isEmpty {
      changes.append(ControlReply.Change(key: "publish.key", effect: now))
    }
    return changes + later.map { ControlReply.Change(key: $0, effect: nextStart) }
  }

  /// The keys of settings that are not the same, in the order of their declaration.
  private static func differences(_ a: Settings, _ b: Settings) -> [String] {
    var keys: [String] = []
    for (one, other) in zip(Mirror(reflecting: a).children, Mirror(reflecting: b).children) {
      let (ours, theirs) = (Mirror(reflecting: one.value), Mirror(reflecting: other.value))
      for (left, right) in zip(ours.children, theirs.children)
      where !isEqual(left.value, right.value) {
        keys.append("\(snakeCase(one.label ?? "")).\(snakeCase(left.label ?? ""))")
      }
    }
    return keys
  }

  private static func isEqual(_ a: Any, _ b: Any) -> Bool {
    guard let a = a as? any Equatable else { return true }
    func compare<Value: Equatable>(_ a: Value) -> Bool { (b as? Value) == a }
    return compare(a)
  }

  /// "bitrate_kbps" of "bitrateKbps".
  private static func snakeCase(_ name: String) -> String {
    String(name.flatMap { $0.isUppercase ? ["_", Character($0.lowercased())] : [$0] })
  }
}
