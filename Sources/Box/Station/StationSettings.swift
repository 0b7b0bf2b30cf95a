// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Events
package import Settings
internal import Studio
internal import Synchronization

// How the station follows new settings from `SettingsDesk`.

extension Station {
  /// Whether a broadcast to the main server, the one in the settings, is under way. Settings without a usable server
  /// are then refused.
  var isAtMain: Bool { state.withLock { $0.isOnAir && $0.once == nil } }
  /// Whether a broadcast to the main server is requested. Settings without a usable server are then refused.
  var isWantedAtMain: Bool {
    state.withLock { $0.director.intent.broadcast != .off && $0.once == nil }
  }

  /// Whether the box is off air only because the settings had no server at the start.
  var waitsForServer: Bool { state.withLock { $0.isOffWithoutServer } }

  /// Applies a new configuration without a gap in capture.
  /// - Parameter origin: who has changed the settings, for the log: "from the page".
  /// - Returns: whether the streaming server that the settings name, or its stream key, has changed.
  func follow(_ configuration: Configuration, by origin: String) -> Bool {
    let main = Station.main(configuration)
    let requests = relayKeeper.desk.requests
    let isServerChanged = reporting.withLock { _ in
      let (isServerChanged, kbps) = state.withLock { state in
        let before = state.settings
        apply(configuration.settings, &state)
        applyRelays(configuration, &state)
        let isNewRate = before.video.targetKbps != state.settings.video.targetKbps
        return (
          applyDestination(main, configuration, &state),
          isNewRate ? state.settings.video.targetKbps : nil
        )
      }
      guard kbps != nil || isServerChanged else { return false }
      if let kbps {
        events.note(.notice, "The video bit rate is at most \(kbps) kbit/s from now on, \(origin).")
      }
      if isServerChanged, let target = try? main.get().target {
        events.note(.notice, "The server is \(target) from now on, \(origin).")
      }
      return isServerChanged
    }
    relayKeeper.save(before: requests)
    return isServerChanged
  }

  /// Puts changed settings in force, for the broadcast and for all followers of the settings.
  private func apply(_ settings: Settings, _ state: inout State) {
    guard settings != state.settings else { return }
    state.settings = settings
    // First apply what decides whether viewers see the room or hear the microphone during a pause.
    state.director.setPause(PausePlan(settings))
    present(state)
    for follower in state.followers { follower.change(settings) }
    state.broadcast?.change(settings)
  }

  /// Registers a part of the program that follows the settings: `follower` gets the present settings at once, and every
  /// later change.
  package func add(_ follower: any SettingsFollower) {
    state.withLock { state in
      state.followers.append(follower)
      follower.change(state.settings)
    }
  }

  /// Makes the broadcast publish to the relays that new settings name.
  private func applyRelays(_ configuration: Configuration, _ state: inout State) {
    for subject in relayKeeper.apply(configuration) { events.endTrouble(subject) }
    followRelays(state)
  }

  /// Stores the main server of new settings. A broadcast that goes to the main server moves to the new one.
  /// Returns whether the server or the stream key has changed.
  private func applyDestination(
    _ new: Result<BroadcastTarget, StationError>, _ configuration: Configuration,
    _ state: inout State
  ) -> Bool {
    guard let main = try? new.get() else {
      let hadServer = !state.hasNoServer
      state.main = new
      return hadServer
    }
    guard main != (try? state.main.get()) else { return false }
    state.main = .success(main)
    events.endTrouble(state.expiry.subject)
    state.expiry = Expiry(configuration)
    if state.once == nil { state.broadcast?.publish(main) }
    if state.isOffWithoutServer {
      // Go on with the saved intent, as at a start of the program.
      state.isOffWithoutServer = false
      state.broadcastNumber += 1
      let intent = Station.intent(state.settings.publish.autostart, saved: store.lastRunIntent)
      if store.lastRunIntent.broadcast != .off { relayKeeper.resume(configuration) }
      if intent != store.lastRunIntent { store.save(intent) }
      state.director = Director(
        intent: intent, conditions: Conditions(repair: .first(of: state.repairs)),
        pause: PausePlan(state.settings))
    }
    return true
  }
}

extension PausePlan {
  init(_ settings: Settings) {
    let picture: Picture =
      switch settings.pause.picture {
      case .image: .image
      case .last: .last
      case .none: .none
      }
    let silenced: SilencedTracks =
      switch settings.pause.sound {
      case .mute: .all
      // The room stays audible, guests do not: they are no more heard than seen.
      case .keep where !settings.guests.isEmpty:
        .named(Set(settings.guests.map { GuestScene.track($0.name) }))
      case .keep: .none
      case .music: .allBut([SilencedTracks.music])
      }
    self.init(picture, silenced: silenced)
  }
}
