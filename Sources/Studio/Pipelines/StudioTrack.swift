// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Director
internal import Media
internal import Settings

/// A track of the programme's sound besides the main one.
struct TrackPlan: Sendable, Equatable {
  /// By which a pause or a mute names it. Each track has another.
  var name: String
  var source: AudioSource
  var gainDB = 0.0
  /// Added to the time of every sample; may be negative.
  var delayNanos: Int64 = 0
  /// Applied in this order, before the gain.
  var filters: [AudioFilterPlan] = []
}

/// A track of a studio that is open: its source, which is tried again by itself and resampled to the studio's clock, and
/// its place in the pipeline. The thread that owns the studio makes and closes it.
final class StudioTrack: Sendable {
  let name: String
  let track: AudioPipeline.Track
  let slot: SourceSlot<AudioSource>

  init(
    _ plan: TrackPlan, makers: SourceMaker, channels: Int, arrival: Signal, clock: MediaClock
  ) {
    name = plan.name
    let queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    track = AudioPipeline.Track(
      name: name, queue: queue,
      adjustment: AudioPipeline.Adjustment(gainDB: plan.gainDB, delayNanos: plan.delayNanos),
      filters: plan.filters.map { $0.make(channels) })
    slot = SourceSlot(
      makers.audioSource(plan.source, track: name, into: queue), kind: plan.source,
      now: clock.now)
  }

  func health(_ now: MediaTime) -> Pulse.Health { slot.health(now, track.source) }

  /// The deviation of the microphone's sample clock; `nil` while it is not known.
  var driftPPM: Double? { (slot.source as? Microphone)?.figures.driftPPM }

  /// Opens another source when the present one has been closed; viewers hear silence until it delivers.
  /// - Parameter deadline: for closing the present source, on the system clock.
  /// - Returns: `false` if the present source had not ended by `deadline`. It is left behind.
  func open(_ source: AudioSource, makers: SourceMaker, now: MediaTime, by deadline: MediaTime)
    -> Bool
  {
    let hasEnded = slot.stop(by: deadline)
    track.source.forget()
    slot.open(
      makers.audioSource(source, track: name, into: track.queue), kind: source, now: now)
    return hasEnded
  }
}
