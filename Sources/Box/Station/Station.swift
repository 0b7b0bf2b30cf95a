// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Director
package import Events
internal import Figures
internal import Publish
internal import Schedule
package import Settings
package import Studio
internal import Synchronization

/// Why the station refuses a command or another request.
package enum StationError: Error {
  /// The command is possible only on air, or only off air; the value says which.
  case refused(CommandError)
  /// `publish.url` or the stream key is missing or cannot be used. The value is a sentence for the user.
  case noDestination(String)
  /// The settings, or a change of them, have mistakes. The value lists all of them, and nothing was changed.
  case mistakes([Problem])
  /// A change cannot be saved on the disk, so nothing was changed. The value is a sentence for the user.
  case settingsNotSaved(String)
  /// An uplink test is running already.
  case uplinkTestRuns
  /// A lip-sync measurement is running already.
  case lipSyncRuns
  /// The present broadcast goes to the server of the settings, so there is no address given for it alone that could be
  /// changed.
  case hasNoOwnAddress
  /// A list of the settings has no such entry. `meant` is the similar name that is probably meant; `nil` if there is
  /// none.
  case unknownEntry(ListEntry, meant: String?)
  /// A new entry of this list of the settings cannot have this name.
  case unfitName(NamedList)
  /// A list of the settings has an entry of this name already.
  case nameTaken(ListEntry)
  /// The given name is not allowed as the NAME of a placeholder `{api:NAME}` in text overlays. Allowed are 1 to 32
  /// letters, digits, "-" and "_".
  case unfitTextName
  /// The text that is to replace a placeholder `{api:NAME}` has too many characters, or control characters.
  case unfitText
  /// The API has already set `TextBoard.maxTexts` texts, the most that are kept. Each replaces a placeholder
  /// `{api:NAME}` in text overlays.
  case tooManyTexts

  /// The error as a code for programs.
  var code: String {
    switch self {
    case .refused(let refusal): refusal.rawValue
    case .noDestination: "no_destination"
    case .mistakes: "unfit_settings"
    case .settingsNotSaved: "settings_not_saved"
    case .uplinkTestRuns, .lipSyncRuns: "running"
    case .hasNoOwnAddress: "no_own_address"
    case .unknownEntry(let entry, _): "unknown_\(entry.list)"
    case .unfitName, .unfitTextName: "unfit_name"
    case .unfitText: "unfit_text"
    case .tooManyTexts: "too_many_texts"
    case .nameTaken: "name_taken"
    }
  }

  /// A sentence for the user: why the request is refused and, where possible, what to do.
  package var sentence: String {
    switch self {
    case .refused(let refusal): refusal.sentence
    case .noDestination(let sentence), .settingsNotSaved(let sentence): sentence
    case .mistakes(let problems):
      problems.map(\.description).joined(separator: "; ").replacing("\n", with: "; ")
    case .unknownEntry(let entry, let meant):
      "There is no \(entry.list) \"\(entry.name.onOneLine.prefix(32))\""
        + (meant.map { "; did you mean \"\($0)\"?" } ?? ".")
    case .unfitName(let list):
      "\(list.nameWithArticle.prefix(1).uppercased())\(list.nameWithArticle.dropFirst()) needs a name of its own, \(list.nameRule)."
    case .nameTaken(let entry): "There is \(entry.nameWithArticle) \"\(entry.name)\" already."
    case .unfitTextName: "A text needs a name, \(NamedList.plainRule)."
    case .unfitText:
      "A text has at most \(TextBoard.maxCharacters) characters, and no control characters but line breaks."
    case .tooManyTexts:
      "There are \(TextBoard.maxTexts) texts already: set one that is not needed to an empty text."
    case .hasNoOwnAddress:
      "This broadcast goes to the server of the settings: change publish.url and publish.key."
    case .uplinkTestRuns: "A test of the connection runs already: wait for its result."
    case .lipSyncRuns: "A lip-sync measurement runs already: wait for its result."
    }
  }
}

/// Runs the box's broadcasts: takes commands from any thread, gives the director the present conditions twenty times a
/// second, and carries out the director's decisions. `SettingsDesk` changes the station's settings, and `RelayKeeper`
/// keeps the relays.
package final class Station: Sendable {
  /// The mutable state of the station, guarded by the mutex `state`.
  struct State {
    /// The main server that the settings name, or why the settings name no usable server.
    var main: Result<BroadcastTarget, StationError>
    var director: Director
    /// Totals of the present broadcast, over all its parts (each restart begins a new part); `nil` off air.
    var tally: BroadcastTally?
    /// The age, in nanoseconds at the start of this run of the program, of a broadcast of the last run that this run is
    /// to continue. `nil` if there is none, and once this run has continued the broadcast.
    var earlierNanos: Int64?
    /// The running part of the broadcast; `nil` off air, and during a restart, when one part has ended and the next has
    /// not begun.
    var broadcast: Broadcast?
    var settings: Settings
    var expiry: Expiry
    var outages = OutageRules()
    var health = HealthRules()
    /// Decide when stalls of the video source and of the audio source of a broadcast are reported.
    var stalls: (video: StallRules, audio: StallRules) = (StallRules(), StallRules())
    /// Decides which alarms of audio tracks are reported.
    var audioAlarms = AudioAlarmRules()
    /// Whether the box is off air only because the settings had no server at the start, and no command has come since.
    var isOffWithoutServer: Bool
    /// Whether the broadcast of the last run waits for the clock, since the schedule had begun it.
    var isHeld = false
    /// Increases with each start of a broadcast.
    var broadcastNumber = 1
    /// The schedule, for the status; `nil` without one.
    var schedule: ScheduleStatus?
    /// Whether the broadcast ends by itself in a few minutes, which the lamp shows.
    var isEndNear = false
    /// When `supervise` was last called. The lamp shows a fault if that was too long ago.
    var supervisedAt: MediaTime
    /// Whether a thread of an earlier broadcast has not ended in time, and may still hang.
    var hasHangingThread = false
    /// The address that was given for the present or next broadcast alone; `nil` if that broadcast goes to `main`.
    var once: OnceTarget?
    /// Whether the file with an address that was given for one broadcast alone may still be on the disk, and has to be
    /// removed.
    var mayHaveOnceFile: Bool
    /// The last uplink test, running or over; `nil` if there was none.
    var uplink: UplinkTest?
    /// The last lip-sync measurement, running or over; `nil` if there was none.
    var lipSync: LipSyncTest?
    /// Whether the broadcast has to be restarted: closed, and begun anew.
    var needsRestart = false
    /// Whether the broadcast has been stopped but has not ended yet. The next broadcast may already be requested.
    var isEnding = false
    /// Decides who may see the camera off air, and for how long.
    var viewing = OffAirViewing()
    /// Whether the preview is in use: camera and microphone are open for it, or encoded packets are copied to it.
    var hasPreview = false
    /// Who sees the camera off air; `nil` for nobody.
    package var watch: Watch?
    /// The faults besides those of the broadcast that a person has to repair, such as a full disk.
    var repairs: Set<Repair> = []
    /// The parts of the program besides the broadcast that follow changes of the settings.
    var followers: [any SettingsFollower] = []
    /// What gets the packets of the present broadcast beside its destinations.
    var outlets: [BroadcastOutlet] = []
    /// Counts the viewers of the play-out; `nil` until there is one.
    var playoutViewers: (@Sendable () -> Int)?
    /// When the program is to restart for a factory reset; `nil` if none was requested.
    var resetAt: MediaTime?

    /// Whether a broadcast is under way, also while it is being restarted.
    var isOnAir: Bool { tally != nil }

    /// Where the present or next broadcast goes: to `once` if it is set, otherwise to `main`.
    var target: Result<BroadcastTarget, StationError> { once.map { .success($0.target) } ?? main }
    var hasNoServer: Bool { (try? target.get()) == nil }

    /// Returns a warning that the broadcast's address expires soon or has expired; `nil` if there is nothing new to
    /// report.
    /// - Parameter wallClock: seconds since 1970.
    mutating func checkExpiry(wallClock: Int64) -> Expiry.Report? {
      once == nil
        ? expiry.check(wallClock: wallClock) : once?.expiry.check(wallClock: wallClock)
    }
  }

  /// Saves the intent, so that it survives a power cut.
  let store: IntentStore
  package let events: EventLog
  package let clock: MediaClock
  /// The mutable state of the station.
  let state: Mutex<State>
  /// When this run of the program began.
  let startedAt: MediaTime
  /// The sources and encoders, which the broadcast and the preview share.
  package let studio: Studio
  /// A thread for work with small files, so that commands such as a pause never wait for the disk. `stop` ends this
  /// thread and waits for its end.
  package let jobs = JobThread(name: "disk", urgency: .request, mostWaiting: 256)
  /// Turns the reports of the studio and of broadcasts into events.
  let reports: StudioEvents
  /// The newest figures, their history, and the totals of earlier broadcasts.
  let figureLog = FigureLog()
  /// Measures the load, the memory, the temperature and the power supply of the machine.
  let machine: Mutex<MachineMeter>
  /// Held while a command is executed and reported, so that the reports have the order of the commands.
  let reporting = Mutex(())
  /// Held while a broadcast starts, and while the file of an `OnceDestination` is written or removed.
  let onceFile = Mutex(())
  /// The relays of the settings, and what a person has requested of each.
  let relayKeeper: RelayKeeper
  /// Keeps the guests, and the layout of camera and guests.
  let guestDesk: GuestDesk
  /// Reads the guests, and shows them: the studio, except in tests.
  let guestStage: any GuestStage
  /// Begins and ends broadcasts by the schedule.
  package let schedule: ScheduleKeeper
  /// The values, set through the API, that replace the placeholders `{api:NAME}` in text overlays.
  let board: TextBoard
  /// Gives the status to all who listen.
  package let feed = StatusFeed()
  /// The state directory.
  let directory: String
  /// Keeps the recording.
  let recordings: RecordingKeeper

  /// - Parameters:
  ///   - configuration: the settings at the start; `SettingsDesk` changes them later.
  ///   - reload: reads the settings anew, to check the saved address of a broadcast that does not go to the server of
  ///     the settings.
  ///   - stick: the stick that is plugged in.
  ///   - guestStage: reads the guests, and shows them; `nil` for the studio.
  ///   - root: the path before "/proc" and "/sys", from which figures of the machine are read: "" on a real machine.
  package init(
    configuration: Configuration, reload: SettingsReader, store: IntentStore, events: EventLog,
    stick: any RecordingStick = NoStick(), root: String = "", guestStage: (any GuestStage)? = nil
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
    let main = Station.main(configuration)
    let record = ScheduleKeeper.savedRecord(configuration.stateDirectory)
    let trust = ClockTrust(root: root)
    let now = events.wallClock.seconds
    var resumption = Timetable.resumes(record, now: now, isClockSet: trust.isSet(now: now))
    // A person had stopped it.
    if resumption != nil, store.lastRunIntent.broadcast == .off { resumption = .stopped }
    var intent = Station.intent(
      settings.publish.autostart, saved: store.lastRunIntent, resumption)
    var isOffWithoutServer = false
    var once: OnceTarget?
    do throws(StationError) {
      let goesOn = intent.broadcast != .off && store.lastRunIntent.broadcast != .off
      once = goesOn ? try OnceTarget.saved(configuration, reload) : nil
    } catch {
      events.note(.error, "Off air: \(error.sentence)", code: error.code)
      intent = Intent()
    }
    if store.lastRunIntent.broadcast == .off { OnceDestination.remove(directory, events) }
    if intent.broadcast != .off, once == nil, case .failure(let fault) = main {
      // Do not save this intent: once the settings are right, the next start goes on with the saved intent.
      events.note(.error, "Off air: \(fault.sentence)", code: fault.code)
      intent = Intent()
      isOffWithoutServer = true
    } else if resumption != .held, intent != store.lastRunIntent {
      store.save(intent)
    }
    let isHeld = resumption == .held
    let guestDesk = GuestDesk(
      settings,
      goesOn: store.lastRunIntent.broadcast != .off && (intent.broadcast != .off || isHeld),
      directory: directory, events: events, jobs: jobs)
    self.guestDesk = guestDesk
    studio = Studio(
      settings: settings, clock: events.clock, wallClock: events.wallClock,
      stateDirectory: configuration.stateDirectory
    ) { report in
      if case .guest(let name, let report) = report { guestDesk.note(report, of: name) }
      reports.handle(report)
    }
    self.guestStage = guestStage ?? studio
    schedule = ScheduleKeeper(
      record, directory: configuration.stateDirectory, trust: trust, events: events)
    board = TextBoard(directory: configuration.stateDirectory, events: events)
    relayKeeper = RelayKeeper(
      configuration, wasOff: store.lastRunIntent.broadcast == .off, isOff: intent.broadcast == .off,
      hasOwnAddress: once != nil, events: events, jobs: jobs)
    let wasOnAir = store.lastRunIntent.broadcast != .off
    recordings = RecordingKeeper(
      settings, studio: studio, events: events, directory: directory, disk: jobs, stick: stick,
      trust: trust, resumes: intent.broadcast != .off && wasOnAir,
      isPrivate: intent.broadcast == .off && wasOnAir
        && RecordingRules.isPrivate(store.lastRunIntent))
    var repairs: Set<Repair> = configuration.standIn == nil ? [] : [.settingsFile]
    if configuration.isRunTimeUnreadable { repairs.insert(.keptSettings) }
    state = Mutex(
      State(
        main: main,
        director: Director(
          intent: intent, conditions: Conditions(repair: .first(of: repairs)),
          pause: PausePlan(settings)),
        settings: settings, expiry: Expiry(configuration),
        isOffWithoutServer: isOffWithoutServer, supervisedAt: startedAt, once: once,
        mayHaveOnceFile: store.lastRunIntent.broadcast != .off, repairs: repairs))
    if intent.broadcast != .off, store.lastRunIntent.broadcast != .off {
      let age = Station.broadcastAge(directory, events.wallClock)
      state.withLock { $0.earlierNanos = age }
    }
    if resumption == .goesOn, intent.broadcast == .off { resumption = .stopped }
    schedule.note(resumption ?? .stopped, broadcast: state.withLock { $0.broadcastNumber })
    schedule.change(settings)
    state.withLock { state in
      state.isHeld = isHeld
      state.followers = [studio, reports, schedule, recordings, guestDesk]
    }
    studio.set(texts: board.texts)
  }

  /// The intent with which the program starts. `never` means off. With the other values of `autostart`, a saved
  /// broadcast that was paused stays paused.
  static func intent(_ autostart: Autostart, saved: Intent) -> Intent {
    switch autostart {
    case .resume: saved
    case .always: saved.broadcast == .off ? Intent(broadcast: .live) : saved
    case .never: Intent()
    }
  }

  /// The director's time: elapsed time since the start of the program.
  var now: Duration { .nanoseconds(clock.now - startedAt) }

  /// The settings in force.
  package var settings: Settings { state.withLock { $0.settings } }

  /// The present intent: off, live or paused, and what is muted or off.
  package var intent: Intent { state.withLock { $0.director.intent } }

  /// Whether the present intent is on the disk, or writing it has failed.
  var isSettled: Bool { state.withLock { store.isSettled($0.director.intent) } }
}
