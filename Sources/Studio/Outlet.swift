// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// Passes each packet to all sinks. They join and leave while packets flow, and none of them can hold up another.
///
/// The list of sinks is replaced as a whole, and no sink is called while its lock is held. An encoder's thread that has
/// read the list may offer one more packet to a sink that has just left.
final class Outlet: Sendable {
  private struct Entry {
    let sink: any PacketSink
    let isMain: Bool
    /// Video from this time on is not offered.
    var videoEnd = MediaTime.distantFuture
    /// It gets no packet any more, but has to discard what a later scene hides.
    var isLeaving = false
  }

  private struct State {
    var entries: [Entry] = []
    /// Rises with each change.
    var version = 0
    var video: VideoHeader?
    var audio: AudioHeader?
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
  }

  private let state = Mutex(State())
  private let requests = Mutex(KeyframeRequests())
  private let newestVideo = Atomic(MediaTime.distantPast.nanos)
  private let newestAudio = Atomic(MediaTime.distantPast.nanos)

  // MARK: Joining and leaving

  /// Adds a sink. Before its first packet it gets the present headers and scenes.
  /// - Parameter isMain: its requests for keyframes count at once.
  func add(_ sink: any PacketSink, isMain: Bool = false) {
    var seen: State
    repeat {
      seen = state.withLock { $0 }
      if let video = seen.video { sink.setVideo(video) }
      if let audio = seen.audio { sink.setAudio(audio) }
      sink.cut(video: seen.videoScene, audio: seen.audioScene)
    } while !replace(seen.entries + [Entry(sink: sink, isMain: isMain)], ifStill: seen.version)
  }

  func remove(_ sink: any PacketSink) {
    change { $0.filter { $0.sink !== sink } }
  }

  /// Offers a sink nothing any more. Until it is removed it is told of new scenes, since it may still hold packets that
  /// they hide.
  func silence(_ sink: any PacketSink) { changeEntry(of: sink) { $0.isLeaving = true } }

  /// Offers no video from `time` on to a sink.
  func endVideo(of sink: any PacketSink, at time: MediaTime) {
    changeEntry(of: sink) { $0.videoEnd = time }
  }

  private func changeEntry(of sink: any PacketSink, _ body: (inout Entry) -> Void) {
    change { entries in
      entries.map { entry in
        var entry = entry
        if entry.sink === sink { body(&entry) }
        return entry
      }
    }
  }

  private func change(_ body: ([Entry]) -> [Entry]) {
    var seen: (entries: [Entry], version: Int)
    repeat {
      seen = state.withLock { ($0.entries, $0.version) }
    } while !replace(body(seen.entries), ifStill: seen.version)
  }

  /// - Returns: `false` if something has changed since `version`.
  private func replace(_ entries: [Entry], ifStill version: Int) -> Bool {
    // The old list is released outside the lock.
    var entries = entries
    return state.withLock { state in
      guard state.version == version else { return false }
      swap(&state.entries, &entries)
      state.version += 1
      return true
    }
  }

  private func update(_ body: (inout State) -> Void) -> [Entry] {
    state.withLock { state in
      body(&state)
      state.version += 1
      return state.entries
    }
  }

  // MARK: For the studio

  /// Begins new scenes: packets of earlier ones are not for sinks that join from now on.
  /// - Parameters:
  ///   - hidesVideo: all sinks discard the video of earlier scenes, those already queued included.
  ///   - hidesAudio: likewise.
  func begin(video: UInt32, audio: UInt32, hidesVideo: Bool, hidesAudio: Bool) {
    let entries = update { state in
      state.videoScene = video
      state.audioScene = audio
    }
    guard hidesVideo || hidesAudio else { return }
    for entry in entries {
      entry.sink.cut(video: hidesVideo ? video : 0, audio: hidesAudio ? audio : 0)
    }
  }

  /// The video pipeline has ended: its header is of no use to others.
  func forgetVideo() { _ = update { $0.video = nil } }

  /// The audio pipeline has ended.
  func forgetAudio() { _ = update { $0.audio = nil } }

  /// The times of the newest packets that were offered.
  var newest: (video: MediaTime, audio: MediaTime) {
    (
      MediaTime(nanos: newestVideo.load(ordering: .acquiring)),
      MediaTime(nanos: newestAudio.load(ordering: .acquiring))
    )
  }

  // MARK: For the encoders' threads

  /// Whether any sink uses the packets. If not, nothing needs to be encoded.
  var takesPackets: Bool {
    for entry in state.withLock({ $0.entries }) where !entry.isLeaving && entry.sink.takesPackets {
      return true
    }
    return false
  }

  /// Whether the next frame has to be a keyframe.
  func needsKeyframe(now: MediaTime) -> Bool {
    let (main, others) = wishes
    return (main || others)
      && requests.withLock { $0.isDue(main: main, others: others, now: now) }
  }

  /// Whether the frame that is about to be encoded has to be a keyframe.
  func takeKeyframeRequest(now: MediaTime) -> Bool {
    let (main, others) = wishes
    return (main || others) && requests.withLock { $0.take(main: main, others: others, now: now) }
  }

  private var wishes: (main: Bool, others: Bool) {
    var (main, others) = (false, false)
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.sink.needsKeyframe {
      if entry.isMain { main = true } else { others = true }
    }
    return (main, others)
  }

  func setVideo(_ header: VideoHeader) {
    for entry in update({ $0.video = header }) { entry.sink.setVideo(header) }
  }

  func setAudio(_ header: AudioHeader) {
    for entry in update({ $0.audio = header }) { entry.sink.setAudio(header) }
  }

  func offer(_ packet: Packet) {
    let isVideo = packet.kind != .audio
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && (!isVideo || packet.time < entry.videoEnd) {
      entry.sink.offer(packet)
    }
    if isVideo {
      newestVideo.store(packet.time.nanos, ordering: .releasing)
    } else {
      newestAudio.store(packet.time.nanos, ordering: .releasing)
    }
  }
}
