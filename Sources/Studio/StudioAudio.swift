// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Capture
internal import Media
internal import Settings
internal import Synchronization

/// The audio half of a studio that is open: source and pipeline.
final class StudioAudio: Sendable {
  private struct State {
    var settings: AudioSettings
    /// The source that is open.
    var source: AudioSource
    var sources: [any Source]
  }

  let pipeline: AudioPipeline
  /// The thread that owns the studio changes it.
  private let state: Mutex<State>
  private let queue: PCMQueue
  private let openedAt: MediaTime
  private let outlet: Outlet
  private let finished = Atomic(false)

  init(
    _ settings: Settings, makers: SourceMaker, outlet: Outlet, clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.outlet = outlet
    openedAt = clock.now
    let arrival = Signal()
    let channels = settings.audio.channels
    queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    state = Mutex(
      State(
        settings: settings.audio, source: settings.audio.source,
        sources: makers.audioSources(settings.audio, into: queue)))
    pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(queue: queue, gainDB: settings.audio.gainDb)],
      channels: channels, arrival: arrival, bitrateKbps: settings.audio.bitrateKbps,
      delayNanos: settings.audio.delayNanos, outlet: outlet, clock: clock, fatal: fatal)
  }

  func start() {
    pipeline.start()
    for source in sources { source.start() }
  }

  var sources: [any Source] { state.withLock { $0.sources } }
  /// The source that is open.
  var source: AudioSource { state.withLock { $0.source } }
  /// The settings' shift of all sound.
  var delayNanos: Int64 { state.withLock { $0.settings.delayNanos } }
  /// Whether these settings need another pipeline.
  func isStale(for settings: AudioSettings) -> Bool {
    state.withLock { $0.settings.channels != settings.channels }
  }

  /// Follows new settings, but for `channels`. Another source is opened when the present one has been closed; viewers
  /// hear silence until it delivers.
  /// - Parameters:
  ///   - followsBitrate: whether nobody else sets the bit rate.
  ///   - deadline: for closing the present source, on the system clock.
  /// - Returns: `false` if the present source had not ended by `deadline`. It is left behind.
  func change(
    _ settings: AudioSettings, makers: SourceMaker, followsBitrate: Bool, by deadline: MediaTime
  ) -> Bool {
    let (old, sources) = state.withLock { state in
      let before = (state.settings, state.sources)
      state.settings = settings
      return before
    }
    pipeline.adjust(
      AudioPipeline.Adjustment(gainDB: settings.gainDb, delayNanos: settings.delayNanos))
    if followsBitrate { pipeline.follow(bitrateKbps: settings.bitrateKbps) }
    guard settings.source != old.source, settings.source != .none else { return true }
    var allEnded = true
    for source in sources { allEnded = source.stop(by: deadline) && allEnded }
    let new = makers.audioSources(settings, into: queue)
    state.withLock { state in
      state.sources = new
      state.source = settings.source
    }
    for source in new { source.start() }
    return allEnded
  }

  /// Ends the pipeline for good once it has reached `time` on the stream's timeline.
  func finish(at time: MediaTime, by deadline: MediaTime) {
    finished.store(true, ordering: .relaxed)
    _ = pipeline.finish(at: time, by: deadline)
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    var allEnded = true
    for source in sources { allEnded = source.stop(by: deadline) && allEnded }
    allEnded = pipeline.stop(by: deadline) && allEnded
    outlet.forgetAudio()
    return allEnded
  }

  func health(_ now: MediaTime) -> Pulse.Health {
    pipeline.source.health(now, startedAt: openedAt)
  }

  /// The deviation of the microphone's sample clock; `nil` while it is not known.
  var driftPPM: Double? {
    for case let microphone as Microphone in sources { return microphone.figures.driftPPM }
    return nil
  }
}

extension AudioSettings {
  var delayNanos: Int64 { .milliseconds(Int64(delayMs)) }
}
