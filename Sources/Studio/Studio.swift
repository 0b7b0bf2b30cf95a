// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Capture
public import Director
internal import Encode
internal import Overlay
internal import Posix
internal import RateControl
public import Settings
internal import Synchronization

/// Owns the sources, pipelines and encoders. They run while a user (a broadcast, a preview or a recording) needs them;
/// otherwise they are closed and their devices are released.
///
/// Users enter and leave on any thread. A single thread, the owner's, calls `adjust` and `supervise`, since opening and
/// closing devices takes time.
public final class Studio: SettingsFollower {
  /// Nanoseconds that closing may take when the caller gives no deadline.
  static let closingNanos = Int64.milliseconds(1_500)

  /// The settings, the users, the scenes and the open halves (video and audio).
  struct State {
    var settings: Settings
    /// The settings that were last applied to the open sources and pipelines. `adjust` applies `settings`.
    var appliedSettings: Settings
    /// Whether `settings` have been applied; `false` from a change until the next `adjust`.
    var areSettingsApplied = true
    /// The plans of the audio tracks of the settings besides the main one.
    var tracksOfSettings: [TrackPlan] = []
    /// The plans of further audio tracks.
    var tracks: [TrackPlan] = []
    /// Makes sinks for audio tracks that are encoded each by itself, and the number of the user that has asked for it;
    /// `nil` for none.
    var trackSinks: (sinks: TrackSinks, user: Int)?
    /// How loud the voices and the music are.
    var volumes = Volumes()
    /// What each user needs, by the user's number.
    var users: [Int: StudioNeeds] = [:]
    /// The number of the user that entered last.
    var lastUser = 0
    /// The number of the user (a broadcast) that sets the encoders' bit rates, size and speed; `nil` if the settings
    /// alone determine them.
    var leader: Int?
    /// Whether a user sets the encoders' bit rates, size and speed, instead of the settings alone.
    var isLed: Bool { leader != nil }
    /// Whether the next `adjust` closes and reopens the audio half if its number of channels differs from the settings.
    /// Becomes `true` when a user enters who sets the encoders' bit rates, size and speed (a broadcast).
    var reopensStaleAudio = false
    var scenes = Scenes()
    /// Whether the present video scene has been passed to the video pipeline; `false` while the scene's still is being
    /// prepared.
    var isVideoSet = true
    var video: StudioVideo?
    var audio: StudioAudio?
    /// What the open halves (video and audio) share: the source maker, and the reason why a broadcast cannot go on.
    /// `nil` while neither half is open.
    var sharedParts: SharedParts?
    /// Whether a camera that was closed for a pause stays closed after the pause, because the broadcast has ended and
    /// nobody has asked to see the camera's picture.
    var staysClosed = false
    /// Whether the camera has to be closed for a pause: see the setting `pause.release_camera`.
    var releasesCamera = false
    /// Decides whether a second rendition of the video is encoded.
    var secondRules = SecondEncodingRules()
    /// When the second rendition ends at the latest; `nil` while it goes on, or there is none.
    var secondEndsAt: MediaTime?
    /// Finds lasting failures of the studio, and decides which of them are reported.
    var watch: StudioWatch
    /// Whether a thread did not end in time and was abandoned.
    var hasAbandonedThread = false
    /// The totals of all pipelines that have been closed since the program started.
    var closedTotals = StudioFigures()
    /// The measured processor time of each rung of the speed ladder (each effort of the encoder) on this machine,
    /// relative to the first rung.
    var costs = SpeedCosts()

    init(_ settings: Settings) {
      (self.settings, appliedSettings) = (settings, settings)
      watch = StudioWatch(settings.video)
      volumes.music = settings.music.volume
      planTracks()
    }

    /// The needs of all users together, except those of `user`.
    func needs(besides user: Int? = nil) -> StudioNeeds {
      users.reduce(into: []) { if $1.key != user { $0.formUnion($1.value) } }
    }
  }

  /// The parts that the video half and the audio half of an open studio have in common.
  struct SharedParts {
    /// Creates the sources of both halves with one common start time, so that a file's video and audio are in step.
    var makers: SourceMaker
    /// Why a broadcast from this studio cannot go on; its `value` is `nil` while there is no reason.
    var ending: Ending
  }

  /// The reason why a broadcast cannot go on. The first thread that finds a reason sets it; later reasons are ignored.
  final class Ending: Sendable {
    private let first = Mutex<BroadcastEnding?>(nil)
    var value: BroadcastEnding? { first.withLock { $0 } }
    func set(_ ending: BroadcastEnding) { first.withLock { $0 = $0 ?? ending } }
  }

  /// Plays the music beside the voice. It outlives the audio half.
  public let music: MusicPlayer
  /// Plays on the headphones at the box. It outlives the audio half.
  let headphones: StudioMonitor
  /// Passes the encoded packets of all encoders to the sinks of the users.
  let renditions = Renditions()
  /// Whether the second rendition of the video may be passed on.
  let secondAvailability = SecondAvailability()
  /// Measures the level of the audio that viewers hear.
  let levels = LevelMeter()
  /// The value of `clockShare`: the processor's expected clock frequency as a share of the present one.
  let expectedClockShare = Atomic(1.0)
  /// Opens encoders: real ones, or fake ones in tests.
  private let encoders: EncoderFactory
  /// The clock of capture times, of the stream's timeline and of all waits.
  let clock: MediaClock
  /// The time of day, for overlays that are shown at set times.
  let wallClock: WallClock
  /// Receives the studio's reports, on any thread.
  let listener: StudioListener
  /// Records which media files have made the program crash.
  private let openings: FileOpenings
  /// Creates a camera: a real one, or a fake one in tests.
  private let cameras: CameraMaker
  /// The path of the folder of uploaded files; `nil` without a state directory.
  let folder: String?
  /// The values that replace the variables in overlay texts, such as the box's name and the time zone.
  let textVariables = Mutex(TextVariables())
  /// The settings, users, scenes and open halves. Locked by users on any thread, and by the thread that calls `adjust`.
  let state: Mutex<State>

  /// - Parameters:
  ///   - stateDirectory: where the studio records which media files have made the program crash, so that they are not
  ///     opened again; `nil` to open all files.
  ///   - listener: receives reports, on any thread.
  public convenience init(
    settings: Settings, clock: MediaClock = .system, wallClock: WallClock = .system,
    stateDirectory: String? = nil, listener: @escaping StudioListener
  ) {
    self.init(
      settings: settings, encoders: .libraries, clock: clock, wallClock: wallClock,
      stateDirectory: stateDirectory, listener: listener)
  }

  init(
    settings: Settings, encoders: EncoderFactory, clock: MediaClock,
    wallClock: WallClock = .system, stateDirectory: String? = nil,
    cameras: @escaping CameraMaker = SourceMaker.camera, listener: @escaping StudioListener
  ) {
    self.encoders = encoders
    self.cameras = cameras
    (self.clock, self.wallClock) = (clock, wallClock)
    let openings = FileOpenings(directory: stateDirectory)
    self.openings = openings
    self.listener = listener
    music = MusicPlayer(clock: clock, openings: openings) { listener(.music($0)) }
    headphones = StudioMonitor(settings.audio.monitor, clock: clock, listener: listener)
    music.set(openingSeconds: settings.music.timeoutSeconds)
    folder = stateDirectory.map { "\($0)/\(MediaFolder.directoryName)" }
    state = Mutex(State(settings))
    describe(settings.box)
  }

  /// Sets the start time of the broadcast, for overlay texts that show how long it has lasted; `nil` off air.
  public func noteBroadcast(since time: MediaTime?) { update { $0.startedAt = time } }

  /// Changes the values of the variables in overlay texts, and passes changed values to the overlays.
  func update(_ change: (inout TextVariables) -> Void) {
    let isNew = textVariables.withLock { textVariables in
      let before = textVariables
      change(&textVariables)
      return textVariables != before
    }
    if isNew { state.withLock { $0.video }.map(passTextVariables) }
  }

  /// Passes the present text variables to the overlays. If several threads have changed them, the last call passes all
  /// changes.
  private func passTextVariables(_ video: StudioVideo) {
    for overlays in [video.overlays, video.secondVideo?.overlays].compactMap(\.self) {
      overlays.update { present in present = textVariables.withLock { $0 } }
    }
  }

  /// Sets the box's name and time zone for overlay texts. Reads the time zone's file.
  private func describe(_ box: BoxSettings) {
    let (name, zone) = (
      box.name.isEmpty ? Host.name : box.name, box.zone.isEmpty ? Host.timeZone : box.zone
    )
    let file = try? File.read("/usr/share/zoneinfo/\(zone)", limit: 65_536)
    update { textVariables in
      textVariables.name = name
      textVariables.zone = file.flatMap { TimeZoneFile($0.bytes) } ?? .utc
    }
  }

  // MARK: Users

  /// Adds a user. The next `adjust` opens the halves (video, audio) that the user needs. They stay open until the user
  /// leaves.
  /// - Parameter leads: whether this user sets the encoders' bit rates, size and speed.
  public func enter(_ needs: StudioNeeds, leads: Bool = false) -> StudioUser {
    state.withLock { state in
      state.lastUser += 1
      if leads {
        state.leader = state.lastUser
        state.reopensStaleAudio = true
      }
      state.users[state.lastUser] = needs
      return StudioUser(number: state.lastUser, studio: self)
    }
  }

  /// Removes a user. The next `adjust` closes what no other user needs.
  func forget(_ user: StudioUser) {
    state.withLock { state in
      state.users[user.number] = nil
      if state.trackSinks?.user == user.number { state.trackSinks = nil }
      if state.leader == user.number { state.leader = nil }
    }
  }

  /// Whether any other user needs video or audio.
  func isShared(besides user: StudioUser) -> Bool {
    state.withLock { !$0.needs(besides: user.number).isEmpty }
  }

  /// Opens the halves (video, audio) that users need, closes those that no user needs, and applies new settings and
  /// tracks.
  /// - Parameter deadline: the latest time for closing, on the system clock; `nil` for 1.5 seconds from now.
  /// - Returns: `false` if a thread was still running at the deadline. That thread is then abandoned.
  @discardableResult
  public func adjust(by deadline: MediaTime? = nil) -> Bool {
    let allClosed = close(by: deadline)
    var allFollowed = applySettings()
    let (video, audio) = open()
    video?.start()
    audio?.start()
    releaseOrReopenCamera(by: .now() + Studio.closingNanos)
    allFollowed = applyTracks() && allFollowed
    return allClosed && allFollowed
  }

  /// Sets new settings. The next `adjust` applies them to the open sources and pipelines, without a gap for viewers.
  /// Some changes take effect later: see `SettingChange.effect`.
  public func change(_ settings: Settings) {
    state.withLock { state in
      (state.settings, state.areSettingsApplied) = (settings, false)
      state.planTracks()
    }
  }

  /// Sets the audio tracks besides those of the settings. The next `adjust` opens and closes tracks accordingly.
  /// - Parameter tracks: plans of tracks, each with a different name.
  func follow(_ tracks: [TrackPlan]) { state.withLock { $0.tracks = tracks } }

  /// Applies the planned audio tracks to the open audio half.
  /// - Returns: `false` if the source of a removed track did not end in time.
  private func applyTracks() -> Bool {
    let (planned, volumes, audio, makers) = state.withLock {
      ($0.tracksOfSettings + $0.tracks, $0.volumes, $0.audio, $0.sharedParts?.makers)
    }
    guard let audio, let makers else { return true }
    let tracks = planned + musicTracks(volumes)
    let deadline = MediaTime.now() + Studio.closingNanos
    var allEnded = audio.follow(tracks, makers: makers, by: deadline)
    let sinks = state.withLock { $0.trackSinks?.sinks }
    allEnded =
      audio.separate(
        to: sinks,
        cut: { pipeline in
          state.withLock { state in
            guard state.trackSinks?.sinks === sinks else { return false }
            pipeline.cut(to: state.scenes.audioScene)
            return true
          }
        }, by: deadline) && allEnded
    if !allEnded { state.withLock { $0.hasAbandonedThread = true } }
    return allEnded
  }

  /// Applies the present settings to the open halves.
  /// - Returns: `false` if a source that was replaced did not end in time.
  private func applySettings() -> Bool {
    // `areSettingsApplied` shows whether the settings have changed: comparing all settings twenty times a second would
    // take too long.
    let change = state.withLock { state -> (old: Settings, new: Settings)? in
      guard !state.areSettingsApplied else { return nil }
      defer { (state.appliedSettings, state.areSettingsApplied) = (state.settings, true) }
      return (state.appliedSettings, state.settings)
    }
    guard let (old, new) = change, new != old else { return true }
    let (video, audio, leads) = state.withLock { ($0.video, $0.audio, $0.isLed) }
    if new.box != old.box { describe(new.box) }
    if new.music != old.music { follow(new.music, after: old.music) }
    let deadline = MediaTime.now() + Studio.closingNanos
    var allEnded = true
    if let sharedParts = state.withLock({ $0.sharedParts }) {
      // A new maker has a new start time, so the video and audio of a file start again at the same time.
      let makers = makeMakers(sharedParts.ending)
      state.withLock { $0.sharedParts?.makers = makers }
      allEnded =
        video?.change(
          new, makers: makers, hiddenOverlays: hiddenOverlays(new), followsEncoding: !leads,
          by: deadline)
        ?? true
      allEnded =
        audio?.change(new.audio, makers: makers, followsBitrate: !leads, by: deadline) ?? true
        && allEnded
    }
    state.withLock { state in
      if !allEnded { state.hasAbandonedThread = true }
      state.watch.change(new.video)
    }
    return allEnded
  }

  /// Closes each half (video or audio) that no user needs, that has ended with a broadcast, or that has to be reopened.
  /// - Parameters:
  ///   - all: whether to close both halves even if users need them.
  ///   - deadline: on the system clock; `nil` for 1.5 seconds from now.
  /// - Returns: `false` if a thread was still running at the deadline.
  func close(all: Bool = false, by deadline: MediaTime?) -> Bool {
    let (video, audio) = state.withLock { state -> (StudioVideo?, StudioAudio?) in
      let needs = all ? [] : state.needs()
      var closing: (video: StudioVideo?, audio: StudioAudio?)
      if let video = state.video, !needs.contains(.video) || video.isFinished {
        closing.video = video
        state.video = nil
      }
      let isStale =
        state.reopensStaleAudio && state.audio?.isStale(for: state.settings.audio) ?? false
      state.reopensStaleAudio = false
      if let audio = state.audio, !needs.contains(.audio) || audio.isFinished || isStale {
        closing.audio = audio
        state.audio = nil
      }
      return closing
    }
    guard video != nil || audio != nil else { return true }
    let deadline = deadline ?? .now() + Studio.closingNanos
    // Both halves are asked to stop before either is waited for: a half that hangs must not use up the other's time.
    video?.requestStop()
    audio?.requestStop()
    var allEnded = video?.stop(by: deadline) ?? true
    allEnded = audio?.stop(by: deadline) ?? true && allEnded
    let over = state.withLock { state -> [StudioReport] in
      if !allEnded { state.hasAbandonedThread = true }
      if let video { state.closedTotals.video.add(video) }
      if let audio { state.closedTotals.audio.add(audio.pipeline) }
      let closed: [StudioReport.Input] =
        (video == nil ? [] : [.video]) + (audio == nil ? [] : [.audio])
      let reports = closed.map(StudioReport.closed)
      guard state.video == nil, state.audio == nil else {
        for half in closed { state.watch.noteClosed(half) }
        return reports
      }
      state.sharedParts = nil
      defer { state.watch = StudioWatch(state.settings.video) }
      return reports + state.watch.end()
    }
    for report in over { listener(report) }
    return allEnded
  }

  /// Creates the halves (video, audio) that users need and that are not open yet. Each half begins with the present
  /// scene. The caller starts them.
  private func open() -> (StudioVideo?, StudioAudio?) {
    let (needs, settings, costs, releasesCamera) = state.withLock { state in
      var needs = state.needs()
      if state.video != nil || state.settings.video.source == .none { needs.remove(.video) }
      if state.audio != nil || state.settings.audio.source == .none { needs.remove(.audio) }
      return (needs, state.settings, state.costs, state.decideCameraRelease())
    }
    guard needs.contains(.video) || needs.contains(.audio) else { return (nil, nil) }
    let sharedParts = state.withLock { $0.sharedParts } ?? makeSharedParts()
    state.withLock { $0.sharedParts = sharedParts }
    let fatal: @Sendable (StudioReport.Input, String) -> Void = {
      [weak self, listener] half, sentence in
      listener(.encoderBroken(sentence))
      self?.state.withLock { $0.watch.noteBroken(half) }
      sharedParts.ending.set(.encoderBroken)
    }
    // The halves are created without the lock, since a cut to a pause needs the lock and must not wait.
    var opened: (video: StudioVideo?, audio: StudioAudio?)
    if needs.contains(.video) {
      listener(.opening(.video))
      let video = StudioVideo(
        settings, costs: costs, makers: sharedParts.makers, renditions: renditions,
        encoders: encoders, textVariables: textVariables.withLock { $0 },
        hiddenOverlays: hiddenOverlays(settings), folder: folder, releasesCamera: releasesCamera,
        clock: clock, fatal: { fatal(.video, $0) }, listener: listener)
      video.pipeline.clockShare.store(clockShare, ordering: .relaxed)
      opened.video = video
    }
    if needs.contains(.audio) {
      listener(.opening(.audio))
      opened.audio = StudioAudio(
        settings, makers: sharedParts.makers, renditions: renditions, encoders: encoders,
        levels: levels, monitor: headphones, clock: clock, fatal: { fatal(.audio, $0) },
        listener: listener)
    }
    state.withLock { state in
      if let video = opened.video {
        state.video = video
        state.isVideoSet = video.show(state.scenes)
      }
      if let audio = opened.audio {
        audio.cut(to: state.scenes.audioScene)
        audio.set(voiceVolume: state.volumes.voice)
        state.audio = audio
      }
    }
    // The text variables may have changed since they were passed to the initialiser.
    if let video = opened.video { passTextVariables(video) }
    return opened
  }

  /// Makes what the halves (video and audio) share when the first of them is opened: a source maker, and an `Ending`
  /// without a reason.
  private func makeSharedParts() -> SharedParts {
    let ending = Ending()
    return SharedParts(makers: makeMakers(ending), ending: ending)
  }

  /// Makes a source maker whose sources set the reason in `ending` when one of them ends for good.
  private func makeMakers(_ ending: Ending) -> SourceMaker {
    let pipeFormat = state.withLock { $0.settings.audio.pipeFormat }
    return SourceMaker(
      clock: clock, openings: openings, cameras: cameras, pipeFormat: pipeFormat,
      trackListener: { [listener] in listener(.track($0, $1)) }
    ) { [weak self, listener] input, report in
      if input == .video, report.state == .running { self?.videoHasBegun() }
      listener(.source(input, report))
      if report.state == .ended {
        ending.set(report.code == "ended" ? .sourceEnded : .sourceUnavailable)
      }
    }
  }

  /// Why a broadcast cannot go on; `nil` while it can.
  var ending: BroadcastEnding? { state.withLock { $0.sharedParts?.ending.value } }

  // MARK: Scenes

  /// Cuts to the plan's video and audio. `.none` (in a plan for the end of a broadcast) changes nothing: the last
  /// viewers keep the present video or audio.
  ///
  /// After this call returns, sinks send nothing that the plan hides, except the remainder of a message that is already
  /// partly sent.
  public func present(_ plan: Plan) {
    state.withLock { $0.staysClosed = false }
    present(plan.video, plan.audio)
  }

  /// Cuts to the camera and all audio tracks, for the time without a broadcast. Nothing needs to be hidden, since only
  /// the box's owner can watch.
  /// - Parameter isWatched: whether somebody has asked to see the camera's picture. If not, a camera that was closed
  ///   for a pause stays closed.
  public func presentOffAir(isWatched: Bool) {
    state.withLock { $0.staysClosed = !isWatched }
    present(.camera, .microphone)
  }

  /// Cuts the pipelines and the sinks to this video and this audio.
  private func present(_ video: Plan.Video, _ audio: Plan.Audio) {
    state.withLock { state in
      // The frame is taken before the cut, so that viewers could see it.
      let number = state.scenes.videoNumber
      let frame = video == .lastFrame ? state.video?.pipeline.lastFrame.take(of: number) : nil
      let change = state.scenes.change(video, audio, now: clock.now)
      if change.beginsVideo { state.video?.freeze(frame) }
      // The audio pipeline is cut before the sinks, so that the audio thread knows which packets sinks discard.
      if change.beginsAudio { state.audio?.cut(to: state.scenes.audioScene) }
      if change.beginsVideo || change.beginsAudio {
        renditions.begin(
          video: state.scenes.videoNumber, audio: state.scenes.audioNumber,
          hidesVideo: change.hidesVideo, hidesSecondVideo: change.hidesSecondVideo,
          hidesAudio: change.hidesAudio)
      }
      if change.beginsVideo { state.isVideoSet = false }
      // `show` fails while the still is being prepared. If so, the next call of `present` tries again.
      if !state.isVideoSet {
        state.isVideoSet = state.video?.show(state.scenes) ?? true
      } else {
        state.video?.renewStill(state.scenes)
      }
    }
  }

  /// Begins new scenes with the same video and audio, without a gap. Sinks discard the packets of earlier scenes, and
  /// sinks that join later get none of them. The next frame of the source decides the colour matrix and range of live
  /// video.
  public func renewScenes() {
    state.withLock { state in
      state.scenes.renew(now: clock.now)
      state.audio?.cut(to: state.scenes.audioScene)
      renditions.begin(
        video: state.scenes.videoNumber, audio: state.scenes.audioNumber, hidesVideo: true,
        hidesAudio: true)
      state.video?.reopenColour()
      state.isVideoSet = state.video?.show(state.scenes) ?? true
    }
  }

  /// Whether a pause that begins now could show the last frame that viewers could see, or the present pause does.
  var hasLastFrame: Bool { state.withLock { $0.video?.hasLastFrame($0.scenes) ?? false } }

  /// The number of the present video scene, and when the present audio scene began.
  var scene: (video: UInt32, audioSince: MediaTime) {
    state.withLock { ($0.scenes.videoNumber, $0.scenes.audioSince) }
  }
}
