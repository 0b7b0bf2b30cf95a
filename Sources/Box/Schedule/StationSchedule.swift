// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Events
internal import Schedule
internal import Settings
internal import Synchronization

// What the schedule needs of the station.

extension Station {
  /// The number of the broadcast that is requested: each start has another one; `nil` off air.
  var broadcastNumber: Int? {
    state.withLock { $0.director.intent.broadcast == .off ? nil : $0.broadcastNumber }
  }

  /// The intent with which the program starts if the schedule had begun the broadcast of the last run.
  static func intent(
    _ autostart: Autostart, saved: Intent, _ resumption: Timetable.Resumption?
  ) -> Intent {
    switch resumption {
    case .goesOn: saved
    case .held: Intent()
    case .over: autostart == .always ? Intent(broadcast: .live) : Intent()
    case .stopped, nil: intent(autostart, saved: saved)
    }
  }

  /// Goes on with the broadcast of the last run, which waited for the clock.
  func resumeHeld(
    _ configuration: Configuration, _ reload: SettingsReader
  ) throws(StationError) {
    let once = try OnceTarget.saved(configuration, reload)
    if once == nil { _ = try Station.main(configuration).get() }
    relayKeeper.resume(configuration)
    state.withLock { state in
      guard state.isHeld else { return }
      (state.isHeld, state.once) = (false, once)
      state.broadcastNumber += 1
      state.director = Director(
        intent: store.lastRunIntent, conditions: Conditions(repair: .first(of: state.repairs)),
        pause: PausePlan(state.settings))
      present(state)
    }
  }

  /// Forgets the broadcast of the last run, which waited for the clock.
  func forgetHeld() {
    state.withLock { state in
      guard state.isHeld else { return }
      state.isHeld = false
      store.save(state.director.intent)
      guestDesk.endBroadcast()
    }
  }
}
