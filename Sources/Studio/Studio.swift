// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Capture
public import Director
internal import Encode
internal import Overlay
internal import Posix
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

  /// Plays the music beside the voice. It outlives the audio half.
  public let music: MusicPlayer
  /// Reads the guests. It outlives both halves.
  let guests: GuestLines
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
  let encoders: EncoderFactory
  /// The clock of capture times, of the stream's timeline and of all waits.
  let clock: MediaClock
  /// The time of day, for overlays that are shown at set times.
  let wallClock: WallClock
  /// Receives the studio's reports, on any thread.
  let listener: StudioListener
  /// Records which media files have made the program crash.
  let openings: FileOpenings
  /// Creates a camera: a real one, or a fake one in tests.
  let cameras: CameraMaker
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
    guests = GuestLines(
      clock: clock, refusal: { listener(.senderRefused(sentence: $0)) },
      report: { listener(.guest($0, $1)) })
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
  func passTextVariables(_ video: StudioVideo) {
    for maker in [video.maker] + video.seconds.withLock({ $0.map(\.maker) }) {
      maker.overlays.update { present in present = textVariables.withLock { $0 } }
    }
  }

  /// Sets the box's name and time zone for overlay texts. Reads the time zone's file.
  func describe(_ box: BoxSettings) {
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
      if state.leader == user.number { (state.leader, state.wantsCamera) = (nil, false) }
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
