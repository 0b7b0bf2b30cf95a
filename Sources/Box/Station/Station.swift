// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Director
package import Events
internal import Figures
internal import Publish
package import Settings
package import Studio
internal import Synchronization

/// Why a command is refused.
package enum StationError: Error {
  case refused(CommandError)
  /// `publish.url` or the stream key is missing or invalid, with the reason.
  case noDestination(String)
  /// The settings, or a change of them, have mistakes: all of them. Nothing was taken.
  case mistakes([Problem])
  /// A change of settings cannot be saved, with a description. None of it was taken.
  case settingsNotSaved(String)
  /// A test of the connection runs already.
  case uplinkRuns
  /// The broadcast goes to the server of the settings.
  case hasNoOwnAddress
  case unknownRelay(String)
  case unfitRelayName
  case relayNameTaken(String)

  var code: String {
    switch self {
    case .refused(let refusal): refusal.rawValue
    case .noDestination: "no_destination"
    case .mistakes: "unfit_settings"
    case .settingsNotSaved: "settings_not_saved"
    case .uplinkRuns: "running"
    case .hasNoOwnAddress: "no_own_address"
    case .unknownRelay: "unknown_relay"
    case .unfitRelayName: "unfit_name"
    case .relayNameTaken: "name_taken"
    }
  }

  package var sentence: String {
    switch self {
    case .refused(let refusal): refusal.sentence
    case .noDestination(let sentence), .settingsNotSaved(let sentence): sentence
    case .mistakes(let problems):
      problems.map(\.description).joined(separator: "; ").replacing("\n", with: "; ")
    case .unknownRelay(let name):
      "There is no relay \"\(name.onOneLine.prefix(32))\"."
    case .unfitRelayName:
      "A relay needs a name of its own, \(RelaySettings.list.nameRule)."
    case .relayNameTaken(let name): "There is a relay \"\(name)\" already."
    case .hasNoOwnAddress:
      "This broadcast goes to the server of the settings: change publish.url and publish.key."
    case .uplinkRuns: "A test of the connection runs already: wait for its result."
    }
  }
}

/// Connects the director to the broadcast: commands from any thread take effect here, and twenty times a second the
/// director gets the present conditions. `SettingsDesk` changes its settings, `RelayKeeper` knows its relays.
package final class Station: Sendable {
  struct State {
    /// Where to publish to.
    var main: Result<BroadcastTarget, StationError>
    var director: Director
    /// What the broadcast has sent; `nil` off air.
    var tally: BroadcastTally?
    /// How long ago the broadcast began that goes on at the start of the program; `nil` for none.
    var earlierNanos: Int64?
    /// `nil` off air, and between the two parts of a restart.
    var broadcast: Broadcast?
    var settings: Settings
    var expiry: Expiry
    var outages = OutageRules()
    var health = HealthRules()
    /// Off air only because there was no server at the start, and no command has come since.
    var isStandIn: Bool
    /// When the broadcast was last supervised.
    var supervisedAt: MediaTime
    /// Part of an earlier broadcast hangs.
    var hasLeftBehind = false
    /// Where the present broadcast goes instead of to `main`, or the one that is about to begin.
    var once: OnceTarget?
    /// Its file may be on the disk.
    var mayHaveOnceFile: Bool
    /// The last test of the connection.
    var uplink: UplinkTest?
    /// The broadcast has to begin anew.
    var restarts = false
    /// The broadcast has been stopped, and has not ended yet. Another one may be wanted after it.
    var isEnding = false
    /// For how long the camera has been shown off air.
    var aiming = Aiming()
    /// Camera and microphone are open for the preview, or encoded packets are copied to it.
    var hasPreview = false
    /// `nil` while nobody looks off air.
    package var watch: Watch?
    /// What a person has to repair besides the broadcast.
    var repairs: Set<Repair> = []
    /// What follows the settings besides the broadcast.
    var followers: [any SettingsFollower] = []
    /// When the program is to begin anew, without anything that it knows.
    var resetAt: MediaTime?

    /// Whether there is a broadcast.
    var isOnAir: Bool { tally != nil }

    /// Where the broadcast goes.
    var target: Result<BroadcastTarget, StationError> { once.map { .success($0.plan) } ?? main }
    var hasNoServer: Bool { (try? target.get()) == nil }

    /// A warning that the address expires which the broadcast goes to, once.
    mutating func lookForExpiry(wallClock: Int64) -> Expiry.Report? {
      once == nil
        ? expiry.look(wallClock: wallClock) : once?.expiry.look(wallClock: wallClock)
    }
  }

  let store: IntentStore
  package let events: EventLog
  package let clock: MediaClock
  let state: Mutex<State>
  let startedAt: MediaTime
  package let studio: Studio
  /// Reads and writes small files: that may block, and a pause must not wait for a disk. `stop` joins it.
  package let jobs = JobThread(name: "disk", urgency: .request, mostWaiting: 256)
  let reports: StudioEvents
  let figureLog = FigureLog()
  let machine: Mutex<MachineMeter>
  /// Held while a command is done and reported, so that reports have the order of the commands.
  let reporting = Mutex(())
  /// Held while a broadcast starts, and while the file with an address of its own is written or removed.
  let onceFile = Mutex(())
  /// What was asked of the relays.
  let relayKeeper: RelayKeeper
  /// The state directory.
  let directory: String

  /// - Parameters:
  ///   - configuration: the settings of the start; `SettingsDesk` changes them.
  ///   - reload: checks the address of a broadcast that goes on at one of its own.
  ///   - root: a folder that stands for "/", for what the kernel tells of the machine.
  package init(
    configuration: Configuration, reload: SettingsReader, store: IntentStore, events: EventLog,
    root: String = ""
  ) {
    let settings = configuration.settings
    directory = configuration.stateDirectory
    self.store = store
    self.events = events
    machine = Mutex(MachineMeter(root: root))
    clock = events.clock
    startedAt = events.clock.now
    let reports = StudioEvents(settings, events: events)
    self.reports = reports
    studio = Studio(
      settings: settings, clock: events.clock, stateDirectory: configuration.stateDirectory
    ) { reports.take($0) }
    let main = Station.main(configuration)
    var intent = Station.intent(settings.publish.autostart, saved: store.found)
    var isStandIn = false
    var once: OnceTarget?
    do throws(StationError) {
      let goesOn = intent.broadcast != .off && store.found.broadcast != .off
      once = goesOn ? try OnceTarget.saved(configuration, reload) : nil
    } catch {
      events.note(.error, "Off air: \(error.sentence)", code: error.code)
      intent = Intent()
    }
    if store.found.broadcast == .off { OnceDestination.remove(directory, events) }
    if intent.broadcast != .off, once == nil, case .failure(let fault) = main {
      // Not saved: once the settings are right, the next start goes on with the saved intent.
      events.note(.error, "Off air: \(fault.sentence)", code: fault.code)
      intent = Intent()
      isStandIn = true
    } else if intent != store.found {
      store.save(intent)
    }
    relayKeeper = RelayKeeper(
      configuration, wasOff: store.found.broadcast == .off, isOff: intent.broadcast == .off,
      isOnce: once != nil, events: events, jobs: jobs)
    var repairs: Set<Repair> = configuration.standIn == nil ? [] : [.settingsFile]
    if configuration.isRunTimeUnreadable { repairs.insert(.keptSettings) }
    state = Mutex(
      State(
        main: main,
        director: Director(
          intent: intent, conditions: Conditions(repair: .first(of: repairs)),
          keepsAudio: settings.pause.sound == .keep),
        settings: settings, expiry: Expiry(configuration),
        isStandIn: isStandIn, supervisedAt: startedAt, once: once,
        mayHaveOnceFile: store.found.broadcast != .off, repairs: repairs))
    if intent.broadcast != .off, store.found.broadcast != .off {
      let age = Station.broadcastAge(directory, events.wallClock)
      state.withLock { $0.earlierNanos = age }
    }
    state.withLock { $0.followers = [studio, reports] }
  }

  /// The intent with which the program starts. A broadcast that was paused stays paused, whatever `autostart` says,
  /// unless it says `never`: then it is off.
  static func intent(_ autostart: Autostart, saved: Intent) -> Intent {
    switch autostart {
    case .resume: saved
    case .always: saved.broadcast == .off ? Intent(broadcast: .live) : saved
    case .never: Intent()
    }
  }

  /// The time for the director, which counts from the start.
  var now: Duration { .nanoseconds(clock.now - startedAt) }

  package var settings: Settings { state.withLock { $0.settings } }

  /// Off, live or paused, and muted.
  package var intent: Intent { state.withLock { $0.director.intent } }

  /// Whether the intent is on the disk, or could not be written.
  var isSettled: Bool { state.withLock { store.isSettled($0.director.intent) } }
}
