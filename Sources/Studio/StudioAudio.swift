// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Encode
internal import Media
internal import Settings
internal import Synchronization

/// The audio half of a studio that is open: source and pipeline.
final class StudioAudio: Sendable {
  private struct State {
    var settings: AudioSettings
    /// The source that is open, and since when.
    var source: (any Source)?
    var kind: AudioSource
    var openedAt: MediaTime
  }

  let pipeline: AudioPipeline
  /// The thread that owns the studio changes it.
  private let state: Mutex<State>
  private let channels: Int
  private let queue: PCMQueue
  private let renditions: Renditions
  private let finished = Atomic(false)

  init(
    _ settings: Settings, makers: SourceMaker, renditions: Renditions, encoders: EncoderFactory,
    levels: LevelMeter, clock: MediaClock, fatal: @escaping @Sendable (String) -> Void
  ) {
    self.renditions = renditions
    let arrival = Signal()
    channels = settings.audio.channels
    queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    state = Mutex(
      State(
        settings: settings.audio, source: makers.audioSource(settings.audio, into: queue),
        kind: settings.audio.source, openedAt: clock.now))
    pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(queue: queue)], channels: channels, arrival: arrival,
      bitrateKbps: settings.audio.bitrateKbps,
      adjustment: AudioPipeline.Adjustment(settings.audio), renditions: renditions,
      encoders: encoders,
      levels: levels,
      clock: clock, fatal: fatal)
  }

  func start() {
    pipeline.start()
    source?.start()
  }

  /// The source that is open.
  var source: (any Source)? { state.withLock { $0.source } }
  var sourceKind: AudioSource { state.withLock { $0.kind } }
  /// The settings' shift of all sound.
  var delayNanos: Int64 { state.withLock { $0.settings.delayNanos } }
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
    let (old, source) = state.withLock { state in
      let before = (state.settings, state.source)
      state.settings = settings
      return before
    }
    pipeline.adjust(AudioPipeline.Adjustment(settings))
    if followsBitrate { pipeline.follow(bitrateKbps: settings.bitrateKbps) }
    guard settings.source != old.source, settings.source != .none else { return true }
    let hasEnded = source?.stop(by: deadline) ?? true
    let new = makers.audioSource(settings, into: queue)
    pipeline.source.forget()
    state.withLock { state in
      state.source = new
      state.kind = settings.source
      state.openedAt = pipeline.clock.now
    }
    new?.start()
    return hasEnded
  }

  /// Ends the pipeline for good once it has reached `time` on the stream's timeline.
  func finish(at time: MediaTime, by deadline: MediaTime) {
    finished.store(true, ordering: .relaxed)
    _ = pipeline.finish(at: time, by: deadline)
  }

  /// Whether `finish` was called.
  var isFinished: Bool { finished.load(ordering: .relaxed) }

  /// Asks all threads to end; does not wait for them.
  func requestStop() {
    source?.requestStop()
    pipeline.requestStop()
  }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let sourceHasEnded = source?.stop(by: deadline) ?? true
    let pipelineHasEnded = pipeline.stop(by: deadline)
    renditions.forget(.audio)
    return sourceHasEnded && pipelineHasEnded
  }

  func health(_ now: MediaTime) -> Pulse.Health {
    pipeline.source.health(now, startedAt: state.withLock { $0.openedAt })
  }

  /// The deviation of the microphone's sample clock; `nil` while it is not known.
  var driftPPM: Double? { (source as? Microphone)?.figures.driftPPM }
}

extension AudioSettings {
  var delayNanos: Int64 { .milliseconds(Int64(delayMs)) }
}
