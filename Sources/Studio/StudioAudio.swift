// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Director
internal import Encode
internal import Media
internal import Settings
internal import Synchronization

/// The audio half of an open studio: the audio tracks, and the pipeline that mixes and encodes them. The main track
/// always exists and follows the settings; other tracks join and leave.
final class StudioAudio: Sendable {
  /// The tracks besides the main one, each with its plan.
  private struct OtherTracks {
    var plans: [TrackPlan] = []
    var tracks: [StudioTrack] = []
  }

  /// Mixes and encodes all tracks.
  let pipeline: AudioPipeline
  /// Plays the programme or a track in headphones at the box.
  let monitor: StudioMonitor
  /// The track of the setting `audio.source`.
  private let main: StudioTrack
  /// The tracks besides the main one. Only `follow` changes them.
  private let others = Mutex(OtherTracks())
  /// The settings that were last applied.
  private let settings: Mutex<AudioSettings>
  /// Copies the samples of the main track before its delay and all processing.
  var mainTap: AudioTap { main.track.queue.tap }
  /// 0 to 100; see `Volumes`.
  private let voiceVolume = Atomic(50)
  /// The number of channels, 1 or 2, with which this half was opened.
  let channels: Int
  /// The sample rate of the encoded audio with which this half was opened.
  private let sampleRate: Int
  /// Encodes each track by itself; `nil` while nobody wants that.
  private let separate = Mutex<SeparateTracks?>(nil)
  /// Encodes the sum without guests; `nil` while nobody wants that.
  private let camera = Mutex<CameraSound?>(nil)
  /// Opens audio encoders.
  private let encoders: EncoderFactory
  /// Signals that a track has delivered samples.
  private let arrival = Signal()
  /// Passes the encoded packets to the sinks.
  private let renditions: Renditions
  /// Whether `finish` was called.
  private let finished = Atomic(false)
  private let listener: StudioListener

  init(
    _ settings: Settings, makers: SourceMaker, renditions: Renditions, encoders: EncoderFactory,
    levels: LevelMeter, monitor: StudioMonitor, clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void, listener: @escaping StudioListener
  ) {
    (self.renditions, self.encoders) = (renditions, encoders)
    self.listener = listener
    self.monitor = monitor
    channels = settings.audio.channels
    sampleRate = settings.audio.profile.sampleRate
    main = StudioTrack(
      TrackPlan(settings.audio, voiceVolume: Volumes().voice), makers: makers, channels: channels,
      arrival: arrival, clock: clock)
    self.settings = Mutex(settings.audio)
    pipeline = AudioPipeline(
      tracks: [main.track], channels: channels, sampleRate: sampleRate, arrival: arrival,
      bitrateKbps: settings.audio.bitrateKbps, renditions: renditions, encoders: encoders,
      levels: levels, clock: clock, fatal: fatal)
    pipeline.follow(duckDB: settings.music.duckDb)
    pipeline.follow(targetLUFS: settings.audio.targetLUFS)
  }

  /// Starts the pipeline and the main track's source.
  func start() {
    pipeline.start()
    main.slot.start()
    followMonitor()
  }

  /// Cuts the sum and the tracks that are encoded by themselves to another scene.
  func cut(to scene: AudioScene) {
    pipeline.cut(to: scene)
    separate.withLock { $0 }?.cut(to: scene)
    camera.withLock { $0 }?.cut(to: scene)
  }

  /// Encodes each track by itself for `sinks`; `nil` for none. To be called by the thread that calls `Studio.adjust`.
  /// - Parameters:
  ///   - cut: cuts a new pipeline to the present scene; returns `false` if the sinks are not wanted any more.
  /// - Returns: `false` if a thread was still running at `deadline`.
  func separate(
    to sinks: TrackSinks?, cut: (AudioPipeline) -> Bool, by deadline: MediaTime
  ) -> Bool {
    let present = separate.withLock { $0 }
    var hasEnded = true
    if let present, present.sinks !== sinks {
      hasEnded = present.stop(by: deadline)
      separate.withLock { $0 = nil }
    }
    guard let sinks, !isFinished else { return hasEnded }
    let new = separate.withLock { separate in
      let new =
        separate
        ?? SeparateTracks(
          sinks, channels: channels, sampleRate: sampleRate,
          bitrateKbps: settings.withLock { $0.bitrateKbps }, encoders: encoders,
          clock: pipeline.clock)
      separate = new
      return new
    }
    new.follow(tracks.map(\.track), cut: cut)
    return hasEnded
  }

  /// Encodes the sum without guests, or does so no more. To be called by the thread that calls `Studio.adjust`.
  /// - Parameter cut: calls its argument with the present scene, so that no later cut comes before.
  /// - Returns: `false` if a thread was still running at `deadline`.
  func encodeCameraSound(
    _ isWanted: Bool, cut: ((AudioScene) -> Void) -> Void, by deadline: MediaTime
  ) -> Bool {
    guard isWanted, !isFinished else {
      return camera.withLock { $0.take() }?.stop(by: deadline) ?? true
    }
    let bitrateKbps = settings.withLock { $0.bitrateKbps }
    if let present = camera.withLock({ $0 }) {
      present.follow(tracks.map(\.track), bitrateKbps: bitrateKbps, sum: pipeline)
      return true
    }
    let new = CameraSound(
      channels: channels, sampleRate: sampleRate, bitrateKbps: bitrateKbps,
      renditions: renditions, encoders: encoders, clock: pipeline.clock,
      fatal: { [listener] in listener(.encoderBroken("For relays that get the camera alone: \($0)"))
      })
    cut { scene in
      new.cut(to: scene)
      camera.withLock { $0 = new }
    }
    new.follow(tracks.map(\.track), bitrateKbps: bitrateKbps, sum: pipeline)
    new.start()
    return true
  }

  /// Offers no more packets of single tracks.
  func silenceSeparate() { separate.withLock { $0 }?.silence() }

  /// Lets the headphones play what the settings ask for.
  private func followMonitor() {
    let settings = settings.withLock { $0.monitor }
    let tap =
      switch settings.source {
      case .programme: pipeline.programme
      case .track(let name): tracks.first { $0.name == name }?.track.queue.tap
      }
    monitor.follow(settings, channels: channels, tap: tap)
  }

  /// The open source of the main track; `nil` if there is none.
  var source: (any Source)? { main.slot.source }
  /// The value of `audio.source` from which the main track's source was made.
  var sourceKind: AudioSource { main.slot.kind }
  /// The delay of the main track from the settings, in nanoseconds: added to the time of every sample; may be negative.
  var delayNanos: Int64 { settings.withLock { $0.delayNanos } }
  /// When the main track's source first delivered samples; `nil` before.
  var firstBeat: MediaTime? { main.track.sourcePulse.firstBeat }
  /// Whether the main track's source has delivered samples.
  var hasDelivered: Bool { main.track.sourcePulse.hasBeaten }
  /// Whether this audio half has to be reopened for these settings, because their number of channels or their sample
  /// rate differs.
  func isStale(for settings: AudioSettings) -> Bool {
    channels != settings.channels || sampleRate != settings.profile.sampleRate
  }

  /// Applies new settings, except for `channels` and `profile`. If they name another source, the present source is
  /// closed and then the new source is opened; viewers hear silence until the new source delivers.
  /// - Parameters:
  ///   - followsBitrate: whether the settings alone determine the bit rate. `false` while a broadcast controls it.
  ///   - deadline: the latest time for closing the present source, on the system clock.
  /// - Returns: `false` if the thread of the present source was still running at `deadline`. That thread is then
  ///   abandoned.
  func change(
    _ settings: AudioSettings, makers: SourceMaker, followsBitrate: Bool, by deadline: MediaTime
  ) -> Bool {
    let old = self.settings.withLock { present in
      defer { present = settings }
      // Within the lock, so that a new volume of the voices is neither lost nor taken back.
      adjustMain(settings)
      return present
    }
    pipeline.follow(targetLUFS: settings.targetLUFS)
    if followsBitrate { pipeline.follow(bitrateKbps: settings.bitrateKbps) }
    followMonitor()
    let isOther =
      settings.source != old.source || settings.source.isPipe && settings.pipe != old.pipe
    guard isOther, settings.source != .none else { return true }
    return main.open(settings.source, makers: makers, now: pipeline.clock.now, by: deadline)
  }

  /// Sets how loud the main track is among all, 0 to 100, besides its own volume.
  func set(voiceVolume: Int) {
    settings.withLock { settings in
      self.voiceVolume.store(voiceVolume, ordering: .relaxed)
      adjustMain(settings)
    }
  }

  private func adjustMain(_ settings: AudioSettings) {
    let plan = TrackPlan(settings, voiceVolume: voiceVolume.load(ordering: .relaxed))
    main.track.adjust(plan.adjustment)
  }

  /// Adds, removes and changes tracks besides the main one.
  /// - Parameters:
  ///   - plans: all tracks besides the main one. Tracks beyond the limit `Mixer.maxTracks`, which includes the main
  ///     track, are ignored.
  ///   - deadline: the latest time for closing the sources of removed tracks, on the system clock.
  /// - Returns: `false` if the thread of a removed track's source was still running at `deadline`. That thread is then
  ///   abandoned.
  func follow(_ plans: [TrackPlan], makers: SourceMaker, by deadline: MediaTime) -> Bool {
    let plans = Array(plans.prefix(Mixer.maxTracks - 1))
    let old = others.withLock { $0 }
    guard plans != old.plans else { return true }
    let clock = pipeline.clock
    let before = Dictionary(
      zip(old.plans.map(\.name), zip(old.plans, old.tracks)),
      uniquingKeysWith: { first, _ in first })
    var (tracks, joining): ([StudioTrack], [StudioTrack]) = ([], [])
    for plan in plans {
      if let (former, track) = before[plan.name], former.source == plan.source,
        former.pipe == plan.pipe, former.role == plan.role, former.player == plan.player
      {
        track.track.adjust(plan.adjustment)
        tracks.append(track)
      } else {
        let track = StudioTrack(
          plan, makers: makers, channels: channels, arrival: arrival, clock: clock)
        tracks.append(track)
        joining.append(track)
      }
    }
    pipeline.follow([main.track] + tracks.map(\.track))
    let leaving = old.tracks.filter { track in !tracks.contains { $0 === track } }
    for track in leaving { track.slot.requestStop() }
    var allEnded = true
    for track in leaving {
      allEnded = track.slot.stop(by: deadline) && allEnded
      listener(.trackClosed(track.name))
    }
    // The sources of new tracks start last: a device can be opened again only after the removed track has closed it.
    for track in joining { track.slot.start() }
    others.withLock { $0 = OtherTracks(plans: plans, tracks: tracks) }
    followMonitor()
    return allEnded
  }

  /// Silences a track besides the main one at once, which `follow` is about to remove.
  func silence(track name: String) {
    others.withLock { others in
      guard let index = others.plans.firstIndex(where: { $0.name == name }) else { return }
      others.plans[index].adjustment.gain.isMuted = true
      others.tracks.first { $0.name == name }?.track.adjust(others.plans[index].adjustment)
    }
  }

  /// Ends the pipeline for good when its audio has reached `time` on the stream's timeline. Waits for the end, until
  /// `deadline` at most.
  func finish(at time: MediaTime, by deadline: MediaTime) {
    finished.store(true, ordering: .relaxed)
    _ = pipeline.finish(at: time, by: deadline)
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// The tracks of the pipeline, the main one first.
  var openTracks: [AudioPipeline.Track] { tracks.map(\.track) }

  /// What is measured of each track, the main one first.
  func readings(_ now: MediaTime) -> [TrackReading] {
    tracks.map { track in
      let reading = track.track.reading
      return TrackReading(
        name: track.name, source: track.slot.kind, health: Conditions.Input(track.health(now)),
        alarms: reading.alarms.alarms.intersection(track.slot.kind.alarms), hum: reading.hum)
    }
  }

  /// All tracks, the main one first.
  private var tracks: [StudioTrack] { others.withLock { [main] + $0.tracks } }

  /// Asks the threads of the sources and of the pipeline to end; does not wait for their end.
  func requestStop() {
    for track in tracks { track.slot.requestStop() }
    monitor.close()
    pipeline.requestStop()
    separate.withLock { $0 }?.requestStop()
    camera.withLock { $0 }?.requestStop()
  }

  /// Stops all sources and the pipeline, and waits until their threads have ended. The headphones are not waited for.
  /// - Returns: `false` if one of these threads was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    var allEnded = true
    for track in tracks { allEnded = track.slot.stop(by: deadline) && allEnded }
    allEnded = pipeline.stop(by: deadline) && allEnded
    allEnded = separate.withLock { $0.take() }?.stop(by: deadline) ?? true && allEnded
    allEnded = camera.withLock { $0.take() }?.stop(by: deadline) ?? true && allEnded
    renditions.forget(.audio)
    return allEnded
  }

  /// The state of the main track's source: being opened, delivering samples, or lost.
  func health(_ now: MediaTime) -> Pulse.Health { main.health(now) }

  /// Whether the source of the track with this name is being opened, delivers samples, or is lost; `nil` if there is no
  /// such track.
  func health(_ now: MediaTime, track name: String) -> Pulse.Health? {
    tracks.first { $0.name == name }?.health(now)
  }

  /// The drift of the main microphone's sample clock against CLOCK_MONOTONIC, in parts per million; `nil` while it is
  /// not known.
  var driftPPM: Double? { main.driftPPM }
}

extension TrackPlan {
  /// The plan of the main track, from the settings.
  /// - Parameter voiceVolume: see `Volumes`.
  init(_ settings: AudioSettings, voiceVolume: Int) {
    self.init(
      name: SilencedTracks.main, source: settings.source,
      adjustment: AudioPipeline.Adjustment(settings.strip, settings, voiceVolume: voiceVolume),
      role: .voice)
  }
}

extension AudioSettings {
  /// The delay of the main track in nanoseconds; may be negative.
  var delayNanos: Int64 { strip.delayNanos }
}
