// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Director
internal import Media
internal import Settings

/// The plan of an audio track of the programme.
struct TrackPlan: Sendable, Equatable {
  /// The name by which a pause or a mute refers to the track. The names of all tracks differ.
  var name: String
  var source: AudioSource
  var gainDB = 0.0
  /// Nanoseconds added to the time of every sample; may be negative.
  var delayNanos: Int64 = 0
  /// Applied in this order, before the gain.
  var filters: [AudioFilterPlan] = []
}

/// An open audio track: its source and its place in the audio pipeline. The source reopens its device by itself after a
/// failure, and resamples to the studio's clock. The thread that calls `Studio.adjust` creates and closes the track.
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

  /// The drift of the microphone's sample clock against CLOCK_MONOTONIC, in parts per million; `nil` while it is not
  /// known.
  var driftPPM: Double? { (slot.source as? Microphone)?.figures.driftPPM }

  /// Replaces the source: closes the present one, then opens the other. Viewers hear silence until it delivers.
  /// - Parameter deadline: for closing the present source, on the system clock.
  /// - Returns: `false` if the thread of the present source was still running at `deadline`. It is then abandoned.
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
