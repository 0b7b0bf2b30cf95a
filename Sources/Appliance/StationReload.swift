// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Logging
internal import Posix
internal import Publish
internal import RateControl
internal import Settings
internal import Studio
internal import Synchronization

extension Station {
  /// Reads the settings again and applies them. Each change counts when its declaration says so.
  func reloadSettings(by origin: String) throws(Fault) -> ControlReply {
    try changingSettings { (taken) throws(Fault) in
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try reload(.directory(started.stateDirectory))
      } catch {
        throw .unfitSettings(error.description.replacing("\n", with: "; "))
      }
      _ = try Station.main(configuration).get()
      return try take(configuration, &taken, by: origin)
    }
  }

  /// Sets and unsets settings at run time: all of them, or none. They are saved, then applied. The settings file is read
  /// again, too.
  /// - Returns: each setting that has changed, with when it counts.
  /// - Throws: `.mistakes` with all mistakes, `.settingsNotSaved`, or `.noDestination` if a broadcast would lose its
  ///   server.
  func change(_ change: Change, by origin: String) throws(Fault) -> ControlReply {
    try changingSettings { (taken) throws(Fault) in
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try Configuration.preview(change, of: taken.runTime) {
          (layer) throws(ConfigurationError) in try reload(.given(layer))
        }
      } catch {
        throw .mistakes(error.problems)
      }
      if intent.broadcast != .off { _ = try Station.main(configuration).get() }
      do throws(SystemError) {
        try configuration.runTime.save(in: started.stateDirectory)
      } catch {
        throw .settingsNotSaved(
          "The change cannot be saved in \(started.stateDirectory) (\(error)), and nothing has changed."
        )
      }
      var reply = try take(configuration, &taken, by: origin)
      let overridden = configuration.values.filter {
        $0.origin == .commandLine && change.values.keys.contains($0.declaration.key)
      }
      reply.add(
        overridden.map {
          .init(key: $0.declaration.key, effect: ControlReply.Change.overridden)
        })
      return reply
    }
  }

  /// One change at a time.
  private func changingSettings(
    _ body: (inout Configuration) throws(Fault) -> ControlReply
  ) throws(Fault) -> ControlReply {
    let outcome = taken.withLock { taken in
      Result { () throws(Fault) in try body(&taken) }
    }
    return try outcome.get()
  }

  private func take(
    _ configuration: Configuration, _ taken: inout Configuration, by origin: String
  ) throws(Fault) -> ControlReply {
    let main = Station.main(configuration)
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
      if isElsewhere, let main = try? main.get() {
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
    _ found: Result<DestinationPlan, Fault>, _ configuration: Configuration,
    _ state: inout State
  ) -> Bool {
    guard case .success(let main) = found else {
      defer { state.main = found }
      return !state.hasNoServer
    }
    guard main != (try? state.main.get()) else { return false }
    state.main = found
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
