// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
internal import Studio
internal import Synchronization

// Relays: further servers that get the same stream.

extension Station {
  /// The state of all relays of the settings.
  package var relays: [RelayStatus] { relays(state.withLock { $0 }) }

  /// The state of all relays of the settings, from a copy of the station's state.
  func relays(_ state: State) -> [RelayStatus] {
    let now = clock.now
    let figures = state.broadcast?.relayFigures ?? []
    let desk = relayKeeper.desk
    return desk.entries.map { entry in
      RelayStatus(
        entry, desk.wantedState(of: entry), figures.first { $0.name == entry.name }, now: now)
    }
  }

  /// Starts, stops, pauses or resumes one relay, or all, during a broadcast. Repeating a request changes nothing.
  /// - Parameter name: `nil` for all relays.
  /// - Returns: the names of the relays for which something has changed.
  /// - Throws: `.refused(.offAir)`, or an error of `RelayKeeper.perform`.
  package func relay(
    _ action: RelayAction, _ name: String?, by origin: String
  ) throws(StationError) -> [String] {
    guard intent.broadcast != .off else { throw .refused(.offAir) }
    return try relayKeeper.perform(action, of: name, by: origin) { apply in
      state.withLock { state in
        guard state.director.intent.broadcast != .off else { return }
        apply()
        followRelays(state)
      }
    }
  }

  /// Makes the broadcast publish to the relays that are on, and to no others.
  func followRelays(_ state: State) {
    let desk = relayKeeper.desk
    state.broadcast?.relay(to: desk.targets) { name in
      // Do not tell the server of a paused relay that the stream is over, so that its platform waits for the stream.
      desk.entries.first { $0.name == name }.map { desk.wantedState(of: $0) } != .paused
    }
  }
}
