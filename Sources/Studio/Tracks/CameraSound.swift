// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Synchronization

/// Encodes the box's own sound besides the programme: the sum of all tracks but those of guests, made from copies of
/// their samples.
final class CameraSound: Sendable {
  private struct Copied: Sendable {
    let original: AudioPipeline.Track
    let copy: AudioPipeline.Track
  }

  private let pipeline: AudioPipeline
  private let renditions: Renditions
  private let arrival: Signal
  private let channels: Int
  private let tracks = Mutex<[Copied]>([])

  /// - Parameter fatal: receives the reason when it cannot be encoded at all.
  init(
    channels: Int, sampleRate: Int, bitrateKbps: Int, renditions: Renditions,
    encoders: EncoderFactory, clock: MediaClock, fatal: @escaping @Sendable (String) -> Void
  ) {
    let arrival = Signal()
    (self.channels, self.renditions, self.arrival) = (channels, renditions, arrival)
    pipeline = AudioPipeline(
      tracks: [], channels: channels, sampleRate: sampleRate, arrival: arrival,
      bitrateKbps: bitrateKbps, renditions: renditions, rendition: .cameraAudio,
      encoders: encoders, name: "camera audio", clock: clock, fatal: fatal)
  }

  func start() { pipeline.start() }

  /// Plays these tracks and no others, but for those of guests. To be called by one thread at a time.
  /// - Parameter sum: what is asked of its sum is asked of this one, too.
  func follow(_ all: [AudioPipeline.Track], bitrateKbps: Int, sum: AudioPipeline) {
    pipeline.follow(sumOf: sum)
    pipeline.follow(bitrateKbps: bitrateKbps)
    let wanted = all.filter { !GuestScene.isTrack($0.name) }
    let before = tracks.withLock { $0 }
    guard !before.map(\.original).elementsEqual(wanted, by: ===) else { return }
    let leaving = before.filter { old in !wanted.contains { $0 === old.original } }
    for old in leaving { old.original.queue.endCopies(into: old.copy.queue) }
    let present = wanted.map { track in
      before.first { $0.original === track }
        ?? Copied(
          original: track,
          copy: AudioPipeline.Track(
            copyOf: track,
            queue: PCMQueue(channels: channels, arrival: arrival, clock: pipeline.clock),
            role: track.role))
    }
    tracks.withLock { $0 = present }
    pipeline.follow(present.map(\.copy))
    for new in present where !before.contains(where: { $0.copy === new.copy }) {
      new.original.queue.copyChunks(into: new.copy.queue)
    }
  }

  /// Cuts to another scene.
  func cut(to scene: AudioScene) { pipeline.cut(to: scene) }

  /// Asks the thread to end, and stops copying.
  func requestStop() {
    for one in tracks.withLock({ $0 }) { one.original.queue.endCopies(into: one.copy.queue) }
    pipeline.requestStop()
  }

  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    let hasEnded = pipeline.stop(by: deadline)
    renditions.forget(.cameraAudio)
    return hasEnded
  }
}
