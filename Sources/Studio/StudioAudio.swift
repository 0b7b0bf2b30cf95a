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

/// The audio half of a studio that is open: tracks and pipeline. The main track is always there and follows the settings;
/// others join and leave.
final class StudioAudio: Sendable {
  private struct Others {
    var plans: [TrackPlan] = []
    var tracks: [StudioTrack] = []
  }

  let pipeline: AudioPipeline
  private let main: StudioTrack
  /// The thread that owns the studio changes them.
  private let others = Mutex(Others())
  private let settings: Mutex<AudioSettings>
  private let channels: Int
  private let arrival = Signal()
  private let renditions: Renditions
  private let finished = Atomic(false)

  init(
    _ settings: Settings, makers: SourceMaker, renditions: Renditions, encoders: EncoderFactory,
    levels: LevelMeter, clock: MediaClock, fatal: @escaping @Sendable (String) -> Void
  ) {
    self.renditions = renditions
    channels = settings.audio.channels
    main = StudioTrack(
      TrackPlan(settings.audio), makers: makers, channels: channels, arrival: arrival,
      clock: clock)
    self.settings = Mutex(settings.audio)
    pipeline = AudioPipeline(
      tracks: [main.track], channels: channels, arrival: arrival,
      bitrateKbps: settings.audio.bitrateKbps, renditions: renditions, encoders: encoders,
      levels: levels, clock: clock, fatal: fatal)
  }

  func start() {
    pipeline.start()
    main.slot.start()
  }

  /// The main source that is open.
  var source: (any Source)? { main.slot.source }
  var sourceKind: AudioSource { main.slot.kind }
  /// The settings' shift of all sound.
  var delayNanos: Int64 { settings.withLock { $0.delayNanos } }
  /// When the main source first delivered; `nil` before.
  var firstBeat: MediaTime? { main.track.source.firstBeat }
  /// Whether the main source has delivered.
  var hasDelivered: Bool { main.track.source.hasBeaten }
  /// Whether these settings need another pipeline.
  func isStale(for settings: AudioSettings) -> Bool { channels != settings.channels }

  /// Follows new settings, but for `channels`. Another source is opened when the present one has been closed; viewers
  /// hear silence until it delivers.
  /// - Parameters:
  ///   - followsBitrate: whether nobody else sets the bit rate.
  ///   - deadline: for closing the present source, on the system clock.
  /// - Returns: `false` if the present source had not ended by `deadline`. It is left behind.
  func change(
    _ settings: AudioSettings, makers: SourceMaker, followsBitrate: Bool, by deadline: MediaTime
  ) -> Bool {
    let old = self.settings.withLock { present in
      defer { present = settings }
      return present
    }
    main.track.adjust(AudioPipeline.Adjustment(settings))
    if followsBitrate { pipeline.follow(bitrateKbps: settings.bitrateKbps) }
    guard settings.source != old.source, settings.source != .none else { return true }
    return main.open(settings.source, makers: makers, now: pipeline.clock.now, by: deadline)
  }

  /// Lets tracks besides the main one join, leave and change.
  /// - Parameters:
  ///   - plans: those beyond `Mixer.maxTracks` are left out.
  ///   - deadline: for closing sources, on the system clock.
  /// - Returns: `false` if a source had not ended by `deadline`. It is left behind.
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
        former.filters == plan.filters
      {
        track.track.adjust(
          AudioPipeline.Adjustment(gainDB: plan.gainDB, delayNanos: plan.delayNanos))
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
    for track in leaving { allEnded = track.slot.stop(by: deadline) && allEnded }
    // A device can be opened again only when it is closed.
    for track in joining { track.slot.start() }
    others.withLock { $0 = Others(plans: plans, tracks: tracks) }
    return allEnded
  }

  /// Ends the pipeline for good once it has reached `time` on the stream's timeline.
  func finish(at time: MediaTime, by deadline: MediaTime) {
    finished.store(true, ordering: .relaxed)
    _ = pipeline.finish(at: time, by: deadline)
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  private var tracks: [StudioTrack] { others.withLock { [main] + $0.tracks } }

  /// Asks all threads to end; does not wait for them.
  func requestStop() {
    for track in tracks { track.slot.requestStop() }
    pipeline.requestStop()
  }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    var allEnded = true
    for track in tracks { allEnded = track.slot.stop(by: deadline) && allEnded }
    allEnded = pipeline.stop(by: deadline) && allEnded
    renditions.forget(.audio)
    return allEnded
  }

  /// Of the main track.
  func health(_ now: MediaTime) -> Pulse.Health { main.health(now) }

  /// Of a track by its name; `nil` if there is none.
  func health(_ now: MediaTime, track name: String) -> Pulse.Health? {
    tracks.first { $0.name == name }?.health(now)
  }

  /// The deviation of the main microphone's sample clock; `nil` while it is not known.
  var driftPPM: Double? { main.driftPPM }
}

extension TrackPlan {
  /// The main track.
  init(_ settings: AudioSettings) {
    self.init(
      name: SilencedTracks.main, source: settings.source, gainDB: settings.gainDb,
      delayNanos: settings.delayNanos)
  }
}

extension AudioSettings {
  var delayNanos: Int64 { .milliseconds(Int64(delayMs)) }
}
