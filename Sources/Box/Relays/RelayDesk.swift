// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
internal import Publish
internal import Settings
internal import Studio

/// The relays of the settings, and what a person has requested of each for the present broadcast.
struct RelayDesk {
  /// What a person has requested of a relay by hand. It is valid until the broadcast ends.
  enum Hand: String, Codable {
    case on, off
    /// The connection is closed without a good-bye, so that the platform waits for the stream.
    case paused
  }

  /// A relay of the settings, and the address that it publishes to.
  struct Entry: Equatable {
    var name: String
    var isEnabled: Bool
    /// The server and the stream key; `nil` if there is no stream key, or the address cannot be used.
    var target: RTMPTarget?
    /// The address with the key masked: "rtmp://HOST/APP/***".
    var url: String
  }

  private(set) var entries: [Entry] = []
  private(set) var hands: [String: Hand] = [:]
  /// Whether the broadcast goes to an address of its own. Then only relays that a person starts by hand get the stream.
  var isOnce = false

  init(_ configuration: Configuration, hands: [String: Hand]) {
    self.hands = hands
    take(configuration)
  }

  /// Follows settings that have changed. If the setting `enabled` of a relay has changed, the request for that relay is
  /// forgotten, and the setting counts.
  mutating func take(_ configuration: Configuration) {
    let before = entries
    entries = configuration.relays.map { relay in
      Entry(
        name: relay.settings.name, isEnabled: relay.settings.enabled,
        target: relay.address.flatMap {
          try? RTMPTarget(
            $0, caFile: relay.settings.caFile, redirect: configuration.settings.publish.redirect)
        },
        url: relay.settings.url?.description ?? "")
    }
    if configuration.standIn?.source == .faultlessLines { entries = [] }
    hands = hands.filter { name, _ in
      guard let entry = entries.first(where: { $0.name == name }) else { return false }
      return before.first { $0.name == name }.map { $0.isEnabled == entry.isEnabled } ?? true
    }
  }

  /// Notes a request about one relay, or all.
  /// - Parameter name: `nil` for all relays.
  /// - Returns: the names of the relays for which something has changed; `nil` if there is no relay of this name.
  mutating func ask(_ action: RelayAction, of name: String?) -> [String]? {
    guard name == nil || entries.contains(where: { $0.name == name }) else { return nil }
    var changed: [String] = []
    for entry in entries where name == nil || entry.name == name {
      let now = hand(of: entry)
      let hand: Hand? =
        switch action {
        case .start: now == .on ? nil : .on
        case .stop: now == .off ? nil : .off
        case .pause: now == .on ? .paused : nil
        case .resume: now == .paused ? .on : nil
        }
      guard let hand else { continue }
      hands[entry.name] = hand
      changed.append(entry.name)
    }
    return changed
  }

  /// Forgets all requests, since a new broadcast begins.
  mutating func begin(isOnce: Bool) {
    self.isOnce = isOnce
    hands = [:]
  }

  func hand(of entry: Entry) -> Hand {
    hands[entry.name] ?? (entry.isEnabled && !isOnce ? .on : .off)
  }

  /// The destinations of the broadcast besides the main one: the relays that are on and have an address.
  var plans: [BroadcastTarget] {
    entries.compactMap { entry in
      guard hand(of: entry) == .on, let target = entry.target else { return nil }
      return BroadcastTarget(name: entry.name, target: target)
    }
  }
}

/// What a person may request of a relay.
public enum RelayAction: String, Sendable, CaseIterable {
  case start, stop, pause, resume

  package var past: String {
    switch self {
    case .start: "Started"
    case .stop: "Stopped"
    case .pause: "Paused"
    case .resume: "Resumed"
    }
  }

  /// The names as part of a sentence: "the relay a", "the relays a, b".
  package static func words(_ names: [String]) -> String {
    "the relay\(names.count > 1 ? "s" : "") \(names.joined(separator: ", "))"
  }
}

extension RelayDesk {
  private static let file = StateFile<[String: Hand]>("relays.json", limit: 16_384)

  /// The requests that were saved before a power cut, by the name of the relay. If they cannot be read, all relays are
  /// off: a relay that a person has stopped must not begin again.
  static func savedHands(_ directory: String, of configuration: Configuration) -> [String: Hand] {
    do throws(PrivateFileError) {
      return try file.read(in: directory) ?? [:]
    } catch {
      let names = configuration.relays.map(\.settings.name)
      return Dictionary(uniqueKeysWithValues: names.map { ($0, .off) })
    }
  }

  /// Removes the saved requests of an earlier broadcast, if that is possible.
  static func forgetHands(_ directory: String) { try? file.remove(in: directory) }

  /// Saves the requests for a start after a power cut, or removes the file if there are none.
  func save(_ directory: String) throws(SystemError) {
    if hands.isEmpty { return try Self.file.remove(in: directory) }
    try Self.file.write(hands, in: directory)
  }
}
