// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Posix
internal import Recording
internal import Settings
internal import Studio
internal import Synchronization

/// Keeps the recording: begins and ends it by hand, with the broadcast or always, tells what is wrong with it, and takes
/// care of the folder. Nothing here waits for a disk but the job threads.
final class RecordingKeeper: SettingsFollower {
  /// What is known of the folder without a recorder.
  struct Look: Equatable {
    /// Why it cannot be recorded there; `nil` if it can.
    var obstacle: RecordingObstacle?
    /// The free space and the size of the disk in bytes; `nil` if they are not known.
    var freeBytes: Int?, totalBytes: Int?
  }

  struct State {
    var settings: Settings
    var rules: RecordingRules
    /// How the present request by hand came, for the log: "by command".
    var origin = ""
    /// What the person wants of the broadcast; before its end, not "off".
    var intent = Intent()
    /// Whether a broadcast is wanted.
    var isOnAir = false
    var session: RecordingSession?
    /// Whether the session is silenced, so that it has to end even if another recording is wanted meanwhile.
    var isEnding = false
    var place = RecordingPlace.none
    /// The folder of `place`; `nil` without a place.
    var folder: RecordingFolder?
    var look = Look()
    /// When the folder is looked at next.
    var lookAt = MediaTime.distantPast
    /// Since when a job looks at the folder; `nil` while none does.
    var lookingSince: MediaTime?
    var watch = RecordingWatch()
    var stickRules = StickRules()
    /// The ID of the stick that is being removed, or was; `nil` for none.
    var removed: String?
    /// When deleted recordings are removed for good; `nil` if there are none.
    var purgeAt: MediaTime?
    /// When a session that could not begin is tried again.
    var retryAt = MediaTime.distantPast
    /// The name of the file that was last seen to be written.
    var fileName: String?

    /// Whether the camera is open for a recording without a broadcast.
    var isOffAir: Bool {
      session != nil && !isEnding && !isOnAir && rules.cause(isOnAir: false) != nil
    }
  }

  /// Time until a session that could not begin is tried again, in nanoseconds.
  private static let retryNanos = Int64.seconds(5)
  /// Time that the end of a recording may take, in nanoseconds.
  private static let finishNanos = Int64.seconds(120)

  /// The recordings that a person has asked for, or stopped, during a broadcast, so that a power cut changes nothing.
  private static let savedFile = StateFile<Saved>("recording", limit: 1_024)
  struct Saved: Codable {
    var request: RecordingRules.Request?
    var isStopped: Bool
  }

  let state: Mutex<State>
  let studio: Studio
  let events: EventLog
  private let directory: String
  let stick: any RecordingStick
  private let trust: ClockTrust
  private let zones = ZoneFiles()
  let clock: MediaClock
  /// Runs what requests ask of the folder.
  let jobs = JobThread(name: "recordings", urgency: .request, mostWaiting: 64)
  /// Looks at the folder.
  let looks = JobThread(name: "recording look", urgency: .request, mostWaiting: 16)
  /// Mends recordings, which may take minutes.
  let mending = JobThread(name: "recording mend", urgency: .request, mostWaiting: 16)
  /// Finishes recordings.
  private let endings = JobThread(name: "recording end", urgency: .ordinary, mostWaiting: 16)
  private let followUp: FollowUpProgram
  /// Writes to the state directory.
  private let disk: JobThread

  /// - Parameters:
  ///   - directory: the state directory.
  ///   - disk: writes to the state directory.
  ///   - trust: tells whether the names of files can have the time of day.
  ///   - resumes: whether the broadcast of the last run of the program goes on.
  ///   - isPrivate: whether the last run ended in a pause, so that nothing may be recorded off air.
  init(
    _ settings: Settings, studio: Studio, events: EventLog, directory: String,
    disk: JobThread, stick: any RecordingStick, trust: ClockTrust, resumes: Bool, isPrivate: Bool
  ) {
    (self.studio, self.events, self.stick, self.disk) = (studio, events, stick, disk)
    (self.directory, clock, self.trust) = (directory, events.clock, trust)
    followUp = FollowUpProgram(events)
    let saved = resumes ? (try? RecordingKeeper.savedFile.read(in: directory)) ?? nil : nil
    state = Mutex(
      State(
        settings: settings,
        rules: RecordingRules(
          start: settings.record.start, request: saved?.request,
          isStopped: saved?.isStopped ?? isPrivate),
        isOnAir: resumes))
    if !resumes { save(nil) }
    followPlace()
  }

  // MARK: For the station

  /// Whether the camera is open for a recording without a broadcast.
  var isOffAir: Bool { state.withLock { $0.isOffAir } }

  func change(_ settings: Settings) {
    state.withLock { state in
      state.settings = settings
      state.rules.start = settings.record.start
      state.session?.follow(settings)
      state.session?.recorder.change(
        RecorderOptions(settings, title: state.rules.request?.title ?? ""))
    }
  }

  /// Follows what the person wants of the broadcast. To be called at each command, before the studio cuts to it.
  func follow(_ intent: Intent) {
    let (isOver, session) = state.withLock { state in
      let isOnAir = intent.broadcast != .off
      let wasOnAir = state.isOnAir
      if isOnAir, !wasOnAir { state.rules.beginBroadcast() }
      if !isOnAir, wasOnAir { state.rules.endBroadcast(state.intent) }
      if intent.broadcast == .paused, state.intent.broadcast != .paused {
        state.session?.recorder.setPaused(true)
      }
      (state.intent, state.isOnAir) = (intent, isOnAir)
      // After a pause, the studio may soon cut to the room. `supervise` ends the session only later.
      guard state.session != nil, state.rules.cause(isOnAir: isOnAir) == nil else {
        return (wasOnAir && !isOnAir, nil as RecordingSession?)
      }
      state.isEnding = true
      return (wasOnAir && !isOnAir, state.session)
    }
    session?.silence()
    if isOver { save(nil) }
  }

  /// Records again after a pause. To be called after `follow`, when the studio has cut from the still.
  func endPause(_ intent: Intent) {
    guard intent.broadcast != .paused else { return }
    state.withLock { $0.session }?.recorder.setPaused(false)
  }

  /// Begins and ends the recording, and tells what is wrong with it. To be called twenty times a second by one thread.
  func supervise(_ now: MediaTime) {
    followPlace()
    followRules(now)
    let (folder, session, program, rate) = state.withLock {
      ($0.folder, $0.session, $0.settings.record.after, $0.settings.bytesPerSecond)
    }
    stick.follow(isRecording: session != nil, bytesPerSecond: rate)
    if let folder { look(at: folder, isRecording: session != nil, now) }
    if let session { noteFile(session, program) }
    followUp.runDue()
    purge(now)
    report(now)
  }

  /// Ends the recording, at the end of the program.
  /// - Returns: `false` if the disk still hangs at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    let session = state.withLock { $0.session.take() }
    session?.leave()
    let isFinished = session?.finish(by: deadline) ?? true
    return endings.finish(by: deadline) && isFinished
  }

  // MARK: The session

  /// Moves to another folder when the settings or the stick have changed.
  private func followPlace() {
    let id = stick.status?.id
    let (path, removed) = state.withLock { state in
      if id != state.removed { state.removed = nil }
      return (state.settings.record.directory, state.removed)
    }
    let place = RecordingPlace(directory: path, stick: stick, removed: removed)
    let (new, old) = state.withLock { state in
      guard place != state.place else { return (nil as RecordingFolder?, nil as RecordingSession?) }
      state.place = place
      state.folder = place.directory.map { RecordingFolder($0, stateDirectory: directory) }
      (state.look, state.lookAt, state.lookingSince) = (Look(), .distantPast, nil)
      return (state.folder, state.session.take())
    }
    if let old { end(old) }
    if let new { mend(new) }
  }

  /// Begins or ends the recording as the rules say.
  private func followRules(_ now: MediaTime) {
    let (cause, session, folder, isEnding) = state.withLock { state in
      (state.rules.cause(isOnAir: state.isOnAir), state.session, state.folder, state.isEnding)
    }
    if cause == nil || isEnding, let session {
      state.withLock { $0.session = nil }
      end(session)
    } else if let cause, session == nil, let folder {
      begin(cause, in: folder, now)
    }
  }

  private func begin(_ cause: RecordingRules.Cause, in folder: RecordingFolder, _ now: MediaTime) {
    let before = state.withLock { $0 }
    guard now >= before.retryAt else { return }
    let settings = before.settings
    let recorder = Recorder(
      RecorderOptions(settings, title: before.rules.request?.title ?? ""), in: folder,
      zone: zones.find(settings.box.shownZone) ?? .utc,
      clockIsSet: { [trust, wall = events.wallClock] in trust.isSet(now: wall.seconds) },
      wall: events.wallClock, clock: clock)
    let session = RecordingSession(
      cause, recorder, in: folder, studio: studio, settings: settings,
      isPaused: before.intent.broadcast == .paused)
    state.withLock { state in
      (state.session, state.isEnding) = (session, false)
      state.fileName = nil
      state.watch.beginRecording()
      state.look.obstacle = session == nil ? .noThread : nil
      if session == nil { state.retryAt = now + Self.retryNanos }
      // A command may have come meanwhile.
      let isPaused = state.intent.broadcast == .paused
      if isPaused != (before.intent.broadcast == .paused) { session?.recorder.setPaused(isPaused) }
      // So may other settings.
      session?.follow(state.settings)
    }
    guard session != nil else { return }
    events.report(.recordStarted, subject: "record", before.beginning(of: cause))
  }

  /// Records nothing more on a stick, and asks for it to be unmounted when the recording is finished.
  func remove(_ id: String) {
    let session = state.withLock { state -> RecordingSession? in
      state.removed = id
      guard case .stick = state.place else { return nil }
      (state.place, state.folder) = (.none, nil)
      return state.session.take()
    }
    if let session { end(session) }
    endings.submit { [stick] in stick.remove() }
  }

  /// Ends a recording, without waiting for its disk.
  private func end(_ session: RecordingSession) {
    session.leave()
    let program = state.withLock { $0.settings.record.after }
    let hasRoom = endings.submit { [self] in
      let isFinished = session.finish(by: .now() + Self.finishNanos)
      noteFile(session, program)
      followUp.add(state.withLock { $0.fileName.take() }, of: session, program)
      events.report(
        .recordStopped, subject: "record", session.recorder.status.ending(isFinished: isFinished))
    }
    if !hasRoom { _ = session.finish(by: .now()) }
  }

  /// Notes which file is written: when the next one begins, the one before is over.
  private func noteFile(_ session: RecordingSession, _ program: String) {
    guard let name = session.recorder.status.newestName else { return }
    let before = state.withLock { state in
      defer { state.fileName = name }
      return state.fileName
    }
    // A file from before the clock was set gets its name at its end.
    guard before != name, before.map(session.folder.presentName) != name else { return }
    followUp.add(before, of: session, program)
  }

  // MARK: The intent

  /// Saves what a person has asked for during a broadcast, without waiting for the disk.
  func save(_ rules: RecordingRules?) {
    disk.submit { [directory] in
      guard let rules else {
        try? Self.savedFile.remove(in: directory)
        return
      }
      try? Self.savedFile.write(
        Saved(request: rules.request, isStopped: rules.isStopped), in: directory)
    }
  }
}
