// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Capture
public import Director
internal import Encode
internal import RateControl
public import Settings
internal import Synchronization

/// Sources, pipelines and encoders. They run while a user needs them, and release their devices when none does.
///
/// Users come and go on any thread. One thread, the owner's, calls `adjust` and `supervise`: opening and closing takes
/// time.
public final class Studio: SettingsFollower {
  /// How long closing may take when it is not part of a broadcast's end.
  private static let closingNanos = Int64.milliseconds(1_500)

  struct State {
    var settings: Settings
    /// Those that what is open follows.
    var followed: Settings
    /// Audio tracks besides the main one.
    var tracks: [TrackPlan] = []
    var users: [Int: StudioNeeds] = [:]
    var lastUser = 0
    /// The user that sets the encoders' bit rates, size and speed; `nil` if the settings alone do.
    var leader: Int?
    var isLed: Bool { leader != nil }
    /// A leader has come: what does not fit the settings any more is opened anew.
    var renews = false
    var scenes = Scenes()
    /// Whether the video pipeline has got the scene.
    var isVideoSet = true
    var video: StudioVideo?
    var audio: StudioAudio?
    /// Lasts until nothing is open.
    var run: Run?
    var watch: StudioWatch
    var hasLeftBehind = false
    /// What those that were closed had counted.
    var past = StudioFigures()
    /// What the speed ladder costs on this machine.
    var costs = SpeedCosts()

    init(_ settings: Settings) {
      (self.settings, followed) = (settings, settings)
      watch = StudioWatch(settings.video)
    }

    /// What users need, without one of them.
    func needs(besides user: Int? = nil) -> StudioNeeds {
      users.reduce(into: []) { if $1.key != user { $0.formUnion($1.value) } }
    }
  }

  /// What the halves have in common while the studio is open.
  struct Run {
    /// Of one beginning, so that a file's video and audio are in step.
    var makers: SourceMaker
    var ending: Ending
  }

  /// Why a broadcast cannot go on. The first thread that sees it sets it.
  final class Ending: Sendable {
    private let first = Mutex<BroadcastEnding?>(nil)
    var value: BroadcastEnding? { first.withLock { $0 } }
    func set(_ ending: BroadcastEnding) { first.withLock { $0 = $0 ?? ending } }
  }

  let renditions = Renditions()
  /// Measures what viewers hear.
  let levels = LevelMeter()
  /// See `clockShare`.
  let expectedClockShare = Atomic(1.0)
  private let encoders: EncoderFactory
  let clock: MediaClock
  let listener: StudioListener
  private let openings: FileOpenings
  let state: Mutex<State>

  /// - Parameters:
  ///   - stateDirectory: where it is kept which media files have ended the program; `nil` to open all.
  ///   - listener: receives what happens.
  public convenience init(
    settings: Settings, clock: MediaClock = .system, stateDirectory: String? = nil,
    listener: @escaping StudioListener
  ) {
    self.init(
      settings: settings, encoders: .libraries, clock: clock, stateDirectory: stateDirectory,
      listener: listener)
  }

  init(
    settings: Settings, encoders: EncoderFactory, clock: MediaClock, stateDirectory: String? = nil,
    listener: @escaping StudioListener
  ) {
    self.encoders = encoders
    self.clock = clock
    openings = FileOpenings(directory: stateDirectory)
    self.listener = listener
    state = Mutex(State(settings))
  }

  // MARK: Users

  /// Keeps open what a new user needs. Devices open with the next `adjust`.
  /// - Parameter leads: the user sets the encoders' bit rates, size and speed.
  public func enter(_ needs: StudioNeeds, leads: Bool = false) -> StudioUser {
    state.withLock { state in
      state.lastUser += 1
      if leads {
        state.leader = state.lastUser
        state.renews = true
      }
      state.users[state.lastUser] = needs
      return StudioUser(number: state.lastUser, studio: self)
    }
  }

  func forget(_ user: StudioUser) {
    state.withLock { state in
      state.users[user.number] = nil
      if state.leader == user.number { state.leader = nil }
    }
  }

  /// Whether anybody else uses the studio.
  func isShared(besides user: StudioUser) -> Bool {
    state.withLock { !$0.needs(besides: user.number).isEmpty }
  }

  /// Opens what users need, and closes what none needs.
  /// - Parameter deadline: for closing, on the system clock, as for `Worker.join`.
  /// - Returns: `false` if something had not ended by `deadline`. It is left behind.
  @discardableResult
  public func adjust(by deadline: MediaTime? = nil) -> Bool {
    let allClosed = close(by: deadline)
    var allFollowed = follow()
    let (video, audio) = open()
    video?.start()
    audio?.start()
    allFollowed = followTracks() && allFollowed
    return allClosed && allFollowed
  }

  /// Uses other settings from now on. What is open follows with the next `adjust`, without a gap for viewers, but for
  /// changes that `SettingChange.effect` puts off.
  public func change(_ settings: Settings) { state.withLock { $0.settings = settings } }

  /// Has these audio tracks besides the main one from now on. Those that are open join and leave with the next `adjust`.
  /// - Parameter tracks: each with another name.
  func follow(_ tracks: [TrackPlan]) { state.withLock { $0.tracks = tracks } }

  /// - Returns: `false` if a source that is not used any more did not end in time.
  private func followTracks() -> Bool {
    let (tracks, audio, makers) = state.withLock { ($0.tracks, $0.audio, $0.run?.makers) }
    guard let audio, let makers else { return true }
    let allEnded = audio.follow(tracks, makers: makers, by: .now() + Studio.closingNanos)
    if !allEnded { state.withLock { $0.hasLeftBehind = true } }
    return allEnded
  }

  /// Lets what is open follow the settings.
  /// - Returns: `false` if a source that is not used any more did not end in time.
  private func follow() -> Bool {
    let (old, new, video, audio, leads) = state.withLock { state in
      let old = state.followed
      state.followed = state.settings
      return (old, state.settings, state.video, state.audio, state.isLed)
    }
    guard new != old else { return true }
    let deadline = MediaTime.now() + Studio.closingNanos
    var allEnded = true
    if let run = state.withLock({ $0.run }) {
      // Files begin anew, in step with one another.
      let makers = makeMakers(run.ending)
      state.withLock { $0.run?.makers = makers }
      allEnded =
        video?.change(new, makers: makers, followsEncoding: !leads, by: deadline) ?? true
      allEnded =
        audio?.change(new.audio, makers: makers, followsBitrate: !leads, by: deadline) ?? true
        && allEnded
    }
    state.withLock { state in
      if !allEnded { state.hasLeftBehind = true }
      state.watch.change(new.video)
    }
    return allEnded
  }

  /// Closes what no user needs.
  /// - Parameter all: closes also what users need.
  func close(all: Bool = false, by deadline: MediaTime?) -> Bool {
    let (video, audio) = state.withLock { state -> (StudioVideo?, StudioAudio?) in
      let needs = all ? [] : state.needs()
      var closing: (video: StudioVideo?, audio: StudioAudio?)
      if let video = state.video, !needs.contains(.video) || video.isFinished {
        closing.video = video
        state.video = nil
      }
      let isStale = state.renews && state.audio?.isStale(for: state.settings.audio) ?? false
      state.renews = false
      if let audio = state.audio, !needs.contains(.audio) || audio.isFinished || isStale {
        closing.audio = audio
        state.audio = nil
      }
      return closing
    }
    guard video != nil || audio != nil else { return true }
    let deadline = deadline ?? .now() + Studio.closingNanos
    // All at once: one that hangs must not use up the others' time.
    video?.requestStop()
    audio?.requestStop()
    var allEnded = video?.stop(by: deadline) ?? true
    allEnded = audio?.stop(by: deadline) ?? true && allEnded
    let over = state.withLock { state -> [StudioReport] in
      if !allEnded { state.hasLeftBehind = true }
      if let video { state.past.video.add(video) }
      if let audio { state.past.audio.add(audio.pipeline) }
      let closed: [StudioReport] =
        (video == nil ? [] : [.closed(.video)]) + (audio == nil ? [] : [.closed(.audio)])
      guard state.video == nil, state.audio == nil else { return closed }
      state.run = nil
      defer { state.watch = StudioWatch(state.settings.video) }
      return closed + state.watch.end()
    }
    for report in over { listener(report) }
    return allEnded
  }

  /// Creates what is missing. Each half begins with the present scene.
  private func open() -> (StudioVideo?, StudioAudio?) {
    let (needs, settings, costs) = state.withLock { state in
      var needs = state.needs()
      if state.video != nil || state.settings.video.source == .none { needs.remove(.video) }
      if state.audio != nil || state.settings.audio.source == .none { needs.remove(.audio) }
      return (needs, state.settings, state.costs)
    }
    guard needs.contains(.video) || needs.contains(.audio) else { return (nil, nil) }
    let run = state.withLock { $0.run } ?? makeRun()
    state.withLock { $0.run = run }
    let fatal: @Sendable (String) -> Void = { [listener] sentence in
      listener(.encoderBroken(sentence))
      run.ending.set(.encoderBroken)
    }
    // Made without the lock: a pause must not wait for it.
    var opened: (video: StudioVideo?, audio: StudioAudio?)
    if needs.contains(.video) {
      listener(.opening(.video))
      let video = StudioVideo(
        settings, costs: costs, makers: run.makers, renditions: renditions, encoders: encoders,
        clock: clock, fatal: fatal, listener: listener)
      video.pipeline.clockShare.store(clockShare, ordering: .relaxed)
      opened.video = video
    }
    if needs.contains(.audio) {
      listener(.opening(.audio))
      opened.audio = StudioAudio(
        settings, makers: run.makers, renditions: renditions, encoders: encoders, levels: levels,
        clock: clock, fatal: fatal)
    }
    state.withLock { state in
      if let video = opened.video {
        state.video = video
        state.isVideoSet = video.show(state.scenes)
      }
      if let audio = opened.audio {
        audio.pipeline.hear(state.scenes.heard)
        state.audio = audio
      }
    }
    return opened
  }

  private func makeRun() -> Run {
    let ending = Ending()
    return Run(makers: makeMakers(ending), ending: ending)
  }

  private func makeMakers(_ ending: Ending) -> SourceMaker {
    SourceMaker(clock: clock, openings: openings) { [weak self, listener] input, report in
      if input == .video, report.state == .running { self?.videoHasBegun() }
      listener(.source(input, report))
      if report.state == .ended {
        ending.set(report.code == "ended" ? .sourceEnded : .sourceUnavailable)
      }
    }
  }

  /// Why a broadcast cannot go on; `nil` while it can.
  var ending: BroadcastEnding? { state.withLock { $0.run?.ending.value } }

  // MARK: Scenes

  /// Cuts to the plan's video and audio. `.none` leaves it as it is, since the last viewers have not gone yet.
  ///
  /// Once this returns, nothing that the plan hides is handed to a sink any more, except the rest of a message of which
  /// the first part has been sent.
  public func present(_ plan: Plan) { present(plan.video, plan.audio) }

  /// Off air nothing is hidden: whoever looks then is at the box.
  public func presentOffAir() { present(.camera, .microphone) }

  private func present(_ video: Plan.Video, _ audio: Plan.Audio) {
    state.withLock { state in
      let change = state.scenes.change(video, audio, now: clock.now)
      // First, so that the audio thread knows which of its packets no sink takes any more.
      if change.audio { state.audio?.pipeline.hear(state.scenes.heard) }
      if change.video || change.audio {
        renditions.begin(
          video: state.scenes.videoNumber, audio: state.scenes.audioNumber,
          hidesVideo: change.hidesVideo, hidesAudio: change.hidesAudio)
      }
      if change.video { state.isVideoSet = false }
      // While a still is being prepared, the next call asks again.
      if !state.isVideoSet {
        state.isVideoSet = state.video?.show(state.scenes) ?? true
      } else {
        state.video?.renewStill(state.scenes)
      }
    }
  }

  /// Begins new scenes with the same video and audio, without a gap: sinks discard what they have of the earlier ones,
  /// and those that join get nothing of them. The source that is open now decides the colour of live video.
  public func renewScenes() {
    state.withLock { state in
      state.scenes.renew(now: clock.now)
      state.audio?.pipeline.hear(state.scenes.heard)
      renditions.begin(
        video: state.scenes.videoNumber, audio: state.scenes.audioNumber, hidesVideo: true,
        hidesAudio: true)
      state.video?.pipeline.reopenColour()
      state.isVideoSet = state.video?.show(state.scenes) ?? true
    }
  }

  /// The numbers of the present scenes, and when the audio's began.
  var scene: (video: UInt32, audioSince: MediaTime) {
    state.withLock { ($0.scenes.videoNumber, $0.scenes.audioSince) }
  }
}
