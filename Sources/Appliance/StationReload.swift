// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Logging
internal import Publish
internal import RateControl
internal import Settings
internal import Studio
internal import Synchronization

extension Station {
  /// Reads the settings again. The address, the key and the bit rates take effect now, without a gap in capture; all
  /// others at the next start.
  func reloadSettings(by origin: String) throws(Fault) -> ControlReply {
    let outcome = taken.withLock { taken in
      Result { () throws(Fault) in try reloadSettings(&taken, by: origin) }
    }
    return try outcome.get()
  }

  private func reloadSettings(
    _ taken: inout Configuration, by origin: String
  ) throws(Fault) -> ControlReply {
    let configuration: Configuration
    do {
      configuration = try reload()
    } catch {
      throw .unfitSettings(error.description.replacing("\n", with: "; "))
    }
    let main = try Station.main(configuration).get()
    let hasChanged = reporting.withLock { _ in
      let (hasNewRate, isElsewhere) = state.withLock { state in
        (
          takeRates(configuration.settings, &state),
          takeDestination(main, configuration, &state)
        )
      }
      guard hasNewRate || isElsewhere else { return false }
      for warning in configuration.warnings { events.note(.warning, warning) }
      if hasNewRate {
        let kbps = state.withLock { $0.limits.targetKbps }
        events.note(.notice, "The video bit rate is at most \(kbps) kbit/s from now on, \(origin).")
      }
      if isElsewhere {
        events.note(.notice, "Publishing to \(main.target) from now on, \(origin).")
      }
      return true
    }
    let changes = ControlReply.Change.list(
      from: taken, startedWith: started, to: configuration, isElsewhere: hasChanged)
    taken = configuration
    guard hasChanged || !changes.isEmpty else {
      return ControlReply(changed: false, "Nothing has changed.", changes: [])
    }
    return ControlReply(
      changed: hasChanged, changes.map { "\($0.key): \($0.effect)." }.joined(separator: "\n"),
      changes: changes)
  }

  private func takeDestination(
    _ main: DestinationPlan, _ configuration: Configuration, _ state: inout State
  ) -> Bool {
    guard main != (try? state.main.get()) else { return false }
    state.main = .success(main)
    events.endTrouble(state.expiry.setting)
    state.expiry = Expiry(configuration)
    state.broadcast?.publish(main)
    if state.isStandIn {
      // Go on with the saved intent, as the next start would.
      state.isStandIn = false
      let intent = Station.intent(settings.publish.autostart, saved: store.found)
      if intent != store.found { store.save(intent) }
      state.director = Director(
        intent: intent, conditions: Conditions(),
        keepsAudio: settings.pause.sound == .keep)
    }
    return true
  }

  private func takeRates(_ settings: Settings, _ state: inout State) -> Bool {
    let limits = BitrateController.Limits(self.settings, rates: settings)
    guard limits != state.limits else { return false }
    state.limits = limits
    state.broadcast?.follow(limits)
    return true
  }
}
