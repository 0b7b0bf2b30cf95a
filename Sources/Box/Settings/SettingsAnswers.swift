// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Events
package import Settings
internal import Studio
internal import Synchronization

// Functions that carry out the requests of the API's routes about settings.

extension SettingsDesk {
  /// Changes settings. It may block while the files that the settings name are read.
  /// - Parameter isRemote: whether the change comes from elsewhere than the box; see `change`.
  package func answer(
    _ patch: SettingsPatch, by origin: String, isRemote: Bool = false
  ) -> ControlReply {
    do throws(StationError) {
      return try change(patch, by: origin, isRemote: isRemote)
    } catch {
      return ControlReply(error)
    }
  }

  /// Checks a change of settings without making it.
  package func check(_ patch: SettingsPatch, isRemote: Bool) -> ControlReply {
    do throws(StationError) {
      let inForce = inForce.withLock { $0 }
      _ = try preview(patch, of: inForce, isRemote: isRemote)
      return ControlReply(changed: false, "The change can be made.")
    } catch {
      return ControlReply(error)
    }
  }

  /// The paths of the image files that a change of settings names; empty if the change is not allowed.
  /// - Parameter isRemote: whether the change comes from a remote client, over TCP, which may change less.
  package func images(after patch: SettingsPatch, isRemote: Bool) -> [String] {
    let inForce = inForce.withLock { $0 }
    guard !isRemote || inForce.remoteProblems(of: patch).isEmpty else { return [] }
    let configuration = try? Configuration.preview(patch, of: inForce.runTime) {
      (layer) throws(ConfigurationError) in try read(.given(layer))
    }
    return (configuration?.settings.images ?? []).filter { patch.values.keys.contains($0.key) }
      .map(\.path)
  }

  /// The settings in force.
  package var configuration: Configuration { inForce.withLock { $0 } }

  /// Calls `body` with the settings in force, which cannot change during the call.
  package func withConfiguration<Failure: Error>(
    _ body: (Configuration) throws(Failure) -> Void
  ) throws(Failure) {
    let outcome = inForce.withLock { inForce in Result { () throws(Failure) in try body(inForce) } }
    try outcome.get()
  }

  /// Starts a broadcast to the address `once` instead of the server of the settings.
  package func answer(_ once: OnceDestination, by origin: String) -> ControlReply {
    do throws(StationError) {
      try station.refuseOnAir()
      try station.start(once: once, try once.checked(configuration, read), by: origin)
      return ControlReply(changed: true, "The broadcast begins, this once to another address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// Moves the present broadcast, which has an address given for it alone, to a new address.
  package func answer(movingTo once: OnceDestination, by origin: String) -> ControlReply {
    do throws(StationError) {
      try station.move(to: once, try once.checked(configuration, read), by: origin)
      return ControlReply(changed: true, "The broadcast goes on at the new address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// All settings and their values as JSON, without secrets.
  package var settingsList: [UInt8] {
    let inForce = inForce.withLock { $0 }
    let pending = started.settings.changes(to: inForce.settings).filter { $0.effect == .nextStart }
    return Array(Settings.json(inForce.values, pending: Set(pending.map(\.key))).utf8)
  }

  /// Adds an entry to a list of the settings, such as an overlay.
  /// - Parameters:
  ///   - name: the entry's name; with `nil` the box chooses a name, and the reply contains it.
  ///   - fields: the values of the entry's settings, by their names.
  package func add(
    _ name: String?, to list: NamedList, _ fields: NamedList.Fields, by origin: String,
    isRemote: Bool
  ) throws(StationError) -> ControlReply {
    var added = ""
    var reply = try change(by: origin, isRemote: isRemote) { (inForce) throws(StationError) in
      added = name ?? inForce.freeName(in: list, fields)
      guard list.isName(added) else { throw .unfitName(list) }
      if inForce.entries(of: list).contains(where: { $0.name == added }) {
        throw .nameTaken(list.entry(added))
      }
      return SettingsPatch(inForce.addition(of: added, to: list, fields))
    }
    if reply.ok { reply.name = added }
    return reply
  }

  /// Changes an entry of a list of the settings.
  /// - Parameter make: receives the present entry, and returns the change of the settings.
  package func change(
    _ name: String, in list: NamedList, by origin: String, isRemote: Bool,
    _ make: (ListEntry) throws(StationError) -> [String: SettingsPatch.Value?]
  ) throws(StationError) -> ControlReply {
    try change(by: origin, isRemote: isRemote) { (inForce) throws(StationError) in
      let entries = inForce.entries(of: list)
      guard let entry = entries.first(where: { $0.name == name }) else {
        let meant = Settings.nearestWord(to: name, among: entries.map(\.name))
        throw .unknownEntry(list.entry(name), meant: meant)
      }
      return SettingsPatch(try make(entry))
    }
  }

  /// The entries of a list of the settings as JSON, as `GET /api/overlays` answers it.
  /// - Parameters:
  ///   - on: the code for the state of an entry that is enabled and works.
  ///   - off: the code for the state of an entry that is not enabled.
  package func list(_ list: NamedList, on: String, off: String) -> [UInt8] {
    let troubles = events.troubles
    let json = configuration.json(of: list) { entry, isEnabled in
      if !isEnabled { return (off, nil) }
      let subjects = [entry.section, entry.key("")]
      if let trouble = troubles.first(where: {
        $0.subject == subjects[0] || $0.subject.hasPrefix(subjects[1])
      }) {
        return ("unusable", trouble.sentence)
      }
      return (station.studio.isDue(entry.section) ? on : "waiting", nil)
    }
    return Array(json.utf8)
  }
}
