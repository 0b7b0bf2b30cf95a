// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
public import Settings
internal import Studio
internal import Synchronization

/// A function that reads the settings file again, and overrides it with the settings that were set at run time.
public typealias SettingsReader =
  @Sendable (Configuration.RunTimeSource) throws(ConfigurationError) -> Configuration

/// Changes the settings while the program runs: on a request of the API, when the settings file is read again, and to
/// undo a change that broke something. The new settings are passed to `station`. Only one change is made at a time.
package final class SettingsDesk: Sendable {
  /// The station that follows changed settings.
  package let station: Station
  /// Reads the settings file again, and overrides it with run-time settings: with the saved ones, or with those that
  /// the caller passes.
  let read: SettingsReader
  /// The settings in force. The lock is held while settings are changed.
  let inForce: Mutex<Configuration>
  /// The settings at the start of the program.
  let started: Configuration
  /// Whether a copy of the settings is saved whenever they have no mistakes. A later start uses the copy if the
  /// settings file then has mistakes.
  let keepsCopy: Bool
  /// The change that is on trial, and is undone if it breaks something; `nil` for none.
  let trial = Mutex<SettingsTrial?>(nil)
  let events: EventLog

  /// - Parameters:
  ///   - station: a station that was made with `configuration`.
  ///   - keepsCopy: whether a copy of the settings is saved whenever they have no mistakes, for a later start at which
  ///     the settings file has mistakes.
  package init(
    _ station: Station, configuration: Configuration, reload: @escaping SettingsReader,
    keepsCopy: Bool = false
  ) {
    self.station = station
    self.keepsCopy = keepsCopy
    read = reload
    started = configuration
    inForce = Mutex(configuration)
    events = station.events
    if let standIn = configuration.standIn { report(standIn) }
    if configuration.isRunTimeUnreadable { reportUnreadableSettings() }
  }

  /// Reads the settings file again and puts its settings in force.
  package func reload(by origin: String) -> ControlReply {
    do throws(StationError) {
      return try readAgain(by: origin)
    } catch {
      return ControlReply(error)
    }
  }

  /// Does what `reload` does, but throws an error instead of returning a reply with the error.
  func readAgain(by origin: String) throws(StationError) -> ControlReply {
    try withInForce { inForce throws(StationError) in
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try read(.directory(started.stateDirectory))
      } catch {
        throw .mistakes(error.problems)
      }
      // Refuse settings without a usable server while a broadcast needs a server, or while the box waits for a server.
      // But accept them on a box with stand-in settings, whose settings file has mistakes: it waits for a correct file.
      if station.isAtMain || station.waitsForServer && inForce.standIn == nil {
        _ = try Station.main(configuration).get()
      }
      return putInForce(configuration, &inForce, repeatsPending: true, by: origin)
    }
  }

  /// Sets and unsets settings at run time: all that `change` names, or none. The change is saved, then put in force.
  /// The settings file is read again, too.
  /// - Returns: a reply with each setting that has changed, and when the change takes effect.
  /// - Throws: `.mistakes` with all mistakes, `.settingsNotSaved`, or `.noDestination` if a broadcast would lose its
  ///   server.
  package func change(
    _ change: SettingsPatch, by origin: String, isRemote: Bool = false
  ) throws(StationError) -> ControlReply {
    try self.change(by: origin, isRemote: isRemote) { _ in change }
  }

  /// Changes settings as `change(_:by:isRemote:)` does, with a change that depends on the settings in force.
  /// - Parameters:
  ///   - isRemote: whether the change comes from elsewhere than the box. A remote change may not name files of the box,
  ///     nor send the stream key to a server that the key was not given for.
  ///   - make: receives the settings in force, and returns the change.
  package func change(
    by origin: String, isRemote: Bool,
    _ make: (Configuration) throws(StationError) -> SettingsPatch
  ) throws(StationError) -> ControlReply {
    try withInForce { inForce throws(StationError) in
      let change = inForce.keepingCover(try make(inForce))
      var configuration = try preview(change, of: inForce, isRemote: isRemote)
      do throws(SystemError) {
        configuration.unusedRunTime = inForce.unusedRunTime.removing(change)
        try configuration.runTime.adding(configuration.unusedRunTime).save(
          in: started.stateDirectory, keepsOld: inForce.isRunTimeUnreadable)
      } catch {
        throw .settingsNotSaved(
          "The change cannot be saved in \(started.stateDirectory) (\(error)), and nothing has changed."
        )
      }
      if inForce.isRunTimeUnreadable { noteReadableSettings() }
      var reply = putInForce(configuration, &inForce, repeatsPending: false, by: origin)
      reply.noteOverridden(change, configuration)
      return reply
    }
  }

  /// Checks a change.
  /// - Returns: the settings that the change would lead to.
  func preview(
    _ change: SettingsPatch, of inForce: Configuration, isRemote: Bool
  ) throws(StationError) -> Configuration {
    let configuration: Configuration
    func load(_ layer: RunTimeSettings) throws(ConfigurationError) -> Configuration {
      try read(.given(layer))
    }
    do throws(ConfigurationError) {
      configuration =
        try isRemote
        ? inForce.previewRemote(change, load: load)
        : Configuration.preview(change, of: inForce.runTime, load: load)
    } catch {
      throw .mistakes(error.problems)
    }
    // Check only the images that this change names: the page has a change checked at each keystroke.
    let unfit = configuration.settings.unfitImages { change.values.keys.contains($0) }
    if !unfit.isEmpty {
      throw .mistakes(
        unfit.map {
          Problem(place: .change, key: $0.key, sentence: $0.reason, code: .unfitFile)
        })
    }
    if station.isWantedAtMain { _ = try Station.main(configuration).get() }
    return configuration
  }

  /// Calls `body` with the settings in force, which no other thread can change during the call.
  private func withInForce(
    _ body: (inout Configuration) throws(StationError) -> ControlReply
  ) throws(StationError) -> ControlReply {
    let outcome = inForce.withLock { inForce in
      Result { () throws(StationError) in try body(&inForce) }
    }
    return try outcome.get()
  }

  /// Puts a configuration in force, reports the settings that have changed, and returns the reply about them.
  private func putInForce(
    _ configuration: Configuration, _ inForce: inout Configuration, repeatsPending: Bool,
    by origin: String
  ) -> ControlReply {
    for warning in configuration.warnings where !inForce.warnings.contains(warning) {
      events.note(.warning, warning)
    }
    let before = inForce
    func list(isServerChanged: Bool) -> [ControlReply.Change] {
      ControlReply.Change.list(
        from: before, startedWith: started, to: configuration, repeatsPending: repeatsPending,
        isServerChanged: isServerChanged)
    }
    func report(_ changes: [ControlReply.Change]) -> Bool {
      let keys = changes.filter { !$0.waitsForStart }.map(\.key)
      guard !keys.isEmpty else { return false }
      events.report(
        .settingsChanged,
        "Changed settings, \(origin): \(before.changes(in: keys, to: configuration)).")
      return true
    }
    // Report the change before its effects. Only a new stream key in an unchanged file is known later.
    let isReported = report(list(isServerChanged: false))
    let changes = list(isServerChanged: station.follow(configuration, by: origin))
    let isChanged = isReported || report(changes)
    reportMistakes(configuration.standIn, before: inForce.standIn)
    inForce = configuration
    keepCopy(of: configuration)
    guard !changes.isEmpty else {
      return ControlReply(changed: false, "Nothing has changed.", changes: [])
    }
    return ControlReply(
      changed: isChanged, changes.map(\.sentence).joined(separator: "\n"),
      changes: changes)
  }
}
