// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Capture
internal import Director
internal import Media
internal import Settings

/// The plan of an audio track: its name, source, role, gain, delay and filters.
struct TrackPlan: Sendable, Equatable {
  /// The name of the track, by which a pause or a mute refers to it. The names of all tracks differ.
  var name: String
  /// Where the track's audio comes from.
  var source: AudioSource
  /// The format of what comes through a pipe; `nil` for another source.
  var pipe: AudioPipeSettings?
  /// The gain, the delay and the filters.
  var adjustment = AudioPipeline.Adjustment()
  /// Whether the track is a voice or music.
  var role = AudioTrack.Role.other
  /// Plays what is heard of the track instead of `source`; `nil` for a track with a source of its own.
  var player: Player?

  /// The music or a guest. Compared by identity.
  struct Player: Sendable, Equatable {
    let value: any TrackPlayer
    static func == (one: Player, other: Player) -> Bool { one.value === other.value }
  }
}

/// An open audio track: its source, and the track of the audio pipeline to which the source delivers samples. The
/// source reopens its device by itself after a failure, and resamples to the studio's clock. The thread that calls
/// `Studio.adjust` creates and closes the track.
final class StudioTrack: Sendable {
  /// The name of the track, as in its plan.
  let name: String
  /// The track as the audio pipeline uses it.
  let track: AudioPipeline.Track
  /// Holds the open source of the track.
  let slot: SourceSlot<AudioSource>

  init(
    _ plan: TrackPlan, makers: SourceMaker, channels: Int, arrival: Signal, clock: MediaClock
  ) {
    name = plan.name
    let queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    track = AudioPipeline.Track(
      name: name, queue: queue, adjustment: plan.adjustment, role: plan.role)
    slot = SourceSlot(
      plan.player?.value.makeSource(into: queue)
        ?? makers.audioSource(plan.source, track: name, into: queue),
      kind: plan.source, now: clock.now)
  }

  /// Whether the track's source is being opened, delivers samples, or is lost.
  func health(_ now: MediaTime) -> Pulse.Health { slot.health(now, track.sourcePulse) }

  /// The drift of the source's sample clock against CLOCK_MONOTONIC, in parts per million; `nil` while it is not known.
  var driftPPM: Double? { (slot.source as? any ClockedSource)?.driftPPM }

  /// Closes the present source, then opens the new source. Viewers hear silence until the new source delivers.
  /// - Parameter deadline: the latest time for closing the present source, on the system clock.
  /// - Returns: `false` if the thread of the present source was still running at `deadline`. That thread is then
  ///   abandoned.
  func open(_ source: AudioSource, makers: SourceMaker, now: MediaTime, by deadline: MediaTime)
    -> Bool
  {
    let hasEnded = slot.stop(by: deadline)
    track.sourcePulse.forget()
    track.beginSource()
    slot.open(
      makers.audioSource(source, track: name, into: track.queue), kind: source, now: now)
    return hasEnded
  }
}
