// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Events
internal import Posix
package import Settings
internal import Studio
internal import Synchronization

// Settings that change while the program runs.

extension Station {
  /// Reads the settings again and follows them.
  func reloadSettings(by origin: String) throws(Fault) -> ControlReply {
    try withTaken { taken throws(Fault) in
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try reload(.directory(started.stateDirectory))
      } catch {
        throw .mistakes(error.problems)
      }
      // A broadcast needs a server, and a box that waits for one says what is missing, unless it waits for the file.
      let waits = taken.standIn == nil
      if state.withLock({ $0.isOnAir && $0.once == nil || $0.isStandIn && waits }) {
        _ = try Station.main(configuration).get()
      }
      return follow(configuration, &taken, repeatsPending: true, by: origin)
    }
  }

  /// Sets and unsets settings at run time: all of them, or none. They are saved, then followed. The settings file is
  /// read again, too.
  /// - Returns: each setting that has changed, with when it counts.
  /// - Throws: `.mistakes` with all mistakes, `.settingsNotSaved`, or `.noDestination` if a broadcast would lose its
  ///   server.
  package func change(
    _ change: SettingsPatch, by origin: String, isRemote: Bool = false
  ) throws(Fault) -> ControlReply {
    try self.change(by: origin, isRemote: isRemote) { _ in change }
  }

  /// The same for a change that depends on what the settings are.
  /// - Parameters:
  ///   - isRemote: it comes from elsewhere than the box, and must not send the stream key elsewhere.
  ///   - make: makes the change of the present settings.
  package func change(
    by origin: String, isRemote: Bool, _ make: (Configuration) throws(Fault) -> SettingsPatch
  ) throws(Fault) -> ControlReply {
    try withTaken { taken throws(Fault) in
      let change = try make(taken)
      var configuration = try preview(change, of: taken, isRemote: isRemote)
      do throws(SystemError) {
        configuration.unusedRunTime = taken.unusedRunTime.removing(change)
        try configuration.runTime.adding(configuration.unusedRunTime).save(
          in: started.stateDirectory, keepsOld: taken.isRunTimeUnreadable)
      } catch {
        throw .settingsNotSaved(
          "The change cannot be saved in \(started.stateDirectory) (\(error)), and nothing has changed."
        )
      }
      if taken.isRunTimeUnreadable { noteReadableSettings() }
      var reply = follow(configuration, &taken, repeatsPending: false, by: origin)
      reply.noteOverridden(change, configuration)
      return reply
    }
  }

  /// Checks a change.
  func preview(
    _ change: SettingsPatch, of taken: Configuration, isRemote: Bool
  ) throws(Fault) -> Configuration {
    let configuration: Configuration
    func load(_ layer: RunTimeSettings) throws(ConfigurationError) -> Configuration {
      try reload(.given(layer))
    }
    do throws(ConfigurationError) {
      configuration =
        try isRemote
        ? taken.previewFromElsewhere(change, load: load)
        : Configuration.preview(change, of: taken.runTime, load: load)
    } catch {
      throw .mistakes(error.problems)
    }
    // Only these: a change is checked at each key that a person types.
    let unfit = configuration.settings.unfitImages { change.values.keys.contains($0) }
    if !unfit.isEmpty {
      throw .mistakes(
        unfit.map {
          Problem(place: .change, key: $0.key, sentence: $0.reason, code: .unfitFile)
        })
    }
    if state.withLock({ $0.director.intent.broadcast != .off && $0.once == nil }) {
      _ = try Station.main(configuration).get()
    }
    return configuration
  }

  private func withTaken(
    _ body: (inout Configuration) throws(Fault) -> ControlReply
  ) throws(Fault) -> ControlReply {
    let outcome = taken.withLock { taken in
      Result { () throws(Fault) in try body(&taken) }
    }
    return try outcome.get()
  }

  /// Follows a configuration, without a gap in capture.
  private func follow(
    _ configuration: Configuration, _ taken: inout Configuration, repeatsPending: Bool,
    by origin: String
  ) -> ControlReply {
    let main = Station.main(configuration)
    let hands = state.withLock { $0.relays.hands }
    for warning in configuration.warnings where !taken.warnings.contains(warning) {
      events.note(.warning, warning)
    }
    let isElsewhere = reporting.withLock { _ in
      let (isElsewhere, kbps) = state.withLock { state in
        let before = state.settings
        take(configuration.settings, &state)
        takeRelays(configuration, &state)
        let isNewRate = before.video.targetKbps != state.settings.video.targetKbps
        return (
          takeDestination(main, configuration, &state),
          isNewRate ? state.settings.video.targetKbps : nil
        )
      }
      guard kbps != nil || isElsewhere else { return false }
      if let kbps {
        events.note(.notice, "The video bit rate is at most \(kbps) kbit/s from now on, \(origin).")
      }
      if isElsewhere, let target = try? main.get().target {
        events.note(.notice, "The server is \(target) from now on, \(origin).")
      }
      return isElsewhere
    }
    let changes = ControlReply.Change.list(
      from: taken, startedWith: started, to: configuration, repeatsPending: repeatsPending,
      isElsewhere: isElsewhere)
    let isChanged = changes.contains { $0.effect != ControlReply.Change.nextStart }
    if isChanged {
      let keys = changes.filter { $0.effect != ControlReply.Change.nextStart }.map(\.key)
        .joined(separator: ", ")
      events.report(.settingsChanged, "Changed settings, \(origin): \(keys).")
    }
    saveHands(before: hands)
    note(configuration.standIn, before: taken.standIn)
    taken = configuration
    keepCopy(of: configuration)
    guard !changes.isEmpty else {
      return ControlReply(changed: false, "Nothing has changed.", changes: [])
    }
    return ControlReply(
      changed: isChanged, changes.map(\.sentence).joined(separator: "\n"),
      changes: changes)
  }

  private func take(_ settings: Settings, _ state: inout State) {
    guard settings != state.settings else { return }
    state.settings = settings
    // What a pause hides changes first.
    state.director.setKeepsAudio(settings.pause.sound == .keep)
    present(state)
    studio.change(settings)
    state.broadcast?.change(settings)
    reports.change(settings)
  }

  private func takeRelays(_ configuration: Configuration, _ state: inout State) {
    state.relays.take(configuration)
    for subject in state.relayExpiries.take(configuration) { events.endTrouble(subject) }
    followRelays(state)
  }

  private func takeDestination(
    _ new: Result<DestinationPlan, Fault>, _ configuration: Configuration, _ state: inout State
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
    if state.isStandIn {
      // Go on with the saved intent, as the next start would.
      state.isStandIn = false
      let intent = Station.intent(state.settings.publish.autostart, saved: store.found)
      if store.found.broadcast != .off {
        let hands = RelayDesk.savedHands(started.stateDirectory, of: configuration)
        state.relays = RelayDesk(configuration, hands: hands)
      }
      if intent != store.found { store.save(intent) }
      state.director = Director(
        intent: intent, conditions: Conditions(repair: .first(of: state.repairs)),
        keepsAudio: state.settings.pause.sound == .keep)
    }
    return true
  }
}
