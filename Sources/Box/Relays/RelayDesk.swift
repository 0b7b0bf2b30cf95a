// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
internal import Publish
internal import Settings
internal import Studio

/// The relays of the settings (further servers that get the same stream), and the state that a person has requested of
/// each for the present broadcast.
struct RelayDesk {
  /// The state of a relay that a person has requested by hand. The request is valid until the broadcast ends.
  enum WantedState: String, Codable {
    case on, off
    /// The connection is closed, but the server is not told that the stream is over, so the platform waits for it.
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
    /// What the relay gets.
    var program = RelayProgram.programme
  }

  /// The relays of the settings, enabled or not.
  private(set) var entries: [Entry] = []
  /// The states that people have requested by hand, keyed by the name of the relay.
  private(set) var requests: [String: WantedState] = [:]
  /// Whether the broadcast goes to an address that was given for it alone, not to the server of the settings. Then only
  /// relays that a person starts by hand get the stream.
  var hasOwnAddress = false

  init(_ configuration: Configuration, requests: [String: WantedState]) {
    self.requests = requests
    apply(configuration)
  }

  /// Applies changed settings. If the setting `enabled` of a relay has changed, the request for that relay is
  /// forgotten, and the setting counts.
  mutating func apply(_ configuration: Configuration) {
    let before = entries
    entries = configuration.relays.map { relay in
      Entry(
        name: relay.settings.name, isEnabled: relay.settings.enabled,
        target: relay.address.flatMap {
          try? RTMPTarget(
            $0, caFile: relay.settings.caFile, redirect: configuration.settings.publish.redirect)
        },
        url: relay.settings.url?.description ?? "", program: relay.settings.program)
    }
    if configuration.standIn?.source == .faultlessLines { entries = [] }
    requests = requests.filter { name, _ in
      guard let entry = entries.first(where: { $0.name == name }) else { return false }
      return before.first { $0.name == name }.map { $0.isEnabled == entry.isEnabled } ?? true
    }
  }

  /// Stores a request by hand about one relay, or about all.
  /// - Parameter name: `nil` for all relays.
  /// - Returns: the names of the relays for which something has changed; `nil` if there is no relay of this name.
  mutating func request(_ action: RelayAction, of name: String?) -> [String]? {
    guard name == nil || entries.contains(where: { $0.name == name }) else { return nil }
    var changed: [String] = []
    for entry in entries where name == nil || entry.name == name {
      let now = wantedState(of: entry)
      let wanted: WantedState? =
        switch action {
        case .start: now == .on ? nil : .on
        case .stop: now == .off ? nil : .off
        case .pause: now == .on ? .paused : nil
        case .resume: now == .paused ? .on : nil
        }
      guard let wanted else { continue }
      requests[entry.name] = wanted
      changed.append(entry.name)
    }
    return changed
  }

  /// Forgets all requests, since a new broadcast begins.
  mutating func forgetRequests(hasOwnAddress: Bool) {
    self.hasOwnAddress = hasOwnAddress
    requests = [:]
  }

  /// The state that a relay should have: as requested by hand, otherwise as the settings say.
  func wantedState(of entry: Entry) -> WantedState {
    requests[entry.name] ?? (entry.isEnabled && !hasOwnAddress ? .on : .off)
  }

  /// The destinations of the broadcast besides the main server: the relays that are on and have an address.
  var targets: [BroadcastTarget] {
    entries.compactMap { entry in
      guard wantedState(of: entry) == .on, let target = entry.target else { return nil }
      return BroadcastTarget(
        name: entry.name, target: target, isCamera: entry.program == .camera)
    }
  }
}

/// The states that a person may request of a relay.
public enum RelayAction: String, Sendable, CaseIterable {
  case start, stop, pause, resume

  /// The action in the past tense, for the log.
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
  /// The file in the state directory with the requests by hand, keyed by the name of the relay.
  private static let file = StateFile<[String: WantedState]>("relays.json", limit: 16_384)

  /// The requests that were saved before a power cut, keyed by the name of the relay. If the file cannot be read, all
  /// relays are off: a relay that a person has stopped must not begin again.
  static func savedRequests(
    _ directory: String, of configuration: Configuration
  ) -> [String: WantedState] {
    do throws(PrivateFileError) {
      return try file.read(in: directory) ?? [:]
    } catch {
      let names = configuration.relays.map(\.settings.name)
      return Dictionary(uniqueKeysWithValues: names.map { ($0, .off) })
    }
  }

  /// Removes the saved requests of an earlier broadcast. A failure is ignored.
  static func removeSavedRequests(_ directory: String) { try? file.remove(in: directory) }

  /// Saves the requests by hand, so that they survive a power cut, or removes the file if there are none.
  func save(_ directory: String) throws(SystemError) {
    if requests.isEmpty { return try Self.file.remove(in: directory) }
    try Self.file.write(requests, in: directory)
  }
}
