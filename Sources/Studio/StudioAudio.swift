// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Capture
internal import Media
internal import Settings
internal import Synchronization

/// The audio half of a studio that is open: source and pipeline.
final class StudioAudio: Sendable {
  let pipeline: AudioPipeline
  let sources: [any Source]
  /// The settings' shift of all sound.
  let delayNanos: Int64
  private let openedAt: MediaTime
  private let outlet: Outlet
  private let finished = Atomic(false)

  init(
    _ settings: Settings, makers: SourceMaker, outlet: Outlet, clock: MediaClock,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.outlet = outlet
    openedAt = clock.now
    delayNanos = .milliseconds(Int64(settings.audio.delayMs))
    let arrival = Signal()
    let channels = settings.audio.channels
    let queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    sources = makers.audioSources(into: queue)
    pipeline = AudioPipeline(
      tracks: [AudioPipeline.Track(queue: queue, gainDB: settings.audio.gainDb)],
      channels: channels, arrival: arrival, bitrateKbps: settings.audio.bitrateKbps,
      delayNanos: delayNanos, outlet: outlet, clock: clock, fatal: fatal)
  }

  func start() {
    pipeline.start()
    for source in sources { source.start() }
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
