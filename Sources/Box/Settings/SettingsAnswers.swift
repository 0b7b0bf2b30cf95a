// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Settings
internal import Synchronization

// The settings as the API's routes see them.

extension SettingsDesk {
  /// Changes settings. It may block for as long as the files that they name.
  /// - Parameter isRemote: as in `change`.
  package func answer(
    _ patch: SettingsPatch, by origin: String, isRemote: Bool = false
  ) -> ControlReply {
    do throws(StationError) {
      return try change(patch, by: origin, isRemote: isRemote)
    } catch {
      return ControlReply(error)
    }
  }

  /// Checks a change of settings, and changes nothing.
  package func check(_ patch: SettingsPatch, isRemote: Bool) -> ControlReply {
    do throws(StationError) {
      let taken = taken.withLock { $0 }
      _ = try preview(patch, of: taken, isRemote: isRemote)
      return ControlReply(changed: false, "The change can be made.")
    } catch {
      return ControlReply(error)
    }
  }

  /// The images that a change of settings is about, once it was made; none if it may not be made.
  package func images(after patch: SettingsPatch, isRemote: Bool) -> [String] {
    let taken = taken.withLock { $0 }
    guard !isRemote || taken.remoteProblems(of: patch).isEmpty else { return [] }
    let configuration = try? Configuration.preview(patch, of: taken.runTime) {
      (layer) throws(ConfigurationError) in try read(.given(layer))
    }
    return (configuration?.settings.images ?? []).filter { patch.values.keys.contains($0.key) }
      .map(\.path)
  }

  /// The configuration that is in force.
  package var configuration: Configuration { taken.withLock { $0 } }

  /// Does something while the settings do not change.
  package func withConfiguration<Failure: Error>(
    _ body: (Configuration) throws(Failure) -> Void
  ) throws(Failure) {
    let outcome = taken.withLock { taken in Result { () throws(Failure) in try body(taken) } }
    try outcome.get()
  }

  /// Starts a broadcast to another address than that of the settings.
  package func answer(_ once: OnceDestination, by origin: String) -> ControlReply {
    do throws(StationError) {
      try station.refuseOnAir()
      try station.start(once: once, try once.plan(configuration, read), by: origin)
      return ControlReply(changed: true, "The broadcast begins, this once to another address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// Moves the present broadcast from its own address to another one.
  package func answer(movingTo once: OnceDestination, by origin: String) -> ControlReply {
    do throws(StationError) {
      try station.move(to: once, try once.plan(configuration, read), by: origin)
      return ControlReply(changed: true, "The broadcast goes on at the new address.")
    } catch {
      return ControlReply(error)
    }
  }

  /// All settings as JSON, without secrets.
  package var settingsList: [UInt8] {
    let taken = taken.withLock { $0 }
    let pending = started.settings.changes(to: taken.settings).filter { $0.effect == .nextStart }
    return Array(Settings.json(taken.values, pending: Set(pending.map(\.key))).utf8)
  }
}
