// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Posix
internal import Publish
internal import Settings
internal import Studio
internal import Synchronization

// Relays: further servers that get the same stream.

extension Station {
  /// All relays of the settings.
  package var relays: [RelayStatus] { relays(state.withLock { $0 }) }

  func relays(_ state: State) -> [RelayStatus] {
    let now = clock.now
    let figures = state.broadcast?.relayFigures ?? []
    return state.relays.entries.map { entry in
      RelayStatus(
        entry, state.relays.hand(of: entry), figures.first { $0.name == entry.name }, now: now)
    }
  }

  /// Starts, stops, pauses or resumes one relay, or all, during a broadcast. A second time it changes nothing.
  ///
  /// What takes the stream from a relay counts at once, even if it cannot be saved.
  /// - Parameter name: `nil` for all.
  /// - Returns: the relays for which something has changed.
  /// - Throws: `.refused(.offAir)`, `.unknownRelay`, or `.settingsNotSaved` where it would be forgotten at a power cut.
  package func relay(
    _ action: RelayAction, _ name: String?, by origin: String
  ) throws(Fault) -> [String] {
    try withRelayFile { () throws(Fault) in
      var (desk, isOnAir) = state.withLock { ($0.relays, $0.director.intent.broadcast != .off) }
      guard isOnAir else { throw .refused(.offAir) }
      guard let changed = desk.ask(action, of: name) else { throw .unknownRelay(name ?? "") }
      guard !changed.isEmpty else { return [] }
      let isUrgent = action == .stop || action == .pause
      if isUrgent { take(action, name) }
      do throws(SystemError) {
        try desk.save(started.stateDirectory)
      } catch {
        let reason = "cannot be saved in \(started.stateDirectory) (\(error))"
        guard isUrgent else { throw .settingsNotSaved("That \(reason), and nothing has changed.") }
        events.note(
          .warning,
          "What was asked of the relays \(reason): they get the stream again after a power cut.")
      }
      if !isUrgent { take(action, name) }
      events.note(.notice, "\(action.past) \(RelayAction.words(changed)) \(origin).")
      return changed
    }
  }

  private func take(_ action: RelayAction, _ name: String?) {
    state.withLock { state in
      // The broadcast may have ended meanwhile.
      guard state.director.intent.broadcast != .off else { return }
      _ = state.relays.ask(action, of: name)
      followRelays(state)
    }
  }

  /// Publishes to the relays that are asked for.
  func followRelays(_ state: State) {
    let desk = state.relays
    state.broadcast?.relay(to: desk.plans) { name in
      // A platform waits for a relay that is paused.
      desk.entries.first { $0.name == name }.map { desk.hand(of: $0) } != .paused
    }
  }

  /// A new broadcast begins with the relays of the settings.
  func beginRelays(isOnce: Bool, _ state: inout State) {
    state.relays.begin(isOnce: isOnce)
    jobs.submit { [self] in
      _ = try? withRelayFile { () throws(Fault) in
        let desk = self.state.withLock { $0.relays }
        // What was asked meanwhile is kept.
        if desk.hands.isEmpty { try? desk.save(started.stateDirectory) }
        return []
      }
    }
  }

  /// Keeps what counts of what was asked of relays, after the settings have changed.
  func saveHands(before: [String: RelayDesk.Hand]) {
    _ = try? withRelayFile { () throws(Fault) in
      let desk = state.withLock { $0.relays }
      // A file that stays could only begin a relay again after a power cut that was ended.
      if desk.hands != before { try? desk.save(started.stateDirectory) }
      return []
    }
  }

  private func withRelayFile(_ body: () throws(Fault) -> [String]) throws(Fault) -> [String] {
    let outcome = relayFile.withLock { _ in Result { () throws(Fault) in try body() } }
    return try outcome.get()
  }
}
