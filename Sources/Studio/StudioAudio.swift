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

/// The audio half of a studio that is open: source and pipeline.
final class StudioAudio: Sendable {
  let pipeline: AudioPipeline
  private let slot: SourceSlot<AudioSource>
  private let main: AudioPipeline.Track
  /// The thread that owns the studio changes them.
  private let settings: Mutex<AudioSettings>
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
    main = AudioPipeline.Track(
      name: SilencedTracks.main, queue: queue,
      adjustment: AudioPipeline.Adjustment(settings.audio))
    slot = SourceSlot(
      makers.audioSource(settings.audio, into: queue), kind: settings.audio.source, now: clock.now)
    self.settings = Mutex(settings.audio)
    pipeline = AudioPipeline(
      tracks: [main], channels: channels, arrival: arrival,
      bitrateKbps: settings.audio.bitrateKbps, renditions: renditions,
      encoders: encoders,
      levels: levels,
      clock: clock, fatal: fatal)
  }

  func start() {
    pipeline.start()
    slot.start()
  }

  /// The source that is open.
  var source: (any Source)? { slot.source }
  var sourceKind: AudioSource { slot.kind }
  /// The settings' shift of all sound.
  var delayNanos: Int64 { settings.withLock { $0.delayNanos } }
  /// When the main source first delivered; `nil` before.
  var firstBeat: MediaTime? { main.source.firstBeat }
  /// Whether the main source has delivered.
  var hasDelivered: Bool { main.source.hasBeaten }
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
    main.adjust(AudioPipeline.Adjustment(settings))
    if followsBitrate { pipeline.follow(bitrateKbps: settings.bitrateKbps) }
    guard settings.source != old.source, settings.source != .none else { return true }
    let hasEnded = slot.stop(by: deadline)
    main.source.forget()
    slot.open(
      makers.audioSource(settings, into: queue), kind: settings.source, now: pipeline.clock.now)
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
    slot.requestStop()
    pipeline.requestStop()
  }

  /// - Returns: `false` if something had not ended by `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let sourceHasEnded = slot.stop(by: deadline)
    let pipelineHasEnded = pipeline.stop(by: deadline)
    renditions.forget(.audio)
    return sourceHasEnded && pipelineHasEnded
  }

  func health(_ now: MediaTime) -> Pulse.Health { slot.health(now, main.source) }

  /// The deviation of the microphone's sample clock; `nil` while it is not known.
  var driftPPM: Double? { (source as? Microphone)?.figures.driftPPM }
}

extension AudioSettings {
  var delayNanos: Int64 { .milliseconds(Int64(delayMs)) }
}
