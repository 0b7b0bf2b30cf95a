// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
public import Media
internal import Synchronization

/// Makes the sink for the packets of one audio track, by the track's name; `nil` if there is no room for it.
public typealias TrackSinkMaker = @Sendable (String) -> (any PacketSink)?

/// What a user has asked for who wants each audio track by itself.
final class TrackSinks: Sendable {
  let make: TrackSinkMaker
  init(_ make: @escaping TrackSinkMaker) { self.make = make }
}

/// Encodes audio tracks each by itself, besides the sum of all: with its filters and its gain, without ducking, and
/// silent where the scene silences it. A track that leaves goes on with silence, so that it can come back.
final class SeparateTracks: Sendable {
  /// One track that is encoded by itself.
  private struct Separate: Sendable {
    let pipeline: AudioPipeline
    /// Has the gain, the delay and the filters of the track that is copied.
    let copy: AudioPipeline.Track
    let renditions: Renditions
    let sink: any PacketSink
    /// The track that is copied; `nil` while there is none of this name.
    var original: AudioPipeline.Track?
  }

  private struct State {
    var separates: [String: Separate] = [:]
    /// The names of the tracks for which there is no sink.
    var refused: Set<String> = []
    /// Whether no track may begin any more.
    var isClosed = false
  }

  let sinks: TrackSinks
  private let channels: Int
  private let sampleRate: Int
  private let bitrateKbps: Int
  private let encoders: EncoderFactory
  private let clock: MediaClock
  private let state = Mutex(State())

  init(
    _ sinks: TrackSinks, channels: Int, sampleRate: Int, bitrateKbps: Int,
    encoders: EncoderFactory, clock: MediaClock
  ) {
    self.sinks = sinks
    (self.channels, self.sampleRate, self.bitrateKbps) = (channels, sampleRate, bitrateKbps)
    (self.encoders, self.clock) = (encoders, clock)
  }

  /// Encodes these tracks. To be called by the thread that calls `Studio.adjust`.
  /// - Parameter cut: cuts a new pipeline to the present scene, so that no later cut comes before; returns `false` if the
  ///   tracks are not wanted any more.
  func follow(_ tracks: [AudioPipeline.Track], cut: (AudioPipeline) -> Bool) {
    let new = state.withLock { state in
      for (name, separate) in state.separates {
        let track = tracks.first { $0.name == name }
        guard separate.original !== track else { continue }
        separate.original?.queue.endCopies(into: separate.copy.queue)
        if let track { separate.copy.follow(track) }
        track?.queue.copyChunks(into: separate.copy.queue)
        state.separates[name]?.original = track
      }
      return tracks.filter {
        state.separates[$0.name] == nil && !state.refused.contains($0.name)
      }
    }
    for track in new { begin(track, cut: cut) }
  }

  private func begin(_ track: AudioPipeline.Track, cut: (AudioPipeline) -> Bool) {
    guard let sink = sinks.make(track.name) else {
      state.withLock { _ = $0.refused.insert(track.name) }
      return
    }
    let (arrival, renditions) = (Signal(), Renditions())
    let queue = PCMQueue(channels: channels, arrival: arrival, clock: clock)
    let copy = AudioPipeline.Track(copyOf: track, queue: queue)
    let pipeline = AudioPipeline(
      tracks: [copy], channels: channels, sampleRate: sampleRate, arrival: arrival,
      bitrateKbps: bitrateKbps, renditions: renditions, encoders: encoders, name: "track audio",
      clock: clock, fatal: { _ in })
    renditions.add(sink)
    let separate = Separate(
      pipeline: pipeline, copy: copy, renditions: renditions, sink: sink, original: track)
    // From here on `cut(to:)` finds the pipeline.
    let isOpen = state.withLock { state in
      if !state.isClosed { state.separates[track.name] = separate }
      return !state.isClosed
    }
    guard isOpen, cut(pipeline) else {
      renditions.silence(sink)
      return state.withLock { $0.separates[track.name] = nil }
    }
    pipeline.start()
    track.queue.copyChunks(into: queue)
  }

  /// Cuts all tracks to another scene.
  func cut(to scene: AudioScene) {
    for separate in state.withLock({ $0.separates.values }) { separate.pipeline.cut(to: scene) }
  }

  /// Offers no more packets to the sinks.
  func silence() {
    let separates = state.withLock { state in
      state.isClosed = true
      return state.separates.values
    }
    for separate in separates { separate.renditions.silence(separate.sink) }
  }

  /// Asks the threads to end, and stops copying.
  func requestStop() {
    for separate in state.withLock({ $0.separates.values }) {
      separate.original?.queue.endCopies(into: separate.copy.queue)
      separate.pipeline.requestStop()
    }
  }

  /// Ends all tracks.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if a thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    silence()
    requestStop()
    let separates = state.withLock { state in
      defer { state.separates = [:] }
      return state.separates.values
    }
    return separates.reduce(true) { $1.pipeline.stop(by: deadline) && $0 }
  }
}
